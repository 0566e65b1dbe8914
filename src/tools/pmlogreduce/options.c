#include "tools/pmlogreduce/options.h"

#include <stdlib.h>
#include <string.h>

#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

#define TOO_MANY "Error: too many arguments; several inputs are one argument, with commas between"

enum { INTERVAL_SEC = 600 };

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	PMOPT_ALIGN,
	{ "mean", 0, 'm', 0, "means of instantaneous and discrete values, not the value at a time" },
	PMOPT_START,
	{ "samples", 1, 's', "N", "terminate after this many samples" },
	PMOPT_FINISH,
	{ "interval", 1, 't', "DELTA", "sample output interval [default 10min]" },
	{ "", 1, 'v', "NUM", "switch log volumes after this many samples" },
	PMOPT_VERSION,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* -A is checked later, like the two letters of window.h, because the archive is an argument. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'A' || letter == 's' || letter == 't' || window_letter(letter);
}

static long get_count(struct options *o, const char *complaint)
{
	char *end;
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= 0)
		return n;
	cmdline_complain(&o->pm, complaint);
	return 0;
}

static void set_interval(struct options *o)
{
	char *message = NULL;

	if (pmParseHighResInterval(o->pm.optarg, &o->interval, &message) < 0) {
		pmprintf("%s", message);
		free(message);
		o->pm.errors++;
	} else if (o->interval.tv_sec == 0 && o->interval.tv_nsec == 0) {
		cmdline_complain(&o->pm, "-t requires an interval above zero");
	}
}

static void set_option(void *arg, int letter)
{
	struct options *o = arg;

	switch (letter) {
	case 'A':
		o->align = o->pm.optarg;
		break;
	case 'm':
		o->mean = true;
		break;
	case 's':
		o->samples = get_count(o, "-s requires numeric argument");
		break;
	case 't':
		set_interval(o);
		break;
	case 'v':
		o->volsamples = get_count(o, "-v requires numeric argument");
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int left;

	memset(o, 0, sizeof(*o));
	o->interval.tv_sec = INTERVAL_SEC;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "A:D:mS:s:T:t:v:VZ:z?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] input-archive output-archive";
	o->pm.override = is_ours;
	window_options(&o->pm, argc, argv, "at most one of -Z and/or -z allowed", set_option, o);
	o->pm.align_optarg = o->align;
	left = argc - o->pm.optind;
	if (o->pm.errors == 0 && left != 2 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, left < 2 ? "Error: insufficient arguments" : TOO_MANY);
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->input = argv[o->pm.optind];
	o->output = argv[o->pm.optind + 1];
	return true;
}

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

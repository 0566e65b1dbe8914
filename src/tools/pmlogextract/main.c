/*
 * pmlogextract - archives merged, reduced, or brought to another version (docs/spec/logger.md D4).
 */
#include "tools/pmlogextract/pmlogextract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/file.h"
#include "libdisk/limits.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * The command line
 */

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "config", 1, 'c', "FILE", "file to load configuration from" },
	{ "desperate", 0, 'd', 0, "desperate, save output after fatal error" },
	{ "first", 0, 'f', 0, "use timezone from first archive [default is last]" },
	{ "mark", 0, 'm', 0, "ignore prologue/epilogue records and <mark> between archives" },
	PMOPT_START,
	{ "samples", 1, 's', "NUM", "terminate after NUM log records have been written" },
	PMOPT_FINISH,
	{ "outputversion", 1, 'V', "VERSION", "output archive version" },
	{ "", 1, 'v', "SAMPLES", "switch log volumes after this many samples" },
	{ "", 0, 'w', 0, "ignore day/month/year" },
	{ "", 0, 'x', 0, "skip metrics with mismatched metadata" },
	FINDING_STRICT_ROWS,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};
/* clang-format on */

static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 's' || letter == 'V' || letter == FINDING_STRICT || window_letter(letter);
}

static long get_count(struct options *o, const char *what)
{
	char *end, text[64];
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= 0)
		return n;
	pmsprintf(text, sizeof(text), "%s requires numeric argument", what);
	cmdline_complain(&o->pm, text);
	return 0;
}

static void pmlogextract_set_version(struct options *o)
{
	char *end;
	long n = strtol(o->pm.optarg, &end, 10);

	if (*end != '\0' || (n != DISK_V2 && n != DISK_V3))
		cmdline_complain(&o->pm, "-V value must be 2 or 3");
	o->version = (int)n;
}

static void set_config(struct options *o)
{
	char text[4096];

	o->config = o->pm.optarg;
	if (file_is_regular(o->config))
		return;
	pmsprintf(text, sizeof(text), "%s - invalid file", o->config);
	cmdline_complain(&o->pm, text);
}

static void set_option(void *arg, int letter)
{
	struct options *o = arg;

	switch (letter) {
	case 'c':
		set_config(o);
		break;
	case 'd':
		o->desperate = true;
		break;
	case 'f':
		o->first_zone = true;
		break;
	case 'm':
		o->always_mark = true;
		break;
	case 's':
		o->samples = get_count(o, "-s");
		break;
	case 'V':
		pmlogextract_set_version(o);
		break;
	case 'v':
		o->volsamples = get_count(o, "-v");
		break;
	case 'w':
		o->daily = true;
		break;
	case 'x':
		o->skip = true;
		break;
	case FINDING_STRICT:
		finding_be_strict();
		break;
	default:
		o->pm.errors++;
		break;
	}
}

/* -w needs a window. */
static void check_daily(struct options *o)
{
	if (!o->daily || (o->pm.start_optarg != NULL && o->pm.finish_optarg != NULL))
		return;
	fprintf(stderr,
		"%s: Warning: -w flag requires that both -S and -T are specified.\n"
		"Ignoring -w flag.\n",
		pmGetProgname());
	o->daily = false;
}

/* Returns false if the program is to end with *ret_status. */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int left;

	memset(o, 0, sizeof(*o));
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "c:D:dfmS:s:T:V:v:wxZ:z?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] input-archive output-archive";
	o->pm.override = is_ours;
	window_options(&o->pm, argc, argv, "at most one of -Z and/or -z allowed", set_option, o);
	left = argc - o->pm.optind;
	if (o->pm.errors == 0 && left < 2 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, "Error: insufficient arguments");
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	check_daily(o);
	o->inputs = argv + o->pm.optind;
	o->ninputs = left - 1;
	o->output = argv[argc - 1];
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

/*
 * The program
 */

static int not_created(const struct options *o)
{
	if (!o->desperate)
		fprintf(stderr, "Archive \"%s\" not created.\n", o->output);
	return 1;
}

/* The window that the options give, in the time of all inputs. */
static bool choose_window(const struct options *o, const struct inputs *in,
			  struct window *ret_window)
{
	size_t used = o->first_zone ? 0 : in->n - 1;
	struct log_label label = *in->list[used].recording.label;
	struct recording all = {.label = &label, .end = in->list[0].recording.end};
	bool ok;

	for (size_t i = 0; i < in->n; i++) {
		const struct recording *r = &in->list[i].recording;

		if (stamp_compare(&r->label->start, &label.start) < 0)
			label.start = r->label->start;
		if (stamp_compare(&r->end, &all.end) > 0)
			all.end = r->end;
	}
	ok = window_choose(&o->pm, &all, ret_window);
	fflush(stdout);
	return ok;
}

static int extract(const struct options *o, struct inputs *in, struct conflicts *conflicts)
{
	struct log_label label;
	struct chosen chosen;
	struct window window;
	int status;

	if (!inputs_label(in, o, &label) || !choose_window(o, in, &window) ||
	    !conflicts_find(conflicts, in, o->skip))
		return not_created(o);
	if (!chosen_read(&chosen, o->config, in, conflicts))
		status = 1;
	else
		status = copy_run(o, in, &chosen, &window, &label) ? 0 : 1;
	chosen_done(&chosen);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct inputs in = {0};
	struct conflicts conflicts = {0};
	int status = 1;

	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	recording_report_refusals();
	if (options_parse(&o, argc, argv, &status)) {
		if (inputs_open(&in, &o))
			status = extract(&o, &in, &conflicts);
		inputs_close(&in);
		conflicts_done(&conflicts);
	}
	options_done(&o);
	return output_finish(finding_status(status));
}

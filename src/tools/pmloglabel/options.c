#include "tools/pmloglabel/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libdisk/limits.h"
#include "tools/common/cmdline.h"

enum { LETTER_VERSION = 'V' };

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "host", 1, 'h', "HOSTNAME", "set the hostname for all files in archive" },
	{ "label", 0, 'l', 0, "dump the archive label" },
	{ "", 0, 'L', 0, "more verbose form of label dump" },
	{ "pid", 1, 'p', "PID", "set the logger process ID field for all files in archive" },
	{ "", 0, 's', 0, "write the label sentinel values for all files in archive" },
	{ "verbose", 0, 'v', 0, "run in verbose mode, reporting on each stage of checking" },
	{ "version", 1, LETTER_VERSION, "NUM", "write magic and version numbers for all files in archive" },
	{ "timezone", 1, 'Z', "TZ", "set the timezone for all files in archive" },
	PMOPT_HELP,
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* All letters but -? have another meaning in other tools. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter != '?' && letter != 'D';
}

/* A number in the range of int; otherwise an error is reported and counted. */
static int get_number(struct options *o, const char *what)
{
	char *end, text[128];
	long n = strtol(o->pm.optarg, &end, 10);

	if (*o->pm.optarg != '\0' && *end == '\0' && n >= INT_MIN && n <= INT_MAX)
		return (int)n;
	pmsprintf(text, sizeof(text), "%s requires numeric argument", what);
	cmdline_complain(&o->pm, text);
	return 0;
}

static void set_version(struct options *o)
{
	char text[64];

	o->version = get_number(o, "-V");
	if (o->version == DISK_V2 || o->version == DISK_V3)
		return;
	pmsprintf(text, sizeof(text), "unknown version number (%s)", o->pm.optarg);
	if (o->pm.errors == 0)
		cmdline_complain(&o->pm, text);
}

static void set_option(struct options *o, int letter)
{
	o->write |= strchr("hpsVZ", letter) != NULL;
	switch (letter) {
	case 'h':
		o->host = o->pm.optarg;
		break;
	case 'L':
		o->more = true;
		o->heading = true;
		break;
	case 'l':
		o->heading = true;
		break;
	case 'p':
		o->pid = get_number(o, "-p");
		o->set_pid = true;
		break;
	case 's':
		break;
	case 'v':
		o->verbose = true;
		break;
	case LETTER_VERSION:
		set_version(o);
		break;
	case 'Z':
		o->timezone = o->pm.optarg;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	if (cmdline_is_version(argc, argv)) {
		*ret_status = 0;
		return false;
	}
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "D:h:lLp:svV:Z:?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] archive";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (o->pm.optind != argc - 1 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0)
		cmdline_complain(&o->pm, "insufficient arguments");
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->archive = argv[o->pm.optind];
	return true;
}

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

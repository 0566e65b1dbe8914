#include "tools/pmlogcheck/options.h"

#include <string.h>

#include "tools/archive/window.h"
#include "tools/common/cmdline.h"
#include "tools/common/finding.h"

/* Long options without a letter. */
enum {
	LETTER_REPAIR = 'R',
	LETTER_TRIM = 't',
	LETTER_KEEP = 7, /* the option without a letter */
};

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("Options"),
	{ "label", 0, 'l', 0, "print the archive label" },
	{ "metadataonly", 0, 'm', 0, "skip checking log data volumes" },
	PMOPT_NAMESPACE,
	{ "repair", 1, LETTER_REPAIR, "OUT", "copy what is whole to a new archive" },
	{ "keep-undescribed", 0, LETTER_KEEP, NULL, NULL },
	{ "", 0, '|', NULL, "  --keep-undescribed    with -R: copy values of metrics without a description" },
	PMOPT_START,
	PMOPT_FINISH,
	{ "trim", 0, LETTER_TRIM, 0, "cut a torn end off the files, in place, and write the index" },
	{ "verbose", 0, 'v', 0, "verbose output" },
	PMOPT_VERSION,
	{ "nowrap", 0, 'w', 0, "suppress counter wrap warnings" },
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
	return letter == LETTER_TRIM || letter == LETTER_KEEP || letter == FINDING_STRICT || window_letter(letter);
}

static void set_option(void *arg, int letter)
{
	struct options *o = arg;

	switch (letter) {
	case 'l':
		o->heading = true;
		break;
	case 'm':
		o->metadata_only = true;
		break;
	case LETTER_REPAIR:
		o->repair = o->pm.optarg;
		break;
	case LETTER_TRIM:
		o->trim = true;
		break;
	case LETTER_KEEP:
		o->keep_undescribed = true;
		break;
	case FINDING_STRICT:
		finding_be_strict();
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'w':
		o->no_wraps = true;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->pm.version = PMAPI_VERSION_3;
	o->pm.short_options = "D:lmn:R:S:T:tvVwzZ:?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] archive";
	o->pm.override = is_ours;
	window_options(&o->pm, argc, argv, "at most one of -Z and -z allowed", set_option, o);
	if (o->trim && o->repair != NULL)
		cmdline_complain(&o->pm, "at most one of --trim and --repair allowed");
	if (o->keep_undescribed && o->repair == NULL)
		cmdline_complain(&o->pm, "--keep-undescribed is for --repair");
	if (o->pm.errors == 0 && o->pm.optind >= argc && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		pmprintf("Error: no archive specified\n\n");
		o->pm.errors++;
	}
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->archive = argv[o->pm.optind];
	return true;
}

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
}

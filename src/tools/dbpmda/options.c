/* options - see options.h. */
#include "tools/dbpmda/options.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/common/cmdline.h"

enum { CREDS_TIMEOUT_S = 3 };

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_DEBUG,
	PMOPT_NAMESPACE,
	{ "norc", 0, 'f', 0, "skip .dbpmdarc processing" },
	{ "creds-timeout", 1, 'q', "N", "initial negotiation timeout (seconds)" },
	{ "username", 1, 'U', "USER", "run under named user account" },
	{ "valgrind", 0, 'v', 0, "running under valgrind, don't dlclose() dso PMDAs" },
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("Input options"),
	{ "echo-input", 0, 'e', 0, "echo input" },
	{ "interactive", 0, 'i', 0, "be interactive and prompt" },
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* The program loads the name space itself, because it allows several names for a metric. */
static int is_ours(int letter, pmOptions *opts)
{
	return letter == 'n';
}

static void set_timeout(struct options *o)
{
	char *end;
	long n = strtol(o->pm.optarg, &end, 10);

	if (*end != '\0' || n <= 0 || n > INT_MAX / 1000)
		cmdline_complain(&o->pm, "-q requires a positive numeric argument");
	else
		o->creds_timeout_s = (int)n;
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'e':
		o->echo = true;
		break;
	case 'f':
		o->no_rc = true;
		break;
	case 'i':
		o->interactive = true;
		break;
	case 'n':
		o->names_path = o->pm.optarg;
		break;
	case 'q':
		set_timeout(o);
		break;
	case 'U':
		o->user = o->pm.optarg;
		break;
	case 'v':
		o->keep_dso = true;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	*o = (struct options){.creds_timeout_s = CREDS_TIMEOUT_S};
	o->pm.long_options = long_options;
	o->pm.short_options = "D:efin:q:U:vV?";
	o->pm.short_usage = "[options]";
	o->pm.flags = PM_OPTFLAG_POSIX;
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (o->pm.optind < argc)
		o->pm.errors++;
	return cmdline_accept(&o->pm, ret_status);
}

#include "tools/pmstore/options.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/cmdline.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_DEBUG,
	PMOPT_HOST,
	PMOPT_LOCALPMDA,
	PMOPT_SPECLOCAL,
	PMOPT_NAMESPACE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("Value options"),
	{ "fetch", 0, 'F', 0, "perform pmFetch after pmStore to confirm value" },
	{ "force", 0, 'f', 0, "store the value even if there is no current value set" },
	{ "insts", 1, 'i', "INSTS", "restrict store to comma-separated list of instances" },
	PMAPI_OPTIONS_END
};
/* clang-format on */

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'F':
		o->confirm = true;
		break;
	case 'f':
		o->force = true;
		break;
	case 'i':
		wordlist_add(&o->chosen, o->pm.optarg);
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
	o->pm.flags = PM_OPTFLAG_POSIX; /* a value may be negative: "pmstore metric -5" */
	o->pm.short_options = "D:Ffh:i:K:Ln:V?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] metricname value";
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if ((o->pm.flags & PM_OPTFLAG_EXIT) == 0 && o->pm.optind != argc - 2)
		o->pm.errors++;
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	o->metric = argv[o->pm.optind];
	o->value = argv[o->pm.optind + 1];
	return true;
}

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
	wordlist_done(&o->chosen);
}

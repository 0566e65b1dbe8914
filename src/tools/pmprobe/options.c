#include "tools/pmprobe/options.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/cmdline.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_ARCHIVE,
	PMOPT_DEBUG,
	PMOPT_HOST,
	PMOPT_CONTAINER,
	PMOPT_DERIVED,
	PMOPT_LOCALPMDA,
	PMOPT_SPECLOCAL,
	PMOPT_NAMESPACE,
	PMOPT_ORIGIN,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	{ PMLONGOPT_VERSION, 0, 'd', 0, "display version number and exit" },
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("Protocol options"),
	{ "batch", 1, 'b', "N", "fetch at most N metrics at a time [128]" },
	PMAPI_OPTIONS_HEADER("Reporting options"),
	{ "force", 0, 'f', 0, "report all pmGetIndom or pmGetInDomArchive instances" },
	{ "faster", 0, 'F', 0, "assume given metric names are PMNS leaf nodes" },
	{ "external", 0, 'I', 0, "list external instance names" },
	{ "internal", 0, 'i', 0, "list internal instance numbers" },
	{ "verbose", 0, 'V', 0, "report PDU operations (verbose)" },
	{ "values", 0, 'v', 0, "list metric values" },
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* -V has another meaning here. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'V';
}

/* The library prints the version for the letter V, which has another meaning here. */
static void print_version(struct options *o)
{
	pmprintf("%s version %s (Pitot %s)\n", pmGetProgname(), pmGetAPIConfig("pcp_version"),
		 PITOT_VERSION);
	o->pm.flags |= PM_OPTFLAG_EXIT;
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'b':
		cmdline_batch(&o->pm, &o->batch);
		break;
	case 'd':
		print_version(o);
		break;
	case 'f':
		o->all_instances = true;
		break;
	case 'F':
		o->leaf_names = true;
		break;
	case 'i':
		if (o->values)
			cmdline_complain(&o->pm, "at most one of -i and -v allowed");
		o->internal_ids = true;
		break;
	case 'I':
		if (o->values)
			cmdline_complain(&o->pm, "at most one of -I and -v allowed");
		o->external_names = true;
		break;
	case 'V':
		o->traffic = true;
		break;
	case 'v':
		if (o->internal_ids || o->external_names)
			cmdline_complain(&o->pm, "at most one of -v and (-i or -I) allowed");
		o->values = true;
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
	o->batch = CMDLINE_BATCH;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_options = "a:b:D:efh:IiK:Ln:FO:VvZ:z?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] [metricname ...]";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	return cmdline_accept(&o->pm, ret_status);
}

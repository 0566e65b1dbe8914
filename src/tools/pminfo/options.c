#include "tools/pminfo/options.h"

#include <string.h>

#include "tools/common/cmdline.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_ARCHIVE,
	PMOPT_DEBUG,
	PMOPT_HOST,
	PMOPT_CONTAINER,
	PMOPT_LOCALPMDA,
	PMOPT_SPECLOCAL,
	PMOPT_NAMESPACE,
	PMOPT_UNIQNAMES,
	PMOPT_ORIGIN,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("Protocol options"),
	{ "batch", 1, 'b', "N", "fetch N metrics at a time for -f and -v [128]" },
	{ "desc", 0, 'd', 0, "get and print metric description" },
	{ "fetch", 0, 'f', 0, "fetch and print values for all instances" },
	{ "fetchall", 0, 'F', 0, "fetch and print values for non-enumerable indoms" },
	{ "fullindom", 0, 'I', 0, "print InDom in verbose format" },
	{ "labels", 0, 'l', 0, "print InDom, metric and instance labels" },
	{ "pmid", 0, 'm', 0, "print PMID" },
	{ "fullpmid", 0, 'M', 0, "print PMID in verbose format" },
	{ "series", 0, 's', 0, "print source, metric, instance series identifiers" },
	{ "oneline", 0, 't', 0, "get and display (terse) oneline text" },
	{ "helptext", 0, 'T', 0, "get and display (verbose) help text" },
	PMAPI_OPTIONS_HEADER("Metrics options"),
	{ "derived", 1, 'c', "FILE", "load derived metric definitions from FILE(s)" },
	{ "events", 0, 'x', 0, "unpack and report on any fetched event records" },
	{ "verify", 0, 'v', 0, "verify mode, be quiet and only report errors" },
	PMAPI_OPTIONS_END
};

static const struct {
	int letter;
	unsigned int show;
} shows[] = {
	{ 'd', SHOW_DESC },
	{ 'f', SHOW_VALUES },
	{ 'F', SHOW_VALUES | SHOW_ALL_INSTANCES },
	{ 'I', SHOW_DESC | SHOW_FULL_INDOM },
	{ 'l', SHOW_LABELS },
	{ 'm', SHOW_PMID },
	{ 'M', SHOW_PMID | SHOW_FULL_PMID },
	{ 's', SHOW_SERIES },
	{ 't', SHOW_ONELINE },
	{ 'T', SHOW_HELP },
	{ 'v', SHOW_FAILURES },
	{ 'x', SHOW_VALUES | SHOW_EVENTS },
};
/* clang-format on */

/* Letters that have another meaning in other tools: true keeps the library from reading them. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 's' || letter == 't' || letter == 'T' || letter == 'c';
}

static void load_derived(const char *path)
{
	int sts = pmLoadDerivedConfig(path);

	if (sts >= 0)
		return;
	pmprintf("%s: derived configuration(s) error: %s\n", pmGetProgname(), pmErrStr(sts));
	pmflush();
}

static void set_option(struct options *o, int letter)
{
	if (letter == 'b') {
		cmdline_batch(&o->pm, &o->batch);
		return;
	}
	if (letter == 'c') {
		load_derived(o->pm.optarg);
		return;
	}
	for (size_t i = 0; i < sizeof(shows) / sizeof(shows[0]); i++)
		if (shows[i].letter == letter)
			o->show |= shows[i].show;
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	o->batch = CMDLINE_BATCH;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_options = "a:b:c:CdD:Ffh:IK:lLmMN:n:O:stTvVxzZ:?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] [metricname | pmid | indom]...";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	if ((o->show & SHOW_FAILURES) != 0)
		o->show = SHOW_FAILURES;
	return true;
}

/*
 * watch - the rate of a counter, sample by sample, with the options of all PCP tools.
 *
 *     cc watch.c $(pkg-config --cflags --libs libpcp)
 *     ./a.out -h localhost -t 500msec -s 5 kernel.all.sysfork
 */
#include <stdio.h>
#include <time.h>
#include <pcp/pmapi.h>

static pmLongOptions long_options[] = {
    PMAPI_OPTIONS_HEADER("Options"),
    PMOPT_HOST,
    PMOPT_INTERVAL,
    PMOPT_SAMPLES,
    PMOPT_HELP,
    PMAPI_OPTIONS_END,
};

static pmOptions opts = {
    .short_options = "h:s:t:?",
    .long_options = long_options,
    .short_usage = "[options] counter",
};

struct sample {
	struct timespec when;
	double value;
};

/* Gets the first value of a fetch. Returns 0, or a negative code. */
static int sample_take(pmID pmid, const pmDesc *desc, struct sample *ret_sample)
{
	pmHighResResult *result;
	pmValueSet *vset;
	pmAtomValue atom;
	int r = pmFetchHighRes(1, &pmid, &result);

	if (r < 0)
		return r;
	vset = result->vset[0];
	if (vset->numval > 0)
		r = pmExtractValue(vset->valfmt, &vset->vlist[0], desc->type, &atom,
				   PM_TYPE_DOUBLE);
	else
		r = vset->numval < 0 ? vset->numval : PM_ERR_VALUE;
	if (r >= 0)
		*ret_sample = (struct sample){result->timestamp, atom.d};
	pmFreeHighResResult(result);
	return r < 0 ? r : 0;
}

static int watch(pmID pmid, const pmDesc *desc)
{
	struct timespec pause = {opts.interval.tv_sec, opts.interval.tv_usec * 1000};
	struct sample old, new;
	int r = sample_take(pmid, desc, &old);

	for (int i = 0; r >= 0 && (opts.samples == 0 || i < opts.samples); i++) {
		nanosleep(&pause, NULL);
		r = sample_take(pmid, desc, &new);
		if (r < 0)
			break;
		pmPrintHighResStamp(stdout, &new.when);
		printf(" %g\n", (new.value - old.value) / pmtimespecSub(&new.when, &old.when));
		old = new;
	}
	return r;
}

int main(int argc, char **argv)
{
	const char *name;
	pmDesc desc;
	pmID pmid;
	int r;

	while (pmGetOptions(argc, argv, &opts) != -1)
		;
	if (opts.errors > 0 || opts.optind != argc - 1) {
		pmUsageMessage(&opts);
		return 1;
	}
	if (opts.interval.tv_sec == 0 && opts.interval.tv_usec == 0)
		opts.interval.tv_sec = 1;
	name = argv[opts.optind];
	r = pmNewContext(PM_CONTEXT_HOST, opts.nhosts > 0 ? opts.hosts[0] : "local:");
	if (r >= 0)
		r = pmLookupName(1, &name, &pmid);
	if (r >= 0)
		r = pmLookupDesc(pmid, &desc);
	if (r >= 0)
		r = watch(pmid, &desc);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", pmGetProgname(), pmErrStr(r));
	pmFreeOptions(&opts);
	return r < 0;
}

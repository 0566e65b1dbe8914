/*
 * sample - the loop over time: fetch, print, wait; the stamp of a sample, and event records.
 */
#include "tools/pmval/pmval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/value.h"

/*
 * event - prints event records: a line for each, and one for each of their parameters.
 */

static void print_aggregate(const pmValueBlock *block)
{
	const unsigned char *bytes = (const unsigned char *)block->vbuf;
	int len = (int)block->vlen - PM_VAL_HDR_SIZE;

	putchar('[');
	for (int i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar(']');
}

static void sample_print_head(int number)
{
	(void)number; /* printed after the stamp */
	fputs("  ", stdout);
}

static void print_number(int number)
{
	printf(" --- event record [%d]", number);
}

static void sample_print_parameter(const struct event_parameter *p, const pmValueSet *vset)
{
	char buf[32];

	pmIDStr_r(p->pmid, buf, sizeof(buf));
	if (p->nnames < 0) {
		printf("\t%s: pmNameID: %s\n", buf, pmErrStr(p->nnames));
		return;
	}
	if (p->sts < 0) {
		printf("\t%s: pmLookupDesc: %s\n", buf, pmErrStr(p->sts));
		return;
	}
	printf("    %s", p->names[0]);
	for (int i = 0; i < vset->numval; i++) {
		putchar(' ');
		if ((p->desc.type == PM_TYPE_AGGREGATE ||
		     p->desc.type == PM_TYPE_AGGREGATE_STATIC) &&
		    vset->valfmt != PM_VAL_INSITU)
			print_aggregate(vset->vlist[i].value.pval);
		else
			pmPrintValue(stdout, vset->valfmt, p->desc.type, &vset->vlist[i], 1);
	}
	putchar('\n');
}

static const struct event_style style = {
    .print_head = sample_print_head,
    .print_number = print_number,
    .print_parameter = sample_print_parameter,
    .missed_indent = "    ",
    .no_parameters = "    ==> No parameters",
};

/* Prints the records of value i, after the name that begins the line. */
static void print_records(const pmValueSet *vset, int i, int type)
{
	struct event_records records;
	int n = event_unpack(vset, i, type, &records);

	if (n >= 0)
		printf(" %d event records\n", n);
	else
		printf(" pmUnpackEventRecords: %s\n", pmErrStr(n));
	event_print(&records, &style);
	event_free(&records);
}

static void sample_print_instance(const struct view *v, int inst)
{
	pmInDom indom = v->target->desc.indom;
	char *name, buf[32];
	int sts = options_archive(v->options) ? pmNameInDomArchive(indom, inst, &name)
					      : pmNameInDom(indom, inst, &name);

	if (sts < 0) {
		printf("%s: pmNameInDom: %s[%u]: %s\n", v->target->name,
		       pmInDomStr_r(indom, buf, sizeof(buf)), inst, pmErrStr(sts));
		return;
	}
	printf("%s[%s]:", v->target->name, name);
	free(name);
}

/*
 * Prints all records of all instances of a sample. For a sample without values, prints its time if
 * it has one.
 */
static void event_report(const struct view *v, const struct sample *now)
{
	const struct target *t = v->target;

	if (v->stamps) {
		stamp_print(&now->stamp, v->options->stamp);
		fputs("  ", stdout);
	}
	for (int i = 0; i < now->values->numval; i++) {
		int inst = now->values->vlist[i].inst;

		if (t->desc.indom != PM_INDOM_NULL && !target_wants(t, inst))
			continue;
		if (t->desc.indom == PM_INDOM_NULL)
			printf("%s:", t->name);
		else
			sample_print_instance(v, inst);
		print_records(now->values, i, t->desc.type);
	}
}

/*
 * A rate needs two fetches, so the first sample of a counter prints nothing and does not count. A
 * live source is asked at fixed intervals from the first fetch, not from the end of the last one,
 * so the duration of fetches does not add up.
 */

#define NS_PER_S 1000000000

/* The result of a fetch. */
enum outcome { COUNTED, NOT_COUNTED, SKIPPED, END };

/* The last values: FRESH if no rate was computed from them. */
enum last { NOTHING, NO_VALUES, FRESH, RATED };

struct run {
	const struct view *v;
	enum last last;
	pmHighResResult *before;  /* the last values; NULL: no rate can be computed */
	struct timespec due;      /* time of the next fetch, on the monotonic clock */
	struct timespec due_real; /* the same time on the clock of the window */
};

static void sample_add(struct timespec *t, const struct timespec *more)
{
	t->tv_sec += more->tv_sec;
	t->tv_nsec += more->tv_nsec;
	if (t->tv_nsec >= NS_PER_S) {
		t->tv_nsec -= NS_PER_S;
		t->tv_sec++;
	}
}

static bool is_after(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

static void forget_before(struct run *r)
{
	if (r->before != NULL)
		pmFreeHighResResult(r->before);
	r->before = NULL;
}

/* The metric's values in a result; NULL in a record that has only other metrics. */
static const pmValueSet *find_values(const pmHighResResult *result, pmID pmid)
{
	for (int i = 0; i < result->numpmid; i++)
		if (result->vset[i]->pmid == pmid)
			return result->vset[i];
	return NULL;
}

static void fetch_failed(const struct run *r, int sts)
{
	const char *step = r->v->options->recorded != NULL ? "pmFetchArchive" : "pmFetch";

	fflush(stdout);
	fprintf(stderr, "\n%s: %s: %s\n", pmGetProgname(), step, pmErrStr(sts));
}

static void print_none(const struct view *v, const struct sample *now)
{
	if (v->options->json)
		object_print_none(v, now);
	else
		columns_print_none(v, now);
}

/*
 * After NO_VALUES a line says that there is no rate; for the very first values nothing is printed.
 */
static enum outcome print_rates(struct run *r, const struct sample *now)
{
	enum last last = r->last;
	struct sample before;

	r->last = r->before != NULL ? RATED : FRESH;
	if (r->before != NULL) {
		before = (struct sample){r->before->timestamp,
					 find_values(r->before, r->v->target->pmid)};
		if (r->v->options->json)
			object_print(r->v, &before, now);
		else
			columns_print(r->v, &before, now);
		return COUNTED;
	}
	if (!r->v->options->json)
		columns_name(r->v, now);
	if (last == NO_VALUES)
		print_none(r->v, now);
	return NOT_COUNTED;
}

static enum outcome print_sample(struct run *r, const struct sample *now)
{
	const struct target *t = r->v->target;
	bool json = r->v->options->json;

	if (now->values->numval < 0) {
		fetch_failed(r, now->values->numval);
		if (json)
			object_print(r->v, NULL, now);
		r->last = NOTHING;
		return COUNTED;
	}
	if (t->event) {
		if (json)
			object_print(r->v, NULL, now);
		else
			event_report(r->v, now);
		return COUNTED;
	}
	if (now->values->numval == 0) {
		print_none(r->v, now);
		columns_forget();
		r->last = r->last == FRESH ? NOTHING : NO_VALUES;
		return COUNTED;
	}
	if (!t->rate) {
		if (json)
			object_print(r->v, NULL, now);
		else
			columns_print(r->v, NULL, now);
		return COUNTED;
	}
	return print_rates(r, now);
}

static enum outcome print_mark(struct run *r, const pmHighResResult *result)
{
	if (r->v->options->json) {
		object_print_mark(r->v, &result->timestamp);
	} else {
		stamp_print(&result->timestamp, r->v->options->stamp);
		puts("  Archive logging suspended");
	}
	forget_before(r);
	r->last = r->last == FRESH || r->last == RATED ? NOTHING : NO_VALUES;
	columns_forget();
	return COUNTED;
}

/* Takes over the result. */
static enum outcome print_result(struct run *r, pmHighResResult *result)
{
	struct sample now = {result->timestamp, find_values(result, r->v->target->pmid)};
	enum outcome outcome = SKIPPED;

	/*
	 * A mark between the last values and the next is printed, also after the end of the window.
	 */
	if (result->numpmid == 0)
		outcome = print_mark(r, result);
	else if (now.values != NULL)
		outcome =
		    is_after(&now.stamp, &r->v->options->pm.finish) ? END : print_sample(r, &now);
	if (now.values == NULL || outcome == END) {
		pmFreeHighResResult(result);
		return outcome;
	}
	forget_before(r);
	if (now.values->numval > 0)
		r->before = result;
	else
		pmFreeHighResResult(result);
	return outcome;
}

/* Fetches and prints once. Returns an outcome, or an error after reporting it. */
static int step(struct run *r)
{
	bool recorded = r->v->options->recorded != NULL;
	pmID pmid = r->v->target->pmid;
	pmHighResResult *result;
	int sts = recorded ? pmFetchHighResArchive(&result) : pmFetchHighRes(1, &pmid, &result);

	if (sts == PM_ERR_EOL && options_archive(r->v->options))
		return END;
	if (sts < 0) {
		fetch_failed(r, sts);
		return sts;
	}
	return print_result(r, result);
}

static void wait_until(const struct timespec *due)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL) == EINTR)
		continue;
}

/* Waits for the time of the next fetch. Returns false if that is after the end of the window. */
static bool wait_next(struct run *r)
{
	const pmOptions *pm = &r->v->options->pm;
	bool archive = options_archive(r->v->options);

	if (archive && !r->v->options->delay)
		return true;
	sample_add(&r->due, &pm->interval);
	sample_add(&r->due_real, &pm->interval);
	if (!archive && is_after(&r->due_real, &pm->finish))
		return false;
	wait_until(&r->due);
	return true;
}

static int run(struct run *r)
{
	int left = r->v->options->pm.samples;

	while (left != 0) {
		int outcome = step(r);

		if (outcome < 0)
			return outcome;
		if (outcome == END || !output_flush())
			return 0;
		if (outcome == COUNTED && left > 0)
			left--;
		if (left != 0 && outcome != SKIPPED && !wait_next(r))
			return 0;
	}
	return 0;
}

static int set_mode(const struct options *o)
{
	int sts = 0;

	if (options_archive(o))
		sts = o->recorded != NULL
			  ? pmSetModeHighRes(PM_MODE_FORW, &o->pm.origin, NULL)
			  : pmSetModeHighRes(PM_MODE_INTERP, &o->pm.origin, &o->pm.interval);
	if (sts < 0)
		fprintf(stderr, "%s: pmSetMode: %s\n", pmGetProgname(), pmErrStr(sts));
	return sts;
}

int sample_run(const struct view *v)
{
	struct run r = {.v = v};
	int sts = set_mode(v->options);

	if (sts < 0)
		return sts;
	clock_gettime(CLOCK_MONOTONIC, &r.due);
	clock_gettime(CLOCK_REALTIME, &r.due_real);
	sts = run(&r);
	forget_before(&r);
	columns_forget();
	return sts;
}

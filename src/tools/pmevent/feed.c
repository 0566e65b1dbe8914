/*
 * feed - events from a source, fetch by fetch or record by record, to standard output.
 */
#include "tools/pmevent/pmevent.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/libpcp.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"
#include "tools/common/value.h"

/*
 * batch - the events of one fetch, or of one record of an archive. They come from all metrics and
 * instances and are put in the order of their times.
 */

/* The events of one instance of one metric. */
struct batch_part {
	const char *metric;
	const char *instance; /* NULL if the metric has no instances */
	char *owned;          /* the part of the name to be freed, or NULL */
	int inst;
	struct event_records records;
};

/* The place of an event. */
struct batch_item {
	struct timespec stamp;
	size_t part;
	int record;
};

/* An all-zero batch is empty. */
struct batch {
	struct batch_part *parts;
	size_t n, room;
	struct batch_item *items;
	size_t n_items, items_room;
};

static void part_done(const struct batch_part *part)
{
	struct event_records records = part->records;

	event_free(&records);
	free(part->owned);
}

/* Makes room for more elements of an array. Returns false if there is no memory. */
static bool reserve(void **array, size_t *room, size_t n, size_t more, size_t size)
{
	size_t want = *room == 0 ? 16 : *room;
	void *grown;

	while (want < n + more)
		want *= 2;
	if (want == *room)
		return true;
	grown = reallocarray(*array, want, size);
	if (grown == NULL)
		return false;
	*array = grown;
	*room = want;
	return true;
}

/*
 * Takes over a part, whose name and records the batch frees. Returns false if there is no memory.
 */
static bool batch_add(struct batch *b, const struct batch_part *part)
{
	void *parts = b->parts, *items = b->items;
	bool good;

	good = reserve(&parts, &b->room, b->n, 1, sizeof(*b->parts));
	b->parts = parts;
	good = good && reserve(&items, &b->items_room, b->n_items, (size_t)part->records.n,
			       sizeof(*b->items));
	b->items = items;
	if (!good) {
		part_done(part);
		return false;
	}
	for (int i = 0; i < part->records.n; i++) {
		struct event_record e;

		event_record(&part->records, i, &e);
		b->items[b->n_items++] = (struct batch_item){e.stamp, b->n, i};
	}
	b->parts[b->n++] = *part;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct batch_item *p = a, *q = b;

	if (p->stamp.tv_sec != q->stamp.tv_sec)
		return p->stamp.tv_sec < q->stamp.tv_sec ? -1 : 1;
	if (p->stamp.tv_nsec != q->stamp.tv_nsec)
		return p->stamp.tv_nsec < q->stamp.tv_nsec ? -1 : 1;
	if (p->part != q->part)
		return p->part < q->part ? -1 : 1;
	return (p->record > q->record) - (p->record < q->record);
}

/*
 * Calls show for each event, in the order of time; events of the same time stay in the order in
 * which they were added.
 */
static void batch_each(struct batch *b, void (*show)(const struct record *r, void *arg), void *arg)
{
	if (b->n_items > 0)
		qsort(b->items, b->n_items, sizeof(*b->items), by_time);
	for (size_t i = 0; i < b->n_items; i++) {
		const struct batch_part *part = &b->parts[b->items[i].part];
		struct record r = {
		    .metric = part->metric, .instance = part->instance, .inst = part->inst};

		record_read(&r, &part->records, b->items[i].record);
		show(&r, arg);
		record_done(&r);
	}
}

/* Empties the batch. */
static void batch_done(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		part_done(&b->parts[i]);
	free(b->parts);
	free(b->items);
	*b = (struct batch){0};
}

/*
 * A collector is asked at fixed intervals. Every record of an archive is read, since events cannot
 * be interpolated. Problems go to standard error: a metric without values now (logged when that
 * changes), and with -F a collector that has gone and come back.
 */

#define NS_PER_S    1000000000
#define RECONNECT_S 1

struct feed {
	const struct command *command;
	struct metrics metrics;
	struct line line;
	struct batch batch;
	struct timespec due;      /* time of the next fetch, on the monotonic clock */
	struct timespec due_real; /* the same time on the clock of the window */
	int context;
};

static bool is_archive(const struct feed *f)
{
	return f->command->pm.context == PM_CONTEXT_ARCHIVE;
}

static bool is_after(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

static void feed_add(struct timespec *t, const struct timespec *more)
{
	t->tv_sec += more->tv_sec;
	t->tv_nsec += more->tv_nsec;
	if (t->tv_nsec >= NS_PER_S) {
		t->tv_nsec -= NS_PER_S;
		t->tv_sec++;
	}
}

static int feed_failed(const char *what, int sts)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), what, pmErrStr(sts));
	return sts;
}

/* -- values */

/* The name of an instance, or its number if it has no name any more. */
static void take_name(const struct feed *f, pmInDom indom, struct batch_part *part)
{
	const char *name;

	if (is_archive(f)) {
		if (pmNameInDomArchive(indom, part->inst, &part->owned) < 0)
			part->owned = NULL;
	} else if (instance_name(indom, part->inst, &name) >= 0) {
		part->instance = name;
		return;
	}
	if (part->owned == NULL && asprintf(&part->owned, "%d", part->inst) < 0)
		part->owned = NULL;
	part->instance = part->owned != NULL ? part->owned : "?";
}

static void feed_print_record(const struct record *r, void *arg)
{
	const struct feed *f = arg;

	if (!filter_wants(&f->command->filter, r))
		return;
	if (f->command->json)
		json_print(r);
	else
		line_print(&f->line, r);
	if (!is_archive(f))
		output_flush(); /* an interrupted program leaves whole lines */
}

/* Adds the events of one value. Returns 0 or an error. */
static int add_value(struct feed *f, const struct metric *m, const pmValueSet *vset, int i)
{
	struct batch_part part = {.metric = m->name, .inst = vset->vlist[i].inst};
	int n;

	if (m->desc.indom != PM_INDOM_NULL)
		take_name(f, m->desc.indom, &part);
	if (!filter_wants_instance(&f->command->filter, part.instance)) {
		free(part.owned);
		return 0;
	}
	n = event_unpack(vset, i, m->desc.type, &part.records);
	if (!batch_add(&f->batch, &part))
		return -ENOMEM;
	return n < 0 ? n : 0;
}

/* Reports an error of a metric if it differs from the last one. 0: no error. */
static void note_error(struct metric *m, int sts)
{
	if (sts != m->error && sts < 0)
		feed_failed(m->name, sts);
	m->error = sts;
}

static void add_values(struct feed *f, struct metric *m, const pmValueSet *vset)
{
	int error = vset->numval < 0 ? vset->numval : 0;

	for (int i = 0; i < vset->numval; i++) {
		int sts = metrics_wants(m, vset->vlist[i].inst) ? add_value(f, m, vset, i) : 0;

		if (sts < 0)
			error = sts;
	}
	note_error(m, error);
}

/* True if the result has one of our metrics. */
static bool print_result(struct feed *f, const pmHighResResult *result)
{
	bool ours = false;

	instance_forget();
	for (int i = 0; i < result->numpmid; i++) {
		struct metric *m = metrics_by_pmid(&f->metrics, result->vset[i]->pmid);

		if (m == NULL)
			continue;
		add_values(f, m, result->vset[i]);
		ours = true;
	}
	batch_each(&f->batch, feed_print_record, f);
	batch_done(&f->batch);
	return ours;
}

/* -- archives */

static int read_archive(struct feed *f)
{
	const pmOptions *pm = &f->command->pm;
	int left = pm->samples;
	int sts = pmSetModeHighRes(PM_MODE_FORW, &pm->origin, NULL);

	if (sts < 0)
		return feed_failed("pmSetMode", sts);
	while (left != 0) {
		pmHighResResult *result;
		bool end;

		sts = pmFetchHighResArchive(&result);
		if (sts == PM_ERR_EOL)
			return 0;
		if (sts < 0)
			return feed_failed("pmFetchArchive", sts);
		end = is_after(&result->timestamp, &pm->finish);
		if (!end && print_result(f, result) && left > 0)
			left--;
		pmFreeHighResResult(result);
		if (end || !output_flush())
			return 0;
	}
	return 0;
}

/* -- collectors */

static const char *host_of(const struct command *c)
{
	return c->pm.nhosts > 0 ? c->pm.hosts[0] : SOURCE_DEFAULT_HOST;
}

static void restart_clock(struct feed *f)
{
	clock_gettime(CLOCK_MONOTONIC, &f->due);
	clock_gettime(CLOCK_REALTIME, &f->due_real);
}

/* Opens a new connection and looks up the metrics again, because their numbers may have changed. */
static bool connect_again(struct feed *f)
{
	int context = pmNewContext(PM_CONTEXT_HOST, host_of(f->command));
	struct metrics found;

	if (context < 0)
		return false;
	instance_forget();
	event_forget();
	if (metrics_find(&found, f->command, true) < 0) {
		pmDestroyContext(context);
		return false;
	}
	metrics_done(&f->metrics);
	f->metrics = found;
	pmDestroyContext(f->context);
	f->context = context;
	pmUseContext(context);
	return true;
}

/* The collector has gone. Waits until it is back and has our metrics. */
static void reconnect(struct feed *f, int sts)
{
	struct timespec pause = {.tv_sec = RECONNECT_S};

	output_flush();
	fprintf(stderr, "%s: %s is lost: %s; waiting\n", pmGetProgname(), host_of(f->command),
		pmErrStr(sts));
	while (!connect_again(f))
		nanosleep(&pause, NULL);
	fprintf(stderr, "%s: %s is back; what happened in between is not known\n", pmGetProgname(),
		host_of(f->command));
	restart_clock(f);
}

/*
 * True if a metric has a wanted instance. An event metric without new events may have no values, so
 * the instance domain is asked. If it cannot be asked, the instance is assumed to exist.
 */
static bool has_instance(const struct feed *f, const struct metric *m)
{
	int *insts, n;
	char **names;
	bool found = false;

	if (m->desc.indom == PM_INDOM_NULL)
		return true;
	n = pmGetInDom(m->desc.indom, &insts, &names);
	for (int i = 0; i < n && !found; i++)
		found = metrics_wants(m, insts[i]) &&
			filter_wants_instance(&f->command->filter, names[i]);
	if (n > 0) {
		free(insts);
		free(names);
	}
	return found || n < 0;
}

/*
 * Says what the program waits for when nothing of it exists yet, so that silence is not mistaken
 * for a fault.
 */
static void report_waiting(const struct feed *f)
{
	const char *of = f->command->filter.processes.n > 0 ? " of -P" : "";

	for (int i = 0; i < f->metrics.n; i++)
		if (has_instance(f, &f->metrics.list[i]))
			return;
	if (strcmp(f->metrics.list[0].name, METRICS_DEFAULT) == 0)
		fprintf(stderr,
			"%s: waiting: no process%s is traced: %s has no instances; see "
			"pitot-trace(1) and pmdatracing(1)\n",
			pmGetProgname(), of, METRICS_DEFAULT);
	else
		fprintf(stderr, "%s: waiting: %s%s has no instances%s\n", pmGetProgname(),
			f->metrics.list[0].name, f->metrics.n > 1 ? ", as the others," : "", of);
}

/* Waits for the time of the next fetch. Returns false if that is after the end of the window. */
static bool wait_next(struct feed *f)
{
	const pmOptions *pm = &f->command->pm;

	feed_add(&f->due, &pm->interval);
	feed_add(&f->due_real, &pm->interval);
	if (is_after(&f->due_real, &pm->finish))
		return false;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &f->due, NULL) == EINTR)
		continue;
	return true;
}

static int feed_watch(struct feed *f)
{
	int left = f->command->pm.samples;
	bool first = true;

	restart_clock(f);
	while (left != 0) {
		pmHighResResult *result;
		int sts = pmFetchHighRes(f->metrics.n, f->metrics.pmids, &result);

		if (sts < 0 && !f->command->follow)
			return feed_failed("pmFetch", sts);
		if (sts < 0) {
			reconnect(f, sts);
			continue;
		}
		print_result(f, result);
		if (first)
			report_waiting(f);
		first = false;
		pmFreeHighResResult(result);
		if (!output_flush())
			return 0;
		if (left > 0)
			left--;
		if (left != 0 && !wait_next(f))
			return 0;
	}
	return 0;
}

static int open_source(struct feed *f, struct command *c, int argc, char **argv)
{
	f->context = source_open_options(&c->pm, "establish local context");
	if (f->context < 0)
		return f->context;
	if (is_archive(f))
		return 0; /* the window of an archive is known already */
	if (c->pm.context != PM_CONTEXT_LOCAL)
		__pmSetClientIdArgv(argc, argv);
	if (pmGetContextOptions(f->context, &c->pm) < 0) {
		pmflush();
		return PM_ERR_GENERIC;
	}
	return 0;
}

int feed_run(struct command *c, int argc, char **argv)
{
	struct feed f = {.command = c};
	int sts = open_source(&f, c, argc, argv);

	if (sts >= 0)
		sts = metrics_find(&f.metrics, c, false);
	if (sts >= 0) {
		f.line = (struct line){.colours = line_has_colours(),
				       .date = c->date,
				       .metrics = f.metrics.n > 1,
				       .all = c->all};
		sts = is_archive(&f) ? read_archive(&f) : feed_watch(&f);
	}
	metrics_done(&f.metrics);
	instance_forget();
	event_forget();
	return sts < 0 ? 1 : 0;
}

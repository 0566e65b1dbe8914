#include "tools/pmlogreduce/reduce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/progress.h"
#include "tools/archive/stamp.h"
#include "tools/archive/window.h"
#include "tools/pmlogreduce/domains.h"
#include "tools/pmlogreduce/metrics.h"
#include "tools/pmlogreduce/observed.h"
#include "tools/pmlogreduce/options.h"
#include "tools/pmlogreduce/sample.h"
#include "tools/pmlogreduce/source.h"

struct reduction {
	const struct options *o;
	const struct source *source;
	const struct metrics *metrics;
	const struct window *window;
	struct observed observed;
	struct sample sample;
	struct domains domains;
	struct archive_writer *writer;
	pmHighResResult *held;   /* the next record */
	bool ended;              /* there is no next record */
	long written, in_volume; /* number of samples */
};

/* Writes the descriptors of all metrics at the start, also of those that never have a value. */
static int put_desc(struct archive_writer *w, const struct metric *metric)
{
	union meta_body body = {.desc = {.desc = metric->out}};
	AUTO_FREE struct wire_str *list = NULL;
	AUTO_FREE char **names = NULL;
	int n = pmNameAll(metric->in.pmid, &names);

	if (n < 0)
		return n;
	list = calloc((size_t)n + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		list[i] = (struct wire_str){names[i], (uint32_t)strlen(names[i])};
	body.desc.numnames = (uint32_t)n;
	body.desc.names = list;
	return archive_writer_meta(w, META_DESC, &body);
}

static int put_descs(struct reduction *r)
{
	int sts = pmUseContext(r->source->values);

	for (size_t i = 0; i < r->metrics->n && sts >= 0; i++)
		sts = put_desc(r->writer, r->metrics->list[i]);
	return sts;
}

static int put_metadata(struct reduction *r)
{
	const struct sample *s = &r->sample;
	int sts = r->written == 0 ? put_descs(r) : 0;

	for (size_t p = 0; p < r->source->n && sts >= 0; p++) {
		struct metadata *m = r->source->parts[p].metadata;

		sts = metadata_begin(m, r->writer, &s->when);
		for (uint32_t i = 0; i < s->n && sts >= 0; i++)
			sts = metadata_about(m, r->writer, &s->when, s->sets[i]->pmid);
	}
	return sts < 0 ? sts : domains_put(&r->domains, r->writer, s);
}

static int put_sample(struct reduction *r)
{
	int sts = put_metadata(r);

	if (sts >= 0 && r->o->volsamples > 0 && r->in_volume == r->o->volsamples) {
		sts = product_volume(r->writer, &r->sample.when);
		r->in_volume = 0;
	}
	if (sts >= 0)
		sts =
		    archive_writer_result(r->writer, &r->sample.when, r->sample.sets, r->sample.n);
	if (sts >= 0) {
		r->written++;
		r->in_volume++;
	}
	return sts;
}

static int observe_record(struct reduction *r, const pmHighResResult *record)
{
	int sts = 0;

	for (int i = 0; i < record->numpmid && sts >= 0; i++) {
		struct metric *metric = metrics_get(r->metrics, record->vset[i]->pmid);

		if (metric != NULL)
			sts = observed_add(&r->observed, metric, record->vset[i]);
	}
	if (record->numpmid > 0 || sts < 0)
		return sts;
	observed_mark(&r->observed);
	return r->written > 0 ? archive_writer_mark(r->writer, &record->timestamp) : 0;
}

static void release(struct reduction *r)
{
	if (r->held != NULL)
		pmFreeHighResResult(r->held);
	r->held = NULL;
}

/* Reads the next record ahead; at the end there is none. */
static int hold(struct reduction *r)
{
	int sts = pmUseContext(r->source->records);

	if (sts >= 0 && r->held == NULL && !r->ended)
		sts = pmFetchHighResArchive(&r->held);
	if (sts == PM_ERR_EOL)
		r->ended = true;
	return r->ended ? 0 : sts;
}

static void report_progress(const struct reduction *r, const struct timespec *at)
{
	const struct timespec *start = &r->source->label.start;
	double done = stamp_minus(at, start), total = stamp_minus(&r->window->finish, start);

	progress_tick(done > 0 ? (uint64_t)done : 0, total > 0 ? (uint64_t)total : 0);
}

/* Observes all records that are not after the next sample. */
static int observe(struct reduction *r)
{
	int sts;

	while ((sts = hold(r)) >= 0 && r->held != NULL &&
	       stamp_compare(&r->held->timestamp, &r->sample.at) <= 0) {
		report_progress(r, &r->held->timestamp);
		sts = observe_record(r, r->held);
		release(r);
		if (sts < 0)
			break;
	}
	return sts;
}

static int take_samples(struct reduction *r)
{
	int sts = sample_begin(&r->sample, &r->window->start);

	while (sts >= 0 && stamp_compare(&r->sample.when, &r->window->finish) <= 0 &&
	       (r->o->samples == 0 || r->written < r->o->samples)) {
		sts = observe(r);
		if (sts >= 0)
			sts = sample_take(&r->sample);
		if (sts >= 0 && r->sample.n > 0)
			sts = put_sample(r);
		observed_next(&r->observed);
		sample_next(&r->sample);
	}
	return sts == PM_ERR_EOL ? 0 : sts;
}

/* An archive without records cannot be opened, so its files are removed. */
static bool finish(struct reduction *r, int sts)
{
	int end;

	progress_clear();
	if (sts < 0)
		product_report("pmFetch failed", sts);
	if (sts == PM_ERR_LOGREC)
		source_report_damage(r->source);
	if (r->written == 0) {
		if (sts >= 0)
			fprintf(stderr, "%s: Warning: no qualifying records found.\n",
				pmGetProgname());
		product_drop(r->writer);
		fprintf(stderr, "Archive \"%s\" not created.\n", r->o->output);
		return false;
	}
	end = archive_writer_end(r->writer);
	if (end < 0)
		product_report(r->o->output, end);
	return sts >= 0 && end >= 0;
}

static struct log_label new_label(const struct source *source)
{
	struct log_label label = source->label;

	label.start = (struct timespec){0};
	label.pid = getpid();
	return label;
}

bool reduce_run(const struct options *o, const struct source *source, const struct metrics *metrics,
		const struct window *window)
{
	struct log_label label = new_label(source);
	struct reduction r = {.o = o,
			      .source = source,
			      .metrics = metrics,
			      .window = window,
			      .domains = {.source = source, .metrics = metrics}};
	bool ok;

	if (!product_open(o->output, &label, &r.writer))
		return false;
	observed_begin(&r.observed);
	r.sample = (struct sample){
	    .source = source, .metrics = metrics, .observed = &r.observed, .interval = o->interval};
	progress_begin(source->name, false);
	ok = finish(&r, take_samples(&r));
	release(&r);
	sample_end(&r.sample);
	domains_done(&r.domains);
	observed_done(&r.observed);
	return ok;
}

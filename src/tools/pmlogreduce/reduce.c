/*
 * reduce - the pass over the window, which writes the new archive.
 */
#include "tools/pmlogreduce/pmlogreduce.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/window.h"

/*
 * domains - the instance domains for each new record: the last observation, and further instances
 * that the record has values of.
 */

struct domains {
	const struct input *input;
	const struct metrics *metrics;
	struct hash by_indom;
	struct arena mem;  /* memory for the whole run */
	struct arena once; /* memory for one record */
};

struct domain {
	pmInDom indom;
	bool met;  /* in the current record */
	bool more; /* the record written last had instances that were not observed */
	const struct archive_indom *written;
	const struct archive_indom *now; /* NULL: not observed yet */
	struct wire_inst *others;        /* instances that are not in the observation */
	size_t n, room;
};

static void domains_done(struct domains *d)
{
	hash_done(&d->by_indom);
	arena_done(&d->mem);
	arena_done(&d->once);
}

static struct domain *reduce_find_or_add(struct domains *d, pmInDom indom)
{
	struct domain *domain = hash_find(&d->by_indom, hash_u64(indom), NULL, NULL);

	if (domain != NULL)
		return domain;
	domain = arena_calloc(&d->mem, 1, sizeof(*domain));
	if (domain == NULL || hash_add(&d->by_indom, hash_u64(indom), domain) < 0)
		return NULL;
	domain->indom = indom;
	return domain;
}

/* The newest observation in all parts that is not later than the time. */
static int find_observation(const struct input *s, struct domain *domain,
			    const struct timespec *when)
{
	domain->now = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct archive_indom *seen = NULL;
		int sts =
		    archive_meta_indom_at(s->parts[i].recording.meta, domain->indom, when, &seen);

		if (sts < 0 && sts != PM_ERR_INDOM_LOG)
			return sts;
		if (seen != NULL &&
		    (domain->now == NULL || stamp_compare(&seen->stamp, &domain->now->stamp) >= 0))
			domain->now = seen;
	}
	return 0;
}

static bool has_other(const struct domain *domain, int inst)
{
	for (size_t i = 0; i < domain->n; i++)
		if (domain->others[i].inst == inst)
			return true;
	return false;
}

static const struct wire_inst *find_anywhere(const struct input *s, pmInDom indom, int inst)
{
	const struct archive_indom *all;
	const struct wire_inst *found = NULL;

	for (size_t i = s->n; i-- > 0 && found == NULL;) {
		all = NULL;
		if (archive_meta_indom_union(s->parts[i].recording.meta, indom, &all) >= 0 &&
		    all != NULL)
			found = archive_indom_inst(all, inst);
	}
	return found;
}

static int add_other(struct domains *d, struct domain *domain, int inst)
{
	const struct wire_inst *found = find_anywhere(d->input, domain->indom, inst);
	struct wire_inst *more;

	if (found == NULL)
		return 0;
	if (domain->n == domain->room) {
		domain->room = domain->room * 2 + 8;
		more = arena_calloc(&d->once, domain->room, sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		if (domain->n > 0)
			memcpy(more, domain->others, domain->n * sizeof(*more));
		domain->others = more;
	}
	domain->others[domain->n++] = *found;
	return 0;
}

static int note_set(struct domains *d, const struct sample *sample, const pmValueSet *set)
{
	const struct metric *metric = metrics_get(d->metrics, set->pmid);
	struct domain *domain;
	int sts = 0;

	if (set->numval <= 0 || metric->in.indom == PM_INDOM_NULL)
		return 0;
	domain = reduce_find_or_add(d, metric->in.indom);
	if (domain == NULL)
		return -ENOMEM;
	if (!domain->met) {
		domain->n = domain->room = 0;
		domain->met = true;
		sts = find_observation(d->input, domain, &sample->when);
	}
	for (int i = 0; i < set->numval && sts >= 0; i++) {
		int inst = set->vlist[i].inst;

		if ((domain->now == NULL || archive_indom_inst(domain->now, inst) == NULL) &&
		    !has_other(domain, inst))
			sts = add_other(d, domain, inst);
	}
	return sts;
}

static int reduce_by_inst(const void *a, const void *b)
{
	const struct wire_inst *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static int write_one(struct domains *d, struct archive_writer *w, struct domain *domain,
		     const struct timespec *when)
{
	size_t seen = domain->now != NULL ? domain->now->n : 0;
	struct wire_inst *all;
	union meta_body body;

	if (domain->n == 0 && !domain->more && domain->now == domain->written)
		return 0;
	all = arena_calloc(&d->once, seen + domain->n + 1, sizeof(*all));
	if (all == NULL)
		return -ENOMEM;
	if (seen > 0)
		memcpy(all, domain->now->insts, seen * sizeof(*all));
	if (domain->n > 0) {
		memcpy(all + seen, domain->others, domain->n * sizeof(*all));
		qsort(all, seen + domain->n, sizeof(*all), reduce_by_inst);
	}
	domain->written = domain->now;
	domain->more = domain->n > 0;
	body.indom = (struct meta_indom){.stamp = *when,
					 .indom = domain->indom,
					 .numinst = (uint32_t)(seen + domain->n),
					 .insts = all};
	return archive_writer_meta(w, META_INDOM, &body);
}

/* Writes the domains before the record of a sample. Returns 0 or an error. */
static int domains_put(struct domains *d, struct archive_writer *w, const struct sample *sample)
{
	struct domain *domain;
	size_t pos = 0;
	int sts = 0;

	arena_reset(&d->once);
	for (uint32_t i = 0; i < sample->n && sts >= 0; i++)
		sts = note_set(d, sample, sample->sets[i]);
	while (sts >= 0 && (domain = hash_next(&d->by_indom, &pos)) != NULL) {
		if (domain->met)
			sts = write_one(d, w, domain, &sample->when);
		domain->met = false;
	}
	return sts;
}

/*
 * The pass
 */

struct reduction {
	const struct options *o;
	const struct input *input;
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
static int reduce_put_desc(struct archive_writer *w, const struct metric *metric)
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
	int sts = pmUseContext(r->input->values);

	for (size_t i = 0; i < r->metrics->n && sts >= 0; i++)
		sts = reduce_put_desc(r->writer, r->metrics->list[i]);
	return sts;
}

static int put_metadata(struct reduction *r)
{
	const struct sample *s = &r->sample;
	int sts = r->written == 0 ? put_descs(r) : 0;

	for (size_t p = 0; p < r->input->n && sts >= 0; p++) {
		struct metadata *m = r->input->parts[p].metadata;

		sts = metadata_begin(m, r->writer, &s->when);
		for (uint32_t i = 0; i < s->n && sts >= 0; i++)
			sts = metadata_about(m, r->writer, &s->when, s->sets[i]->pmid);
	}
	return sts < 0 ? sts : domains_put(&r->domains, r->writer, s);
}

static int reduce_put_sample(struct reduction *r)
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
static int reduce_hold(struct reduction *r)
{
	int sts = pmUseContext(r->input->records);

	if (sts >= 0 && r->held == NULL && !r->ended)
		sts = pmFetchHighResArchive(&r->held);
	if (sts == PM_ERR_EOL)
		r->ended = true;
	return r->ended ? 0 : sts;
}

static void report_progress(const struct reduction *r, const struct timespec *at)
{
	const struct timespec *start = &r->input->label.start;
	double done = stamp_minus(at, start), total = stamp_minus(&r->window->finish, start);

	progress_tick(done > 0 ? (uint64_t)done : 0, total > 0 ? (uint64_t)total : 0);
}

/* Observes all records that are not after the next sample. */
static int observe(struct reduction *r)
{
	int sts;

	while ((sts = reduce_hold(r)) >= 0 && r->held != NULL &&
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
			sts = reduce_put_sample(r);
		observed_next(&r->observed);
		sample_next(&r->sample);
	}
	return sts == PM_ERR_EOL ? 0 : sts;
}

/* An archive without records cannot be opened, so its files are removed. */
static bool reduce_finish(struct reduction *r, int sts)
{
	int end;

	progress_clear();
	if (sts < 0)
		product_report("pmFetch failed", sts);
	if (sts == PM_ERR_LOGREC)
		input_report_damage(r->input);
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

static struct log_label new_label(const struct input *input)
{
	struct log_label label = input->label;

	label.start = (struct timespec){0};
	label.pid = getpid();
	return label;
}

bool reduce_run(const struct options *o, const struct input *input, const struct metrics *metrics,
		const struct window *window)
{
	struct log_label label = new_label(input);
	struct reduction r = {.o = o,
			      .input = input,
			      .metrics = metrics,
			      .window = window,
			      .domains = {.input = input, .metrics = metrics}};
	bool ok;

	if (!product_open(o->output, &label, &r.writer))
		return false;
	observed_begin(&r.observed);
	r.sample = (struct sample){
	    .input = input, .metrics = metrics, .observed = &r.observed, .interval = o->interval};
	progress_begin(input->name, false);
	ok = reduce_finish(&r, take_samples(&r));
	release(&r);
	sample_end(&r.sample);
	domains_done(&r.domains);
	observed_done(&r.observed);
	return ok;
}

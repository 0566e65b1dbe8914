#include "tools/pmlogreduce/domains.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "tools/archive/stamp.h"
#include "tools/pmlogreduce/metrics.h"
#include "tools/pmlogreduce/sample.h"
#include "tools/pmlogreduce/source.h"

struct domain {
	pmInDom indom;
	bool met;  /* in the current record */
	bool more; /* the record written last had instances that were not observed */
	const struct archive_indom *written;
	const struct archive_indom *now; /* NULL: not observed yet */
	struct wire_inst *others;        /* instances that are not in the observation */
	size_t n, room;
};

void domains_done(struct domains *d)
{
	hash_done(&d->by_indom);
	arena_done(&d->mem);
	arena_done(&d->once);
}

static struct domain *find_or_add(struct domains *d, pmInDom indom)
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
static int find_observation(const struct source *s, struct domain *domain,
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

static const struct wire_inst *find_anywhere(const struct source *s, pmInDom indom, int inst)
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
	const struct wire_inst *found = find_anywhere(d->source, domain->indom, inst);
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
	domain = find_or_add(d, metric->in.indom);
	if (domain == NULL)
		return -ENOMEM;
	if (!domain->met) {
		domain->n = domain->room = 0;
		domain->met = true;
		sts = find_observation(d->source, domain, &sample->when);
	}
	for (int i = 0; i < set->numval && sts >= 0; i++) {
		int inst = set->vlist[i].inst;

		if ((domain->now == NULL || archive_indom_inst(domain->now, inst) == NULL) &&
		    !has_other(domain, inst))
			sts = add_other(d, domain, inst);
	}
	return sts;
}

static int by_inst(const void *a, const void *b)
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
		qsort(all, seen + domain->n, sizeof(*all), by_inst);
	}
	domain->written = domain->now;
	domain->more = domain->n > 0;
	body.indom = (struct meta_indom){.stamp = *when,
					 .indom = domain->indom,
					 .numinst = (uint32_t)(seen + domain->n),
					 .insts = all};
	return archive_writer_meta(w, META_INDOM, &body);
}

int domains_put(struct domains *d, struct archive_writer *w, const struct sample *sample)
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

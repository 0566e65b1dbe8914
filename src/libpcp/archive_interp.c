/* archive_interp - see archive_interp.h. */
#include "libpcp/archive_interp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/hash.h"
#include "libbase/timespec.h"
#include "libpcp/archive_ops.h"
#include "libpcp/archive_search.h"
#include "libpcp/archive_track.h"
#include "libpcp/archive_value.h"
#include "libpcp/event.h"
#include "libpcp/inst_filter.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"

/* A time up to this many seconds beyond an end of the archives counts as the end. */
#define SLACK 0.001

struct archive_interp {
	struct archive_search search;
	struct hash by_pmid;       /* of struct archive_track */
	unsigned int grown;        /* as archive_set_grown was when they were made */
	double end;                /* of the archives, as far as is known */
	bool wrap;                 /* counters that fall have wrapped */
	unsigned int want_changes; /* of the list in search */
	/* Whether there is a mark between two times, the last ones asked for. */
	struct timespec mark_from, mark_to;
	bool marked;
	/* Where the values of each are; counts are in want. */
	struct interp_value *values;
	size_t nvalues;
	size_t cap;
};

/* State */

static void forget_tracks(struct archive_interp *ip)
{
	struct archive_track *m;
	size_t pos = 0;

	while ((m = hash_next(&ip->by_pmid, &pos)) != NULL)
		archive_track_free(m);
	hash_done(&ip->by_pmid);
	ip->by_pmid = HASH_INIT;
}

void archive_interp_free(struct archive_interp *ip)
{
	if (ip == NULL)
		return;
	forget_tracks(ip);
	free(ip->search.list);
	free(ip->values);
	free(ip);
}

void archive_interp_moved(struct archive_interp *ip)
{
	struct archive_track *m;
	size_t pos = 0;

	while (ip != NULL && (m = hash_next(&ip->by_pmid, &pos)) != NULL)
		m->fetched = false;
}

static bool is_of(const void *entry, const void *pmid)
{
	return ((const struct archive_track *)entry)->desc.pmid == *(const pmID *)pmid;
}

/* NULL in *ret_track for a metric that the archives don't know. */
static int get_track(struct archive_source *a, pmID pmid, struct archive_track **ret_track)
{
	struct archive_interp *ip = a->interp;
	struct archive_meta *meta = archive_set_meta(a->set);
	const struct archive_metric *metric;
	int r;

	*ret_track = hash_find(&ip->by_pmid, hash_u64(pmid), is_of, &pmid);
	if (*ret_track != NULL)
		return 0;
	metric = archive_meta_metric(meta, pmid);
	if (metric == NULL)
		return 0;
	r = archive_track_new(meta, &metric->desc, &ip->search.base, ret_track);
	if (r < 0)
		return r;
	r = hash_add(&ip->by_pmid, hash_u64(pmid), *ret_track);
	if (r < 0)
		archive_track_free(*ret_track);
	return r;
}

static int make_list(struct archive_source *a)
{
	struct archive_interp *ip = a->interp;
	struct archive_track **list = realloc(ip->search.list, a->want.n * sizeof(list[0]));
	int r = 0;

	if (list == NULL)
		return -ENOMEM;
	ip->search.list = list;
	for (size_t i = 0; i < a->want.n && r == 0; i++)
		r = get_track(a, a->want.pmids[i], &list[i]);
	return r;
}

/* Tracks of all metrics that are wanted. */
static int prepare(struct archive_source *a)
{
	struct archive_interp *ip = a->interp;
	int r;

	if (ip == NULL) {
		ip = calloc(1, sizeof(*ip));
		if (ip == NULL)
			return -ENOMEM;
		a->interp = ip;
		ip->search.base = archive_set_first_label(a->set)->start;
		ip->end = -INFINITY;
		ip->grown = archive_set_grown(a->set);
	}
	if (ip->grown != archive_set_grown(a->set)) {
		ip->grown = archive_set_grown(a->set);
		ip->want_changes = 0;
		forget_tracks(ip);
	}
	if (ip->want_changes == a->want.changes)
		return 0;
	ip->want_changes = 0;
	r = make_list(a);
	if (r == 0)
		ip->want_changes = a->want.changes;
	return r;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* A value of one instance at t: true if there is one. */
static bool value_at(const struct archive_interp *ip, const struct archive_track *m,
		     const struct track *track, double t, struct interp_value *ret_value)
{
	const struct bound *prior = &track->prior;
	const struct bound *next = &track->next;

	if (prior->kind != BOUND_VALUE || t < track->birth || t > track->death)
		return false;
	if (m->desc.sem != PM_SEM_DISCRETE && prior->t != t && next->kind != BOUND_VALUE)
		return false;
	ret_value->inst = track->inst;
	if (!m->numeric)
		ret_value->block = prior->block;
	else if (m->desc.sem != PM_SEM_COUNTER || prior->t == t)
		ret_value->number = prior->number;
	else
		ret_value->number = interpolate(
		    m->desc.type, &(struct interp_way){t - prior->t, next->t - prior->t, ip->wrap},
		    &prior->number, &next->number);
	return true;
}

static int interp_make_room(struct archive_interp *ip, size_t n)
{
	size_t cap = ip->nvalues + n;
	struct interp_value *values;

	if (cap <= ip->cap)
		return 0;
	cap += cap / 2;
	values = realloc(ip->values, cap * sizeof(values[0]));
	if (values == NULL)
		return -ENOMEM;
	ip->values = values;
	ip->cap = cap;
	return 0;
}

/* A counter has no value across a mark: its rate would be wrong. */
static bool is_behind_mark(struct archive_source *a, const struct archive_track *m)
{
	struct archive_interp *ip = a->interp;

	if (m->desc.sem != PM_SEM_COUNTER || !m->fetched || m->last_count == 0)
		return false;
	/* Metrics fetched together usually have the same last time: one search serves them all. */
	if (timespec_compare(&ip->mark_from, &m->last) != 0 ||
	    timespec_compare(&ip->mark_to, &a->origin) != 0) {
		bool back = timespec_compare(&m->last, &a->origin) > 0;

		ip->mark_from = m->last;
		ip->mark_to = a->origin;
		ip->marked =
		    archive_marks_between(&ip->search.marks, a->set, back ? &a->origin : &m->last,
					  back ? &m->last : &a->origin) != 0;
	}
	return ip->marked;
}

/* Appends the values of one metric. Their number, or an error. */
static int add_values(struct context *ctx, struct archive_track *m, double t)
{
	struct archive_source *a = archive_source_of(ctx);
	struct archive_interp *ip = a->interp;
	struct inst_filter filter = inst_filter_of(&ctx->profile, m->desc.indom);
	size_t before = ip->nvalues;
	int r = interp_make_room(ip, m->n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < m->n; i++) {
		const struct track *track = &m->tracks[i];

		if (m->desc.indom != PM_INDOM_NULL && !inst_filter_wants(&filter, track->inst))
			continue;
		if (value_at(ip, m, track, t, &ip->values[ip->nvalues]))
			ip->nvalues++;
	}
	if (ip->nvalues > before && is_behind_mark(a, m))
		ip->nvalues = before;
	m->fetched = true;
	m->last = a->origin;
	m->last_count = ip->nvalues - before;
	if (m->last_count > 0 && m->desc.sem == PM_SEM_COUNTER && !m->numeric) {
		ip->nvalues = before;
		return PM_ERR_TYPE;
	}
	return (int)m->last_count;
}

/* Metrics that have no values anywhere. */
static bool is_nothing(pmID pmid)
{
	return pmid == PM_ID_NULL || special_by_pmid(pmid) != NULL;
}

static int add_all(struct context *ctx, double t)
{
	struct archive_source *a = archive_source_of(ctx);

	a->interp->nvalues = 0;
	for (size_t i = 0; i < a->want.n; i++) {
		struct archive_track *m = a->interp->search.list[i];
		int n;

		if (archive_want_first(&a->want, i) != i)
			continue;
		if (m != NULL && m->desc.type != PM_TYPE_NOSUPPORT)
			n = add_values(ctx, m, t);
		else
			n = is_nothing(a->want.pmids[i]) ? 0 : PM_ERR_PMID_LOG;
		if (n == -ENOMEM)
			return n;
		a->want.counts[i] = n;
	}
	return 0;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* The values of each metric of the request: a metric that is requested twice is returned twice. */
static int interp_make_result(struct archive_source *a, pmHighResResult **ret_result)
{
	const struct interp_value *values = a->interp->values;
	struct interp_part *parts = malloc(a->want.n * sizeof(parts[0]));
	int r;

	if (parts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < a->want.n; i++) {
		size_t first = archive_want_first(&a->want, i);
		int n = a->want.counts[i];

		if (first != i) {
			parts[i] = parts[first];
			continue;
		}
		parts[i] =
		    (struct interp_part){a->want.pmids[i], a->interp->search.list[i], values, n};
		if (n > 0)
			values += n;
	}
	r = archive_interp_result(&a->origin, parts, a->want.n, ret_result);
	free(parts);
	return r;
}

/* ---- The fetch ------------------------------------------------------------------------------ */

/* The archives may have grown since their end was looked at. 0, PM_ERR_EOL. */
static int check_time(struct archive_source *a, double t)
{
	struct archive_interp *ip = a->interp;
	struct archive_track *m;
	struct timespec end;
	double before = ip->end;
	size_t pos = 0;
	int r;

	if (t < -SLACK)
		return PM_ERR_EOL;
	if (t <= before + SLACK)
		return 0;
	r = archive_set_end(a->set, &end);
	if (r < 0)
		return r;
	ip->end = timespec_since(&end, &ip->search.base);
	while (ip->end > before && (m = hash_next(&ip->by_pmid, &pos)) != NULL)
		archive_track_grown(m, before);
	return t > ip->end + SLACK ? PM_ERR_EOL : 0;
}

static int interp_fetch(struct context *ctx, pmHighResResult **ret_result)
{
	struct archive_source *a = archive_source_of(ctx);
	double t;
	int r = prepare(a);

	if (r < 0)
		return r;
	a->interp->wrap = a->wrap || getenv("PCP_COUNTER_WRAP") != NULL;
	t = timespec_since(&a->origin, &a->interp->search.base);
	r = check_time(a, t);
	if (r == 0)
		r = archive_search_bounds(&a->interp->search, ctx, t);
	if (r == 0)
		r = add_all(ctx, t);
	return r < 0 ? r : interp_make_result(a, ret_result);
}

int archive_interp_fetch(struct context *ctx, size_t n, const pmID *pmids,
			 pmHighResResult **ret_result)
{
	struct archive_source *a = archive_source_of(ctx);
	int r = interp_fetch(ctx, ret_result);

	a->origin = timespec_add(&a->origin, &a->delta);
	return r;
}

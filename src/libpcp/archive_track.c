/* archive_track - see archive_track.h. */
#include "libpcp/archive_track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdisk/result_view.h"
#include "libbase/timespec.h"
#include "libstore/archive_meta.h"
#include "libvalue/value_block.h"

/* Lifetimes are looked up for domains of at least this size. */
enum { LIFETIME_MIN = 16 };

/* ---- Bounds --------------------------------------------------------------------------------- */

static void bound_clear(const struct archive_track *m, struct bound *bound)
{
	if (bound->kind == BOUND_VALUE && !m->numeric)
		free(bound->block);
	bound->kind = BOUND_UNKNOWN;
}

/* Nothing is known: the range of known times is empty. */
static void forget_track(const struct archive_track *m, struct track *track)
{
	bound_clear(m, &track->prior);
	bound_clear(m, &track->next);
	track->prior.t = INFINITY;
	track->next.t = -INFINITY;
	track->open = false;
}

void archive_track_forget(struct archive_track *m)
{
	for (size_t i = 0; i < m->n; i++)
		forget_track(m, &m->tracks[i]);
	m->open = 0;
}

/* ---- Instances ------------------------------------------------------------------------------ */

static bool has_lifetimes(const struct archive_indom *const *all, int n)
{
	for (int i = 0; i < n; i++) {
		if (all[i]->n >= LIFETIME_MIN)
			return true;
	}
	return false;
}

/* Both lists ascend. */
static void see_observation(struct archive_track *m, const struct archive_indom *indom, double t,
			    double end)
{
	size_t i = 0;

	for (size_t k = 0; k < indom->n; k++) {
		while (i < m->n && m->tracks[i].inst < indom->insts[k].inst)
			i++;
		if (i == m->n)
			return;
		if (m->tracks[i].inst != indom->insts[k].inst)
			continue;
		if (m->tracks[i].birth > t)
			m->tracks[i].birth = t;
		m->tracks[i].death = end;
	}
}

/* From the first observation with an instance to the one after the last. */
static int find_lifetimes(struct archive_track *m, struct archive_meta *meta,
			  const struct timespec *base)
{
	const struct archive_indom *const *all = NULL;
	int n = archive_meta_indom(meta, m->desc.indom, &all);

	if (n < 0)
		return n;
	if (!has_lifetimes(all, n))
		return 0;
	for (size_t i = 0; i < m->n; i++)
		m->tracks[i].birth = INFINITY;
	for (int i = 0; i < n; i++)
		see_observation(m, all[i], timespec_since(&all[i]->stamp, base),
				i + 1 < n ? timespec_since(&all[i + 1]->stamp, base) : INFINITY);
	return 0;
}

static int make_tracks(struct archive_track *m, const struct wire_inst *insts, size_t n)
{
	m->tracks = calloc(n + 1, sizeof(m->tracks[0]));
	if (m->tracks == NULL)
		return -ENOMEM;
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		m->tracks[i].inst = insts[i].inst;
		m->tracks[i].birth = -INFINITY;
		m->tracks[i].death = INFINITY;
	}
	archive_track_forget(m);
	return 0;
}

static int find_instances(struct archive_track *m, struct archive_meta *meta,
			  const struct timespec *base)
{
	const struct wire_inst singular = {.inst = (int32_t)PM_IN_NULL};
	const struct archive_indom *all = NULL;
	int r;

	if (m->desc.indom == PM_INDOM_NULL)
		return make_tracks(m, &singular, 1);
	r = archive_meta_indom_union(meta, m->desc.indom, &all);
	if (r < 0 && r != PM_ERR_INDOM_LOG)
		return r;
	if (r < 0 || all == NULL)
		return make_tracks(m, NULL, 0);
	r = make_tracks(m, all->insts, all->n);
	return r < 0 ? r : find_lifetimes(m, meta, base);
}

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

int archive_track_new(struct archive_meta *meta, const pmDesc *desc, const struct timespec *base,
		      struct archive_track **ret_track)
{
	struct archive_track *m = calloc(1, sizeof(*m));
	int r;

	if (m == NULL)
		return -ENOMEM;
	m->desc = *desc;
	m->numeric = is_number(desc->type);
	r = find_instances(m, meta, base);
	if (r < 0) {
		archive_track_free(m);
		return r;
	}
	*ret_track = m;
	return 0;
}

void archive_track_free(struct archive_track *m)
{
	if (m == NULL)
		return;
	archive_track_forget(m);
	free(m->tracks);
	free(m);
}

/* Searching */

static void open_track(struct archive_track *m, struct track *track)
{
	track->open = true;
	m->open++;
}

/* The next value is reached: it is the prior value from now on. */
static void shift(const struct archive_track *m, struct track *track)
{
	double t = track->next.t;

	if (track->next.kind == BOUND_VALUE || track->next.kind == BOUND_MARK) {
		bound_clear(m, &track->prior);
		track->prior = track->next;
	}
	track->next = (struct bound){.kind = BOUND_UNKNOWN, .t = t};
}

bool archive_track_open_back(struct archive_track *m, struct track *track, double t, double *floor)
{
	bool known = track->prior.t <= track->next.t;

	if (known && t >= track->prior.t && t < track->next.t)
		return false;
	if (!known || t < track->prior.t)
		forget_track(m, track);
	else
		shift(m, track);
	if (t == track->next.t)
		return false;
	if (*floor > track->next.t)
		*floor = track->next.t;
	track->next = (struct bound){.kind = BOUND_UNKNOWN, .t = t};
	open_track(m, track);
	return true;
}

bool archive_track_open_forward(struct archive_track *m, struct track *track, double t)
{
	if (m->desc.sem == PM_SEM_DISCRETE || track->next.kind != BOUND_UNKNOWN ||
	    track->prior.kind != BOUND_VALUE || track->prior.t == t)
		return false;
	open_track(m, track);
	return true;
}

/* Visiting records */

/* Old archives have numbers whose block has another type: its length decides. */
static bool get_number(const struct wire_value *value, int type, pmAtomValue *ret_atom)
{
	bool is_long = type == PM_TYPE_64 || type == PM_TYPE_U64 || type == PM_TYPE_DOUBLE;

	if (wire_value_number(value, type, ret_atom) == 0)
		return true;
	if (!is_long || value->block_len != VALUE_BLOCK_64)
		return false;
	ret_atom->ull = load_be64(value->block + VALUE_BLOCK_HEADER);
	return true;
}

/* 1, 0 for something that is not a value of the metric's type, -ENOMEM, PM_ERR_LOGREC. */
static int hold_value(struct archive_track *m, const struct wire_value *value, struct bound *bound)
{
	struct held_block *block;

	if (m->numeric) {
		m->in_place = value->block_len == 0;
		return get_number(value, m->desc.type, &bound->number);
	}
	if (value->block_len == 0)
		return 0;
	if (!value_block_valid_wire(value->block, value->block_len))
		return PM_ERR_LOGREC;
	block = malloc(sizeof(*block) + value->block_len);
	if (block == NULL)
		return -ENOMEM;
	block->len = value->block_len;
	memcpy(block->bytes, value->block, value->block_len);
	bound->block = block;
	return 1;
}

/* The track's new bound; the search of it is over. */
static void close_track(struct archive_track *m, struct track *track, const struct bound *bound,
			bool back)
{
	struct bound *old = back ? &track->prior : &track->next;

	bound_clear(m, old);
	*old = *bound;
	track->open = false;
	m->open--;
}

static struct track *find_track(struct archive_track *m, int inst)
{
	size_t from = 0;
	size_t to = m->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (m->tracks[mid].inst == inst)
			return &m->tracks[mid];
		if (m->tracks[mid].inst < inst)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

int archive_track_see(struct archive_track *m, const struct result_view *view,
		      const struct vset_view *set, double rt, bool back)
{
	bool singular = m->desc.indom == PM_INDOM_NULL;
	struct track *end = m->tracks + m->n;
	struct track *at = m->tracks;

	for (int32_t i = 0; i < set->numval && m->open > 0; i++) {
		/* Old archives have singular metrics with another instance than -1. */
		int inst = singular ? m->tracks[0].inst : vset_view_inst(set, i);
		struct bound bound = {.kind = BOUND_VALUE, .t = rt};
		struct wire_value value;
		int r;

		/* Sets mostly are in order, and have all instances. */
		if (at == end || at->inst != inst)
			at = find_track(m, inst);
		if (at == NULL) {
			at = end;
			continue;
		}
		if (at->open) {
			r = vset_view_value(view, set, i, &value);
			if (r == 0)
				r = hold_value(m, &value, &bound);
			if (r < 0)
				return r;
			if (r > 0)
				close_track(m, at, &bound, back);
		}
		at++;
	}
	return 0;
}

void archive_track_see_mark(struct archive_track *m, double rt, bool back)
{
	const struct bound mark = {.kind = BOUND_MARK, .t = rt};

	for (size_t i = 0; i < m->n && m->open > 0; i++) {
		if (m->tracks[i].open)
			close_track(m, &m->tracks[i], &mark, back);
	}
}

/* No record is left in this direction: open tracks have no next, or no prior value. */
void archive_track_see_end(struct archive_track *m, double t, bool back)
{
	for (size_t i = 0; i < m->n && m->open > 0; i++) {
		struct track *track = &m->tracks[i];

		if (!track->open)
			continue;
		track->open = false;
		m->open--;
		if (!back)
			track->next = (struct bound){.kind = BOUND_NONE, .t = INFINITY};
		else if (track->prior.kind == BOUND_UNKNOWN)
			track->prior = (struct bound){.kind = BOUND_NONE, .t = -INFINITY};
	}
}

void archive_track_grown(struct archive_track *m, double end)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->tracks[i].next.kind == BOUND_NONE)
			m->tracks[i].next = (struct bound){.kind = BOUND_UNKNOWN, .t = end};
	}
}

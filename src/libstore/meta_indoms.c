/*
 * meta_indoms - instance domains over time, and all instances that one ever had.
 *
 * Frames wait in the order of their time. Decoding goes on where it stopped, a source at a time as
 * they come: a full record is a list of its own, a delta is applied to the last list of its source.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libbase/timespec.h"
#include "libdisk/meta.h"
#include "libstore/archive_meta_inner.h"

enum { AGAIN_LOOKS = 16 }; /* observations of one moment that are compared */

static struct meta_indom_log *log_find(const struct archive_meta *meta, pmInDom indom)
{
	return hash_find(&meta->indoms, hash_u64(indom), NULL, NULL);
}

static int log_new(struct archive_meta *meta, pmInDom indom, struct meta_indom_log **ret_log)
{
	AUTO_FREE struct meta_indom_log *log = calloc(1, sizeof(*log));
	void *array = meta->indom_ids;
	int r = meta_grow(&array, meta->nindoms, &meta->indoms_cap, sizeof(*meta->indom_ids));

	meta->indom_ids = array;
	if (r < 0 || log == NULL || hash_add(&meta->indoms, hash_u64(indom), log) < 0)
		return -ENOMEM;
	log->indom = indom;
	meta->indom_ids[meta->nindoms++] = indom;
	*ret_log = TAKE(log);
	return 0;
}

int meta_indoms_add(struct archive_meta *meta, pmInDom indom, const struct meta_frame *frame)
{
	struct meta_indom_log *log = log_find(meta, indom);
	int r = log != NULL ? 0 : log_new(meta, indom, &log);

	return r < 0 ? r : meta_frames_add(&log->frames, frame);
}

static int indoms_by_id(const void *a, const void *b)
{
	pmInDom x = *(const pmInDom *)a, y = *(const pmInDom *)b;

	return x < y ? -1 : x > y;
}

void meta_indoms_sort(struct archive_meta *meta)
{
	if (meta->nindoms > 0)
		qsort(meta->indom_ids, meta->nindoms, sizeof(*meta->indom_ids), indoms_by_id);
}

static void log_free(struct meta_indom_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		meta_observation_done((struct meta_observation *)(uintptr_t)log->observations[i]);
	meta_observation_done(log->all);
	free(log->observations);
	free(log->newest);
	free(log->frames.frames);
	free(log);
}

void meta_indoms_done(struct archive_meta *meta)
{
	struct meta_indom_log *log;
	size_t pos = 0;

	while ((log = hash_next(&meta->indoms, &pos)) != NULL)
		log_free(log);
	hash_done(&meta->indoms);
	free(meta->indom_ids);
}

size_t archive_meta_indoms(const struct archive_meta *meta, const pmInDom **ret_indoms)
{
	*ret_indoms = meta->indom_ids;
	return meta->nindoms;
}

/* The place of a source's newest list; the last source is looked at first. NULL if it has none. */
static struct meta_newest *newest_of(const struct meta_indom_log *log, int source)
{
	for (size_t i = log->nnewest; i > 0; i--) {
		if (log->newest[i - 1].source == source)
			return &log->newest[i - 1];
	}
	return NULL;
}

static int newest_set(struct meta_indom_log *log, const struct archive_indom *indom)
{
	struct meta_newest *newest = newest_of(log, indom->source);
	void *array = log->newest;
	int r;

	if (newest == NULL) {
		r = meta_grow(&array, log->nnewest, &log->newest_cap, sizeof(*newest));
		log->newest = array;
		if (r < 0)
			return r;
		newest = &log->newest[log->nnewest++];
		newest->source = indom->source;
	}
	newest->indom = indom;
	return 0;
}

/* A full list, decoded into place; put in order where an old writer did not. */
static int list_full(struct archive_meta *meta, const struct meta_frame *frame,
		     struct archive_indom *indom)
{
	union meta_body body;
	enum meta_type type;
	struct wire_inst *insts;
	int r = meta_decode(frame->bytes, frame->len, &meta->mem, &type, &body);

	if (r < 0)
		return r;
	insts = (struct wire_inst *)(uintptr_t)body.indom.insts;
	indom->n = body.indom.numinst;
	if (!indom_sorted(insts, indom->n))
		indom->n = meta_insts_sort(insts, indom->n);
	indom->insts = insts;
	return 0;
}

static int list_delta(struct archive_meta *meta, const struct meta_frame *frame,
		      const struct archive_indom *old, struct archive_indom *indom)
{
	union meta_body body;
	enum meta_type type;
	struct wire_inst *now, *kept;
	size_t n;
	int r;

	arena_reset(&meta->scratch);
	r = meta_decode(frame->bytes, frame->len, &meta->scratch, &type, &body);
	if (r < 0)
		return r;
	now = arena_alloc(&meta->scratch, (old->n + body.indom.numinst) * sizeof(*now));
	if (now == NULL)
		return -ENOMEM;
	r = indom_apply(old->insts, old->n, body.indom.insts, body.indom.numinst, now, &n);
	if (r < 0)
		return r;
	kept = arena_alloc(&meta->mem, n * sizeof(*kept));
	if (kept == NULL)
		return -ENOMEM;
	memcpy(kept, now, n * sizeof(*kept));
	indom->insts = kept;
	indom->n = n;
	indom->delta = true;
	return 0;
}

static bool is_delta(const struct meta_frame *frame)
{
	return load_be32(frame->bytes + 4) == META_INDOM_DELTA;
}

/* The number of instances of a record, before it is decoded. */
static uint32_t frame_numinst(const struct meta_frame *frame)
{
	bool v2 = load_be32(frame->bytes + 4) == META_INDOM_V2;

	return load_be32(frame->bytes + (v2 ? 20 : 24));
}

bool archive_indom_same(const struct archive_indom *a, const struct archive_indom *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct wire_inst *x = &a->insts[i], *y = &b->insts[i];

		if (x->inst != y->inst || x->name.len != y->name.len ||
		    memcmp(x->name.s, y->name.s, x->name.len) != 0)
			return false;
	}
	return true;
}

static int log_append(struct meta_indom_log *log, struct meta_observation *o)
{
	void *array = log->observations;
	int r = meta_grow(&array, log->n, &log->cap, sizeof(*log->observations));

	log->observations = array;
	if (r == 0)
		r = newest_set(log, &o->indom);
	if (r < 0)
		return r;
	o->seq = log->decoded;
	log->observations[log->n++] = &o->indom;
	return 0;
}

static int frame_decode(struct archive_meta *meta, struct meta_indom_log *log,
			const struct meta_frame *frame)
{
	const struct meta_newest *old = newest_of(log, frame->source);
	struct meta_observation *o;
	int r;

	if (frame_numinst(frame) == 0)
		return 0; /* changes nothing */
	if (is_delta(frame) && old == NULL)
		return PM_ERR_LOGREC;
	o = arena_calloc(&meta->mem, 1, sizeof(*o));
	if (o == NULL)
		return -ENOMEM;
	o->indom.stamp = frame->stamp;
	o->indom.indom = log->indom;
	o->indom.source = frame->source;
	r = is_delta(frame) ? list_delta(meta, frame, old->indom, &o->indom)
			    : list_full(meta, frame, &o->indom);
	return r < 0 ? r : log_append(log, o);
}

static int by_time(const void *a, const void *b)
{
	const struct meta_observation *x = *(const struct meta_observation *const *)a;
	const struct meta_observation *y = *(const struct meta_observation *const *)b;
	int c = timespec_compare(&x->indom.stamp, &y->indom.stamp);

	return c != 0 ? c : x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Ascending in time; they nearly always are. */
static void log_sort(struct meta_indom_log *log)
{
	for (size_t i = 1; i < log->n; i++) {
		if (timespec_compare(&log->observations[i - 1]->stamp,
				     &log->observations[i]->stamp) > 0) {
			qsort(log->observations, log->n, sizeof(*log->observations), by_time);
			return;
		}
	}
}

/*
 * The observation that now repeats: the same list at the same moment (of the last few), or right
 * before it by another archive. Its place among the n before now; n if there is none.
 */
static size_t find_again(const struct archive_indom *const *before, size_t n,
			 const struct archive_indom *now)
{
	for (size_t i = n; i > 0 && n - i < AGAIN_LOOKS; i--) {
		const struct archive_indom *one = before[i - 1];
		bool moment = timespec_compare(&one->stamp, &now->stamp) == 0;

		if ((moment || (i == n && one->source != now->source)) &&
		    archive_indom_same(one, now))
			return i - 1;
		if (!moment)
			break;
	}
	return n;
}

/* Takes out what is said again: of one moment the last stays, of two archives the first. */
static void log_unite(struct meta_indom_log *log)
{
	const struct archive_indom **kept = log->observations;
	size_t n = 0;

	for (size_t i = 0; i < log->n; i++) {
		const struct archive_indom *now = log->observations[i];
		const struct archive_indom *dropped = NULL;
		size_t at = find_again(kept, n, now);

		if (at < n && timespec_compare(&kept[at]->stamp, &now->stamp) == 0) {
			dropped = kept[at];
			memmove(kept + at, kept + at + 1, (--n - at) * sizeof(*kept));
		} else if (at < n) {
			dropped = now;
		}
		if (dropped != now)
			kept[n++] = now;
		meta_observation_done((struct meta_observation *)(uintptr_t)dropped);
	}
	log->n = n;
}

int meta_indom_decoded(struct archive_meta *meta, pmInDom indom, struct meta_indom_log **ret_log)
{
	struct meta_indom_log *log = log_find(meta, indom);
	int r = 0;

	if (log == NULL)
		return 0;
	if (log->decoded < log->frames.n) {
		meta_observation_done(log->all);
		log->all = NULL;
		while (r == 0 && log->decoded < log->frames.n) {
			r = frame_decode(meta, log, &log->frames.frames[log->decoded]);
			log->decoded += r == 0;
		}
		if (r < 0)
			return r;
		log_sort(log);
		log_unite(log);
	}
	*ret_log = log;
	return log->n > 0;
}

int archive_meta_indom(struct archive_meta *meta, pmInDom indom,
		       const struct archive_indom *const **ret_observations)
{
	struct meta_indom_log *log;
	int r = meta_indom_decoded(meta, indom, &log);

	if (r <= 0)
		return r;
	*ret_observations = log->observations;
	return (int)log->n;
}

int archive_meta_indom_at(struct archive_meta *meta, pmInDom indom, const struct timespec *when,
			  const struct archive_indom **ret_indom)
{
	struct meta_indom_log *log;
	size_t low = 0, high;
	int r = meta_indom_decoded(meta, indom, &log);

	if (r < 0)
		return r;
	high = r > 0 ? log->n : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (timespec_compare(&log->observations[mid]->stamp, when) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_indom = low > 0 ? log->observations[low - 1] : NULL;
	return 0;
}

/* Collects each id once, with its newest name. */
static int union_collect(const struct meta_indom_log *log, struct hash *seen)
{
	for (size_t i = log->n; i > 0; i--) {
		const struct archive_indom *indom = log->observations[i - 1];

		for (size_t j = 0; j < indom->n; j++) {
			uint64_t hash = hash_u64((uint32_t)indom->insts[j].inst);

			if (hash_find(seen, hash, NULL, NULL) == NULL &&
			    hash_add(seen, hash, (void *)(uintptr_t)&indom->insts[j]) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/* An observation of all that was collected, as of the newest one. */
static int union_make(struct archive_meta *meta, struct meta_indom_log *log,
		      const struct hash *seen)
{
	struct meta_observation *o = arena_calloc(&meta->mem, 1, sizeof(*o));
	struct wire_inst *insts = arena_alloc(&meta->mem, seen->count * sizeof(*insts));
	const struct wire_inst *inst;
	size_t pos = 0, n = 0;

	if (o == NULL || insts == NULL)
		return -ENOMEM;
	while ((inst = hash_next(seen, &pos)) != NULL)
		insts[n++] = *inst;
	o->indom = *log->observations[log->n - 1];
	o->indom.insts = insts;
	o->indom.n = meta_insts_sort(insts, n);
	log->all = o;
	return 0;
}

int archive_meta_indom_union(struct archive_meta *meta, pmInDom indom,
			     const struct archive_indom **ret_indom)
{
	struct meta_indom_log *log;
	struct hash seen = HASH_INIT;
	int r = meta_indom_decoded(meta, indom, &log);

	if (r <= 0) {
		if (r == 0)
			*ret_indom = NULL;
		return r;
	}
	if (log->all == NULL) {
		r = union_collect(log, &seen);
		if (r == 0)
			r = union_make(meta, log, &seen);
		hash_done(&seen);
		if (r < 0)
			return r;
	}
	*ret_indom = &log->all->indom;
	return 0;
}

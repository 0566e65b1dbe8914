/*
 * event_records - a client takes what a queue has for it, as an array (docs/spec/pmda.md 14.6).
 *
 * Each event from the client's position on is culled or decoded, once. What a decoder added for an
 * event that failed in the end is taken back, so an array holds whole events alone.
 */
#include <errno.h>
#include <limits.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_client.h"

/* One call, and the events of one client. */
struct walk {
	struct event_queue *q;
	struct event_interest *in;
	struct event_array *array;
	uint64_t number; /* of the event at hand */
	void *data;      /* the caller's, for the decoder */
	pmdaEventDecodeCallBack decode;
	pmdaEventHighResDecodeCallBack decode_highres; /* one of the two */
};

static void trace_event(const char *fmt, const struct event *e)
{
	char text[64];
	int len = e->size > INT_MAX ? INT_MAX : (int)e->size;

	__pmdaEventPrint(e->data, len, text, sizeof(text));
	pmNotifyErr(LOG_DEBUG, fmt, (long)e->size, text);
}

/* ---- what was missed ---- */

/* Events that the client did not get, and when the newest of them was. */
static uint64_t missed(const struct walk *w, const union event_stamp **ret_stamp)
{
	const struct event_queue *q = w->q;
	uint64_t oversized = q->oversized - w->in->oversized;
	uint64_t dropped = event_queue_position(q, w->in->number) - w->in->number;

	/* The newest event dropped for room is the one before the oldest held. */
	if (oversized > 0 && (dropped == 0 || q->oversized_before >= q->events.first))
		*ret_stamp = &q->oversized_stamp;
	else
		*ret_stamp = &q->dropped_stamp;
	return oversized + dropped;
}

static int add_missed(const struct walk *w, uint64_t n, const union event_stamp *stamp)
{
	union event_stamp s = *stamp;

	/* More than an int can tell are told one record after the other. */
	for (; n > 0; n -= n > INT_MAX ? INT_MAX : n) {
		int part = n > INT_MAX ? INT_MAX : (int)n;
		int r = w->q->highres ? pmdaEventAddHighResMissedRecord(w->q->array, &s.ts, part)
				      : pmdaEventAddMissedRecord(w->q->array, &s.tv, part);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Begins the array with what was missed, which is then told. */
static int tell_missed(struct walk *w)
{
	const union event_stamp *stamp;
	uint64_t n = missed(w, &stamp);
	int r = add_missed(w, n, stamp);

	if (r < 0)
		return r;
	w->in->oversized = w->q->oversized;
	w->in->number = w->number;
	return 0;
}

/* ---- the events ---- */

static bool is_culled(const struct walk *w, const struct event *e)
{
	const struct event_interest *in = w->in;
	int r;

	if (in->filter == NULL || in->apply == NULL) {
		if (pmDebugOptions.libpmda && !in->access)
			pmNotifyErr(LOG_DEBUG, "Clientq access denied");
		return !in->access;
	}
	r = in->apply(in->filter, e->data, e->size);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Clientq filter applied (%d)", r);
	return r != 0;
}

static int decode_event(const struct walk *w, const struct event *e)
{
	union event_stamp stamp = e->stamp; /* a copy: decoders may write there */

	if (pmDebugOptions.libpmda)
		trace_event("Adding event (sz=%ld): \"%s\"", e);
	return w->q->highres ? w->decode_highres(w->q->array, e->data, e->size, &stamp.ts, w->data)
			     : w->decode(w->q->array, e->data, e->size, &stamp.tv, w->data);
}

/* 0, or the error that ends the walk: *ret_passed tells if the event is done with. */
static int walk_event(const struct walk *w, const struct event *e, bool *ret_passed)
{
	struct event_array *a = w->array;
	struct event_mark mark;
	int r;

	*ret_passed = true;
	if (is_culled(w, e)) {
		if (pmDebugOptions.libpmda)
			trace_event("Culling event (sz=%ld): \"%s\"", e);
		return 0;
	}
	mark = event_array_mark(a);
	r = decode_event(w, e);
	if (a->err == 0 && r >= 0)
		return 0;
	event_array_rollback(a, &mark);
	/* Behind others it has another chance with the next call; memory may come back. */
	*ret_passed = mark.nrecords == 0 && a->err != -ENOMEM;
	return a->err != 0 ? a->err : r;
}

static int walk_events(struct walk *w)
{
	bool passed = true;
	int r = 0;

	while (r >= 0 && w->number < w->q->events.next) {
		r = walk_event(w, event_store_at(&w->q->events, w->number), &passed);
		w->number += passed;
	}
	return r;
}

static int walk(struct walk *w)
{
	uint64_t from = w->number;
	int r;

	pmdaEventResetArray(w->q->array);
	r = tell_missed(w);
	if (r < 0)
		return r;
	w->q->walked = true;
	w->in->walked = true;
	r = walk_events(w);
	w->q->walked = false;
	w->in->walked = false;
	w->in->number = w->number;
	event_queue_move(w->q, from, w->number);
	/* What stopped us behind other records is met first by the next call. */
	return w->array->nrecords > 0 ? 0 : r;
}

static int begin(struct walk *w, int context, int queue)
{
	struct event_interest *in;
	int r = event_client_interest(context, queue, &in);

	if (r < 0)
		return r;
	if (in->queue->highres != (w->decode_highres != NULL))
		return -EINVAL;
	if (in->queue->walked)
		return -EBUSY;
	if (!in->begun) {
		in->begun = true;
		in->number = event_queue_begin(in->queue);
		in->oversized = in->queue->oversized;
	}
	w->q = in->queue;
	w->in = in;
	w->array = event_array_of(in->queue->array);
	w->number = event_queue_position(in->queue, in->number);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_fetch start, last event=%p",
			    w->number == in->queue->events.next
				? NULL
				: (void *)event_store_at(&in->queue->events, w->number));
	return 0;
}

static int take_records(struct walk *w, pmAtomValue *atom, int context, int queue)
{
	const union event_stamp *stamp;
	int r = begin(w, context, queue);

	if (r < 0)
		return r;
	atom->vbp = NULL;
	/* Without news the array is left alone: one that was returned a moment ago stays whole. */
	if (w->number == w->q->events.next && missed(w, &stamp) == 0)
		return PMDA_FETCH_NOVALUES;
	r = walk(w);
	if (r < 0)
		return r;
	if (w->array->nrecords == 0)
		return PMDA_FETCH_NOVALUES;
	atom->vbp = w->q->highres ? (pmValueBlock *)pmdaEventGetHighResAddr(w->q->array)
				  : (pmValueBlock *)pmdaEventGetAddr(w->q->array);
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueRecords(int queue, pmAtomValue *atom, int context, pmdaEventDecodeCallBack decode,
			  void *data)
{
	struct walk w = {.decode = decode, .data = data};

	return decode == NULL ? -EINVAL : take_records(&w, atom, context, queue);
}

int pmdaEventHighResQueueRecords(int queue, pmAtomValue *atom, int context,
				 pmdaEventHighResDecodeCallBack decode, void *data)
{
	struct walk w = {.decode_highres = decode, .data = data};

	return decode == NULL ? -EINVAL : take_records(&w, atom, context, queue);
}

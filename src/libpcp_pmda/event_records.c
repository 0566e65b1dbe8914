/*
 * event_records - adding an event to a queue, and a client taking a queue's events as an array
 * (docs/spec/pmda.md 14.3, 14.6).
 *
 * Appending in the common case, with room and nothing to report, is a function without a stack
 * frame, apart from the rest.
 *
 * Each event from the client's position on is filtered or decoded, once. The records of an event
 * whose decoder fails are rolled back, so an array has whole events only. Where clients share
 * records, decoding extends the queue's image (event_store.h), of which each gets its part.
 */
#include <errno.h>
#include <limits.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_queue.h"

/* ---- Appending ------------------------------------------------------------------------------ */

/* Events without bytes are bounded too: there are never more events than bytes allowed. */
static inline bool queue_has_room(const struct event_queue *q, size_t size)
{
	return size <= q->bytes_max - q->events.bytes &&
	       event_store_count(&q->events) < q->bytes_max;
}

static inline void count_event(struct event_queue *q, size_t size)
{
	q->appended++;
	q->appended_bytes += size;
}

/* ---- with all that may be to do ------------------------------------------------------------- */

static void trace_drop(struct event_queue *q, const void *e, size_t size)
{
	pmNotifyErr(LOG_DEBUG, "Dropping %s: e=%p sz=%d max=%d qsz=%d", q->name, e, (int)size,
		    (int)q->bytes_max, (int)q->events.bytes);
	LIST_FOR_EACH (node, &q->places) {
		if (event_place_of(node)->number <= q->events.first)
			pmNotifyErr(LOG_DEBUG, "Client missed queue %s event %p", q->name, e);
	}
	pmNotifyErr(LOG_DEBUG, "Removing %s event %p (%d bytes)", q->name, e, (int)size);
}

/* Drops the oldest event; clients at its position or before have missed it. */
static void drop_oldest(struct event_queue *q)
{
	const struct event *e = event_store_at(&q->events, q->events.first);

	if (pmDebugOptions.libpmda)
		trace_drop(q, e, e->size);
	q->dropped++;
	q->dropped_stamp = e->stamp;
	event_store_drop(&q->events, q->events.first + 1);
}

static int store_event(struct event_queue *q, const void *data, size_t size,
		       const union event_stamp *stamp)
{
	struct event *e;

	if (event_store_reserve(&q->events, size) < 0) {
		pmNotifyErr(LOG_ERR, "event allocation failure: %ld bytes", (long)size);
		return -ENOMEM;
	}
	while (!queue_has_room(q, size))
		drop_oldest(q);
	e = event_store_append(&q->events, data, size, stamp);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Inserted %s event %p (%ld bytes) clients = %u", q->name,
			    (void *)e, (long)size, q->clients + q->kept);
	return 0;
}

/* Events that will never be in the queue. */
static void miss_events(struct event_queue *q, uint64_t n, const union event_stamp *stamp)
{
	if (q->clients + q->kept > 0)
		q->dropped += n;
	q->oversized += n;
	q->oversized_before = q->events.next;
	q->oversized_stamp = *stamp;
}

static void refuse_event(struct event_queue *q, size_t size, const union event_stamp *stamp)
{
	pmNotifyErr(LOG_WARNING, "Event too large for queue %s (%ld > %ld)", q->name, (long)size,
		    (long)q->bytes_max);
	miss_events(q, 1, stamp);
}

static __attribute__((noinline)) int append_fully(int handle, bool highres, const void *data,
						  size_t size, const union event_stamp *stamp)
{
	struct event_queue *q = event_queue_of(handle);
	int r = 0;

	if (q == NULL || q->highres != highres)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Appending event: queue#%d \"%s\" (%ld bytes)", handle,
			    q->name, (long)size);
	if (size > q->bytes_max)
		refuse_event(q, size, stamp);
	else if (q->clients + q->kept > 0)
		r = store_event(q, data, size, stamp);
	if (r < 0)
		return r;
	count_event(q, size);
	return 0;
}

/* ---- the common case ------------------------------------------------------------------------ */

static inline bool is_plain(const struct event_queue *q, bool highres, size_t size)
{
	return q != NULL && q->highres == highres && q->clients > 0 && !q->walked &&
	       queue_has_room(q, size) && event_store_has_room(&q->events, size) &&
	       !pmDebugOptions.libpmda;
}

static inline int event_append(int handle, bool highres, const void *data, size_t size,
			       const union event_stamp *stamp)
{
	struct event_queue *q = event_queue_silently(handle);

	if (!is_plain(q, highres, size))
		return append_fully(handle, highres, data, size, stamp);
	count_event(q, size);
	event_store_append(&q->events, data, size, stamp);
	return 0;
}

/* The stamps are passed as they are in memory: a copy on the stack in two halves would stall the
 * read of the whole. */
int pmdaEventQueueAppend(int queue, void *data, size_t size, struct timeval *stamp)
{
	return event_append(queue, false, data, size, (const union event_stamp *)stamp);
}

int pmdaEventHighResQueueAppend(int queue, void *data, size_t size, struct timespec *stamp)
{
	return event_append(queue, true, data, size, (const union event_stamp *)stamp);
}

int pmdaEventHighResQueueMissed(int queue, uint64_t events, struct timespec *stamp)
{
	struct event_queue *q = event_queue_of(queue);

	if (q == NULL || !q->highres)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	if (events == 0)
		return 0;
	miss_events(q, events, (const union event_stamp *)stamp);
	q->appended += (uint32_t)events;
	return 0;
}

/* ---- Taking --------------------------------------------------------------------------------- */

/* One call, and the events of one client. */
struct walk {
	struct event_queue *q;
	struct event_interest *in;
	uint64_t number;           /* of the event at hand */
	int handle;                /* of the array that is filled */
	struct event_array *array; /* it */
	void *data;                /* the caller's, for the decoder */
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

/* ---- what was missed ------------------------------------------------------------------------ */

/* Events that the client did not get, and when the newest of them was. */
static uint64_t missed(const struct walk *w, const union event_stamp **ret_stamp)
{
	const struct event_queue *q = w->q;
	uint64_t oversized = q->oversized - w->in->oversized;
	uint64_t dropped = event_queue_position(q, &w->in->place) - w->in->place.number;

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

	/* Counts above INT_MAX are split over several records. */
	for (; n > 0; n -= n > INT_MAX ? INT_MAX : n) {
		int part = n > INT_MAX ? INT_MAX : (int)n;
		int r = w->q->highres ? pmdaEventAddHighResMissedRecord(w->q->array, &s.ts, part)
				      : pmdaEventAddMissedRecord(w->q->array, &s.tv, part);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Begins the array with the number of missed events, which is then reported. */
static int tell_missed(struct walk *w)
{
	const union event_stamp *stamp;
	uint64_t n = missed(w, &stamp);
	int r = add_missed(w, n, stamp);

	if (r < 0)
		return r;
	w->in->oversized = w->q->oversized;
	return 0;
}

/* ---- the events ----------------------------------------------------------------------------- */

/* For an agent that never allows access: its metric is empty without an error. One line a queue. */
static void log_undecided(const struct walk *w, int context)
{
	if (w->in->decided || w->q->withheld_logged)
		return;
	w->q->withheld_logged = true;
	pmNotifyErr(LOG_WARNING,
		    "event queue \"%s\": client context %d gets no events: the agent has called "
		    "neither pmdaEventSetAccess nor pmdaEventSetFilter for it",
		    w->q->name, context);
}

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

static inline int call_decoder(const struct walk *w, const struct event *e)
{
	union event_stamp stamp = e->stamp; /* a copy: decoders may write there */

	if (pmDebugOptions.libpmda)
		trace_event("Adding event (sz=%ld): \"%s\"", e);
	return w->decode_highres != NULL
		   ? w->decode_highres(w->handle, e->data, e->size, &stamp.ts, w->data)
		   : w->decode(w->handle, e->data, e->size, &stamp.tv, w->data);
}

/* Adds the records of an event, all or none; *ret_before is where the array stood. 0 or an error:
 * the array's, which a decoder may overlook, or the decoder's. */
static inline int decode_event(const struct walk *w, const struct event *e,
			       struct event_mark *ret_before)
{
	int r;

	*ret_before = event_array_mark(w->array);
	r = call_decoder(w, e);
	if (w->array->err != 0)
		r = w->array->err;
	if (r < 0)
		event_array_rollback(w->array, ret_before);
	return r < 0 ? r : 0;
}

/* Ends a walk. If an error stopped it at its first event, that event is skipped, unless memory was
 * short: then the next call tries it again. A later event is the first one of the next call. */
static int walk_end(struct walk *w, bool nothing_before, int r)
{
	if (nothing_before && r < 0 && r != -ENOMEM)
		w->number++;
	w->q->walked = false;
	w->in->walked = false;
	event_queue_move(w->q, &w->in->place, w->number);
	return nothing_before ? r : 0;
}

/* From now on records are added to this array. */
static void walk_start(struct walk *w, int array)
{
	w->handle = array;
	w->array = event_array_of(array);
	w->q->walked = true;
	w->in->walked = true;
}

/* ---- Records for one client ----------------------------------------------------------------- */

static inline int walk_event(const struct walk *w, const struct event *e)
{
	struct event_mark before;

	if (!is_culled(w, e))
		return decode_event(w, e, &before);
	if (pmDebugOptions.libpmda)
		trace_event("Culling event (sz=%ld): \"%s\"", e);
	return 0;
}

static int walk(struct walk *w, pmAtomValue *atom)
{
	int r;

	event_array_reset(event_array_of(w->q->array));
	r = tell_missed(w);
	if (r < 0)
		return r;
	walk_start(w, w->q->array);
	for (; w->number < w->q->events.next; w->number++) {
		r = walk_event(w, event_store_at(&w->q->events, w->number));
		if (r < 0)
			break;
	}
	r = walk_end(w, w->array->nrecords == 0, r);
	if (w->array->nrecords > 0)
		atom->vbp = w->q->highres ? (pmValueBlock *)pmdaEventGetHighResAddr(w->q->array)
					  : (pmValueBlock *)pmdaEventGetAddr(w->q->array);
	return r;
}

/* ---- shared records ------------------------------------------------------------------------- */

static bool is_shared(const struct walk *w)
{
	const union event_stamp *stamp;

	return w->q->image.array >= 0 && w->in->filter == NULL && w->in->access &&
	       missed(w, &stamp) <= INT_MAX;
}

/* The events that no client has asked for yet. 0, or the error that ended it. */
static int image_extend(const struct walk *w)
{
	struct event_image *img = &w->q->image;
	int r = 0;

	while (r >= 0 && img->next < w->q->events.next) {
		struct event *e = event_store_at(&w->q->events, img->next);
		struct event_mark before;

		r = decode_event(w, e, &before);
		if (r >= 0)
			event_image_add(img, e, &before);
	}
	return r;
}

static int walk_shared(struct walk *w, pmAtomValue *atom)
{
	struct event_image *img = &w->q->image;
	const union event_stamp *stamp;
	uint64_t from = w->number, n = missed(w, &stamp);
	int r;

	event_image_begin(img, &w->q->events, from);
	walk_start(w, img->array);
	r = image_extend(w);
	if (r == -E2BIG && img->next == from && img->first < from) {
		/* It is full of events that this client has had. */
		event_image_reset(img, from);
		r = image_extend(w);
	}
	atom->vbp = event_image_array(img, &w->q->events, from, w->q->highres, (int)n, stamp);
	w->number = img->next;
	w->in->oversized = w->q->oversized;
	return walk_end(w, atom->vbp == NULL, r);
}

/* ---- the calls ------------------------------------------------------------------------------ */

static int records_begin(struct walk *w, int context, int queue)
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
		event_queue_begin(in->queue, &in->place);
		in->oversized = in->queue->oversized;
	}
	w->q = in->queue;
	w->in = in;
	w->number = event_queue_position(in->queue, &in->place);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_fetch start, last event=%p",
			    w->number == in->queue->events.next
				? NULL
				: (void *)event_store_at(&in->queue->events, w->number));
	return 0;
}

static int event_take_records(struct walk *w, pmAtomValue *atom, int context, int queue)
{
	const union event_stamp *stamp;
	int r = records_begin(w, context, queue);

	if (r < 0)
		return r;
	atom->vbp = NULL;
	/* Without new events the array is not changed: the one returned before stays valid. */
	if (w->number == w->q->events.next && missed(w, &stamp) == 0)
		return PMDA_FETCH_NOVALUES;
	log_undecided(w, context);
	r = is_shared(w) ? walk_shared(w, atom) : walk(w, atom);
	if (r < 0)
		return r;
	return atom->vbp == NULL ? PMDA_FETCH_NOVALUES : PMDA_FETCH_STATIC;
}

int pmdaEventQueueRecords(int queue, pmAtomValue *atom, int context, pmdaEventDecodeCallBack decode,
			  void *data)
{
	struct walk w = {.decode = decode, .data = data};

	return decode == NULL ? -EINVAL : event_take_records(&w, atom, context, queue);
}

int pmdaEventHighResQueueRecords(int queue, pmAtomValue *atom, int context,
				 pmdaEventHighResDecodeCallBack decode, void *data)
{
	struct walk w = {.decode_highres = decode, .data = data};

	return decode == NULL ? -EINVAL : event_take_records(&w, atom, context, queue);
}

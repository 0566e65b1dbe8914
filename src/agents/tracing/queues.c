/* queues - see queues.h. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <pitot/event_queue.h>

#include "collector.h"
#include "control.h"
#include "fields.h"
#include "queues.h"

enum {
	RESOLVE_MAX = 1024, /* fields of a stream, in one update */
	WATCH_S = 600,      /* after that time without a fetch a client is not a watcher any more */
	ARRAYS_KEPT = 8,    /* from one fetch to the next */
	QUEUE_KEPT = 64 << 10, /* bytes that an empty queue may hold */
	/* Bytes of events in an answer, of which pmcd takes 32 MiB; an array has 16 at most. */
	ANSWER_MAX = 8 << 20,
	ANSWER_FAIR = ANSWER_MAX / 2, /* while there are streams that an earlier one skipped */
};

/* Clients that fetch the events of all streams: what is new is kept for them from its beginning. */
static struct watcher {
	int context;
	time_t last;
} * watchers;
static size_t nwatchers, watchers_room;

/* Arrays for the latest events, each for one stream in a fetch. */
static int *arrays;
static size_t narrays, narrays_used;

/* Of the fetch under way: bytes of its events; streams that are skipped still, and those whose
 * events it has asked for. */
static size_t answered;
static unsigned int nskipped, nasked;

static void append(const struct ring_event *e, void *arg)
{
	struct stream *s = arg;
	struct timespec stamp = e->stamp;
	int r = pmdaEventHighResQueueAppend(s->queue, (void *)(uintptr_t)e, ring_size(e), &stamp);

	if (r < 0)
		pmdaEventHighResQueueMissed(s->queue, 1, &stamp);
}

static void look_at_queue(struct stream *s)
{
	pmAtomValue atom = {.ull = 0};

	if (s->queue < 0)
		return;
	pmdaEventQueueHeld(s->queue, &atom);
	collector.budget.used += atom.ull - s->queue_held;
	s->queue_held = atom.ull;
	pmdaEventQueueMemory(s->queue, &atom);
	s->queue_bytes = atom.ull;
	pmdaEventQueueClients(s->queue, &atom);
	s->values.queue_clients = atom.ul;
	s->interest = atom.ul > 0;
}

/* Moves the events of the ring into the queue. */
static void transfer(struct stream *s)
{
	if (s->queue >= 0 && s->ring.dropped > 0)
		pmdaEventHighResQueueMissed(s->queue, s->ring.dropped, &s->ring.dropped_stamp);
	if (s->queue >= 0) /* or else no watcher wants it any more */
		ring_each(&s->ring, append, s);
	collector.budget.used -= s->ring.cap;
	ring_clear(&s->ring);
	look_at_queue(s);
}

/* Records that were made for clients are made again when they are asked for: what all have had
 * goes, and everything when memory is short. */
static void trim(struct stream *s)
{
	const struct stream_budget *b = &collector.budget;

	if (s->queue < 0 || s->queue_held <= QUEUE_KEPT ||
	    (s->queue_bytes > 0 && b->used <= b->memory / 2))
		return;
	pmdaEventQueueTrim(s->queue);
	look_at_queue(s);
}

/* ---- fields ---- */

static void resolve_one(struct stream *s, struct type *t, unsigned int i)
{
	unsigned int before = nfields;
	int r =
	    fields_get(t->name, &t->fields[i], s->process.uid, s->nfields < TRACING_FIELDS_PROCESS);

	s->nfields += nfields - before;
	t->params[i] = r < 0 ? FIELD_NONE : r;
	if (r < 0)
		collector_failed("event %.63s of process %d: field %.31s has no metric: %s",
				 t->name, (int)s->process.pid, t->fields[i].name, pmErrStr(r));
}

static unsigned int resolve(struct stream *s, struct type *t)
{
	for (unsigned int i = 0; i < t->nfields; i++)
		if (t->params[i] == FIELD_UNKNOWN)
			resolve_one(s, t, i);
	t->resolved = true;
	return t->nfields;
}

static bool resolve_all(void)
{
	unsigned int before = nfields;

	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		unsigned int n = 0;

		for (unsigned int i = 1; i < s->ntypes && n < RESOLVE_MAX; i++)
			if (!s->types[i]->resolved)
				n += resolve(s, s->types[i]);
	}
	if (nfields == before)
		return false;
	fields_save();
	return true;
}

/* ---- clients ---- */

static int make_queue(struct stream *s)
{
	char name[32];

	snprintf(name, sizeof(name), "tracing.%u", s->serial);
	s->queue = pmdaEventNewHighResQueue(name, (size_t)collector.budget.queue);
	return s->queue < 0 ? s->queue : pmdaEventQueueShare(s->queue);
}

/* May a client see a stream's events? Those of the agent's own user are for everybody whom the
 * collector lets in, those of others for that user, the agent's own, and root. */
static bool queues_permits(const struct stream *s, int context)
{
	uid_t who;

	return s->process.uid == geteuid() ||
	       (users_get(context, &who) &&
		(who == geteuid() || collector_permits(who, s->process.uid)));
}

/* The events that a client has not had; *ret_first: this is its first fetch. */
static int take(struct stream *s, int context, pmAtomValue *atom, bool *ret_first)
{
	pmAtomValue before = {.ul = 0}, after = {.ul = 0};
	int r = 0;

	*ret_first = false;
	if (!queues_permits(s, context))
		return PMDA_FETCH_NOVALUES;
	if (s->queue < 0)
		r = make_queue(s);
	if (r >= 0)
		r = pmdaEventQueueClients(s->queue, &before);
	if (r >= 0)
		r = pmdaEventNewClient(context);
	if (r >= 0)
		r = pmdaEventSetAccess(context, s->queue, 1);
	if (r >= 0)
		r = pmdaEventHighResQueueRecords(s->queue, atom, context, records_decode, s);
	if (s->queue >= 0)
		pmdaEventQueueClients(s->queue, &after);
	*ret_first = r == PMDA_FETCH_NOVALUES && after.ul > before.ul;
	look_at_queue(s);
	return r;
}

/* An array that is not used in this fetch; -ENOMEM. */
static int spare_array(void)
{
	int *grown;

	if (narrays_used == narrays) {
		grown = realloc(arrays, (narrays + 1) * sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		arrays = grown;
		arrays[narrays] = pmdaEventNewHighResArray();
		if (arrays[narrays] < 0)
			return -ENOMEM;
		narrays++;
	}
	pmdaEventResetHighResArray(arrays[narrays_used]);
	return arrays[narrays_used++];
}

struct recent {
	struct stream *stream;
	int array, r;
};

static void add_recent(const struct ring_event *e, void *arg)
{
	struct recent *recent = arg;
	struct timespec stamp = e->stamp;

	if (recent->r >= 0)
		recent->r = records_decode(recent->array, (void *)(uintptr_t)e, ring_size(e),
					   &stamp, recent->stream);
}

static int give_recent(struct stream *s, pmAtomValue *atom)
{
	struct recent recent = {.stream = s};

	if (s->recent.count == 0)
		return PMDA_FETCH_NOVALUES;
	recent.array = recent.r = spare_array();
	ring_each(&s->recent, add_recent, &recent);
	if (recent.r < 0)
		return recent.r;
	atom->vbp = (pmValueBlock *)pmdaEventGetHighResAddr(recent.array);
	return PMDA_FETCH_STATIC;
}

/* Events that do not fit an answer stay in the queue, and come first in the next one. */
static bool skip(struct stream *s)
{
	bool was = s->skipped;

	s->skipped = answered >= (was || nskipped == 0 ? (size_t)ANSWER_MAX : (size_t)ANSWER_FAIR);
	if (was && !s->skipped)
		nskipped--;
	return s->skipped;
}

int queues_records(const struct agent_call *call, pmAtomValue *atom)
{
	struct stream *s = call->from;
	bool first;
	int r;

	nasked++;
	if (skip(s))
		return PMDA_FETCH_NOVALUES;
	r = take(s, call->ext->e_context, atom, &first);
	if (first)
		r = give_recent(s, atom);
	if (r == PMDA_FETCH_STATIC)
		answered += atom->vbp->vlen;
	return r;
}

void queues_begin_fetch(void)
{
	while (narrays > ARRAYS_KEPT)
		pmdaEventReleaseHighResArray(arrays[--narrays]);
	narrays_used = 0;
	answered = 0;
	nasked = 0;
	nskipped = 0;
	for (const struct stream *s = collector.streams; s != NULL; s = s->next)
		nskipped += s->skipped;
}

static void count_watchers(void)
{
	collector.watched = nwatchers > 0;
}

static void forget_watcher(size_t i)
{
	watchers[i] = watchers[--nwatchers];
	count_watchers();
}

static void watch(int context, bool all)
{
	size_t i = 0;

	while (i < nwatchers && watchers[i].context != context)
		i++;
	if (!all) {
		if (i < nwatchers)
			forget_watcher(i);
		return;
	}
	if (i == nwatchers && nwatchers == watchers_room) {
		size_t room = watchers_room == 0 ? 16 : 2 * watchers_room;
		struct watcher *grown = realloc(watchers, room * sizeof(*grown));

		if (grown == NULL)
			return;
		watchers = grown;
		watchers_room = room;
	}
	nwatchers += i == nwatchers;
	watchers[i] = (struct watcher){context, time(NULL)};
	count_watchers();
}

void queues_end_fetch(int context)
{
	watch(context, nasked == collector.nstreams);
}

/* All watchers begin with a stream that had no queue. */
static void queue_begin(struct stream *s)
{
	time_t now = time(NULL);
	pmAtomValue atom;
	bool first;

	for (size_t i = nwatchers; i > 0; i--)
		if (now - watchers[i - 1].last > WATCH_S)
			forget_watcher(i - 1);
	for (size_t i = 0; i < nwatchers; i++)
		take(s, watchers[i].context, &atom, &first);
	if (s->queue < 0)
		s->interest = false;
}

bool queues_update(void)
{
	for (size_t i = 0; i < collector.nqueues; i++)
		pmdaEventQueueRelease(collector.queues[i]);
	collector.nqueues = 0;
	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		if (s->queue < 0 && s->interest)
			queue_begin(s);
		trim(s);
		transfer(s);
	}
	return resolve_all();
}

/* ---- for metrics ---- */

void queues_look(struct stream *s)
{
	pmAtomValue atom = {.ull = 0};

	stream_look(s);
	if (s->queue >= 0) {
		pmdaEventQueueDropped(s->queue, &atom);
		s->values.lost_queue = atom.ull;
	}
	s->values.queue_bytes = s->queue_bytes + ring_used(&s->ring);
}

void queues_end_client(int context)
{
	watch(context, false);
	pmdaEventEndClient(context);
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		look_at_queue(s);
}

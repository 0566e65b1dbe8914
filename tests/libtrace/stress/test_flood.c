/* test_flood - many events of many threads: all of them, whole, in order. */
#include "load.h"

#include <stdatomic.h>

static trace_event_id_t id;
static uint32_t each;
static pthread_barrier_t together;

static void *flood(void *arg)
{
	uint32_t who = (uint32_t)(uintptr_t)arg;

	pthread_barrier_wait(&together);
	for (uint32_t n = 0; n < each; n++)
		load_emit(id, who, n);
	return NULL;
}

/* Threads that record at once into a stream which is large enough; nothing is lost. */
static void none_lost(size_t threads, uint32_t events)
{
	static struct load_seen seen;
	pthread_t running[LOAD_WRITERS];
	struct posix_trace_counts_np counts;
	uint64_t drained;
	trace_id_t trid;

	memset(&seen, 0, sizeof(seen));
	each = events;
	id = tool_id("flood");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL,
		       .size = load_room((uint64_t)threads * events));
	OK(pthread_barrier_init(&together, NULL, (unsigned)threads));
	for (size_t i = 0; i < threads; i++)
		running[i] = tool_thread(flood, (void *)(uintptr_t)i);
	for (size_t i = 0; i < threads; i++)
		tool_join(running[i]);
	drained = load_drain(trid, id, &seen);
	counts = load_counts(trid);
	if (drained != (uint64_t)threads * events)
		fprintf(stderr,
			"drained %ju, recorded %ju, reported %ju, lost: full %ju, attach %ju, "
			"overwritten %ju\n",
			(uintmax_t)drained, (uintmax_t)counts.recorded, (uintmax_t)counts.reported,
			(uintmax_t)counts.lost_full, (uintmax_t)counts.lost_attach,
			(uintmax_t)counts.lost_overwritten);
	EQ(drained, (uint64_t)threads * events);
	for (size_t i = 0; i < threads; i++)
		EQ(seen.next[i], events);
	EQ(counts.recorded, (uint64_t)threads * events);
	EQ(counts.reported, (uint64_t)threads * events);
	EQ(counts.lost_full + counts.lost_attach + counts.lost_overwritten, 0);
	EQ(tool_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_FLOOD_8, LOAD_S)
{
	none_lost(8, (uint32_t)load_times(1000000));
}

TEST_WITHIN(S_FLOOD_64_ON_2, LOAD_S)
{
	load_processors(2);
	none_lost(64, (uint32_t)load_times(20000));
}

/* Short lives: a small stream holds all events of threads that come and go, with a reader. */
#define AT_ONCE 20

static void *ten_events(void *arg)
{
	uint32_t first = (uint32_t)(uintptr_t)arg;

	for (uint32_t n = 0; n < 10; n++)
		load_emit(id, first % AT_ONCE, first / AT_ONCE * 10 + n);
	return NULL;
}

TEST_WITHIN(S_SHORT_THREADS, LOAD_S)
{
	static struct load_seen seen;
	uint32_t threads = (uint32_t)load_times(10000) / AT_ONCE * AT_ONCE;
	trace_id_t trid;

	id = tool_id("short");
	trid = RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = 64 * KIB);
	for (uint32_t i = 0; i < threads; i += AT_ONCE) {
		pthread_t running[AT_ONCE];

		for (uint32_t k = 0; k < AT_ONCE; k++)
			running[k] = tool_thread(ten_events, (void *)(uintptr_t)(i + k));
		for (uint32_t k = 0; k < AT_ONCE; k++)
			tool_join(running[k]);
		/* Two batches, 400 events, are within the size. */
		if (i / AT_ONCE % 2 == 1)
			load_drain(trid, id, &seen);
	}
	load_drain(trid, id, &seen);
	EQ(seen.count, (uint64_t)threads * 10);
	EQ(load_counts(trid).lost_full, 0);
	OK(posix_trace_shutdown(trid));
}

/* The same in a LOOP stream, which must not overwrite what fits. */
TEST_WITHIN(S_SHORT_THREADS_LOOP, LOAD_S)
{
	static struct load_seen seen;
	uint32_t threads = (uint32_t)load_times(3000) / AT_ONCE * AT_ONCE;
	trace_id_t trid;

	id = tool_id("short");
	trid = RUNNING(.policy = POSIX_TRACE_LOOP, .size = 64 * KIB);
	for (uint32_t i = 0; i < threads; i += AT_ONCE) {
		for (uint32_t k = 0; k < AT_ONCE; k++)
			tool_join(tool_thread(ten_events, (void *)(uintptr_t)(i + k)));
		load_drain(trid, id, &seen);
	}
	EQ(seen.count, (uint64_t)threads * 10);
	EQ(load_counts(trid).lost_overwritten, 0);
	OK(posix_trace_shutdown(trid));
}

/*
 * test_capacity - what a stream holds: never less than it promises, never far more
 * (docs/spec/posix-trace.md 4.2, docs/spec/trace-design.md 15).
 */
#include "load.h"

#include <stdatomic.h>

#define LARGEST 4096

static trace_event_id_t id;

static trace_id_t stream(size_t size)
{
	id = tool_id("capacity");
	return RUNNING(.policy = POSIX_TRACE_UNTIL_FULL, .size = size, .data_max = LARGEST);
}

/* User bytes that one thread got into it, recording until it was full. */
static uint64_t fill(trace_id_t trid, size_t len)
{
	static unsigned char data[LARGEST];
	uint64_t most = (4 * (uint64_t)tool_stream_size(trid) + 64 * KIB) / (len + 1) + 1;
	uint64_t held = 0;
	struct event event;

	/* Data of no bytes have no bound in bytes; 16 bytes are the least a record can have. */
	if (len == 0)
		most = 4 * (uint64_t)tool_stream_size(trid) / 16 + 4096;
	for (uint64_t i = 0; i < 2 * most + 100; i++)
		posix_trace_event(id, data, len);
	while (tool_next(trid, &event))
		if (event.info.posix_event_id == id) {
			EQ(event.len, len);
			held++;
		}
	return held;
}

static void one(size_t size, size_t len)
{
	trace_id_t trid = stream(size);
	uint64_t in_force = tool_stream_size(trid);
	uint64_t held;

	held = fill(trid, len);
	if (held == 0)
		FAIL("%zu bytes hold no event of %zu", size, len);
	if (held * len > 4 * in_force + 64 * KIB)
		FAIL("%zu bytes hold %llu events of %zu: too many", size, (unsigned long long)held,
		     len);
	if (len >= 4 && in_force <= 16 * MIB && held * len < in_force / 4)
		FAIL("%zu bytes hold %llu events of %zu: too few", size, (unsigned long long)held,
		     len);
	printf("size %9zu in force %9llu length %4zu: %9llu events, %.2f of the size\n", size,
	       (unsigned long long)in_force, len, (unsigned long long)held,
	       (double)(held * len) / (double)in_force);
	OK(posix_trace_shutdown(trid));
}

TEST_WITHIN(S_CAPACITY, LOAD_S)
{
	static const size_t sizes[] = {1, 4 * KIB, 64 * KIB, MIB, 16 * MIB};
	static const size_t lens[] = {0, 4, 8, 64, 256, LARGEST};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < ARRAY_LEN(lens); k++)
			if (sizes[i] < 16 * MIB || lens[k] >= 64 || load_times(10) > 10)
				one(sizes[i], lens[k]);
}

struct job {
	size_t len;
	uint64_t count;
};

static pthread_barrier_t alive;

/* Records its part, and lives until all have. */
static void *part(void *arg)
{
	static const unsigned char data[LARGEST];
	const struct job *job = arg;

	for (uint64_t i = 0; i < job->count; i++)
		posix_trace_event(id, data, job->len);
	pthread_barrier_wait(&alive);
	return NULL;
}

/* Events whose largest sizes sum up to the size, by threads that all live at once. */
static void no_loss(size_t size, size_t len, size_t threads)
{
	pthread_t running[500];
	struct job jobs[500];
	trace_id_t trid = stream(size);
	size_t system, user;
	trace_attr_t attr;
	struct event event;
	uint64_t all, held = 0;

	OK(posix_trace_get_attr(trid, &attr));
	OK(posix_trace_attr_getmaxsystemeventsize(&attr, &system));
	OK(posix_trace_attr_getmaxusereventsize(&attr, len, &user));
	all = (size - system) / user;
	OK(pthread_barrier_init(&alive, NULL, (unsigned)threads));
	for (size_t i = 0; i < threads; i++) {
		jobs[i] = (struct job){len, all * (i + 1) / threads - all * i / threads};
		running[i] = tool_thread(part, &jobs[i]);
	}
	for (size_t i = 0; i < threads; i++)
		tool_join(running[i]);
	while (tool_next(trid, &event))
		held += event.info.posix_event_id == id;
	if (held != all)
		FAIL("%llu of %llu events of %zu bytes in %zu bytes by %zu threads",
		     (unsigned long long)held, (unsigned long long)all, len, size, threads);
	OK(posix_trace_shutdown(trid));
	OK(pthread_barrier_destroy(&alive));
}

TEST_WITHIN(S_NO_LOSS, LOAD_S)
{
	static const size_t sizes[] = {64 * KIB, 200000, MIB};
	static const size_t lens[] = {0, 1, 4, 64, 255, LARGEST};
	static const size_t threads[] = {1, 15, 16, 17, 64, 65, 500};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (size_t k = 0; k < ARRAY_LEN(lens); k++)
			for (size_t t = 0; t < ARRAY_LEN(threads); t++)
				no_loss(sizes[i], lens[k], threads[t]);
}

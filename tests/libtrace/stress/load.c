/* load - numbered events of many writers, and what a reader can say of them. */
#include "load.h"

#include <sched.h>

uint64_t load_times(uint64_t count)
{
	const char *env = getenv("PITOT_TRACE_SOAK");
	double times = env != NULL ? strtod(env, NULL) : 1;

	return times > 0 ? (uint64_t)((double)count * times) : count;
}

static uint64_t check_of(uint32_t who, uint32_t number)
{
	return ((uint64_t)who << 32 | number) * 0x9e3779b97f4a7c15u + 1;
}

void load_emit(trace_event_id_t id, uint32_t who, uint32_t number)
{
	struct load_event event = {who, number, check_of(who, number)};

	posix_trace_event(id, &event, sizeof(event));
}

void load_see(struct load_seen *seen, const struct event *event)
{
	struct load_event e;
	int64_t time = tool_ns(event->info.posix_timestamp);

	EQ(event->len, sizeof(e));
	memcpy(&e, event->data, sizeof(e));
	if (e.check != check_of(e.who, e.number))
		FAIL("torn: writer %u, number %u, sum %#llx", e.who, e.number,
		     (unsigned long long)e.check);
	CHECK(e.who < LOAD_WRITERS);
	if (seen->gaps ? e.number < seen->next[e.who] : e.number != seen->next[e.who])
		FAIL("writer %u: number %u where %u was due", e.who, e.number, seen->next[e.who]);
	seen->next[e.who] = e.number + 1;
	if (time < seen->last[e.who])
		FAIL("writer %u: number %u is %lld ns before the one before it", e.who, e.number,
		     (long long)(seen->last[e.who] - time));
	seen->last[e.who] = time;
	seen->count++;
}

uint64_t load_drain(trace_id_t trid, trace_event_id_t id, struct load_seen *seen)
{
	uint64_t before = seen->count;
	struct event event;

	while (tool_next(trid, &event))
		if (event.info.posix_event_id == id)
			load_see(seen, &event);
	return seen->count - before;
}

void load_drain_until(trace_id_t trid, trace_event_id_t id, struct load_seen *seen, int64_t end)
{
	struct event event;

	while (tool_ns(tool_now(CLOCK_MONOTONIC)) < end && tool_next(trid, &event))
		if (event.info.posix_event_id == id)
			load_see(seen, &event);
}

size_t load_room(uint64_t count)
{
	trace_attr_t attr;
	size_t size;

	OK(posix_trace_attr_init(&attr));
	OK(posix_trace_attr_getmaxusereventsize(&attr, sizeof(struct load_event), &size));
	return (size_t)count * size + 64 * KIB;
}

struct posix_trace_counts_np load_counts(trace_id_t trid)
{
	struct posix_trace_counts_np counts;

	memset(&counts, 0x5a, sizeof(counts));
	OK(posix_trace_get_counts_np(trid, &counts));
	return counts;
}

int load_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int lines = 0;
	int c;

	CHECK(maps != NULL);
	while ((c = getc(maps)) != EOF)
		lines += c == '\n';
	fclose(maps);
	return lines;
}

void load_processors(int count)
{
	cpu_set_t have, use;

	CHECK(sched_getaffinity(0, sizeof(have), &have) == 0);
	CPU_ZERO(&use);
	for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++)
		if (CPU_ISSET(cpu, &have)) {
			CPU_SET(cpu, &use);
			count--;
		}
	CHECK(sched_setaffinity(0, sizeof(use), &use) == 0);
}

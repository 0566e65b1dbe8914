/* test_cycles - thousands of streams leave no descriptors, mappings or memory. */
#include "load.h"

#include <dirent.h>
#include <stdatomic.h>

static trace_event_id_t id;
static atomic_bool over;

static void *record_on(void *arg)
{
	uint32_t who = (uint32_t)(uintptr_t)arg;

	for (uint32_t n = 0; !atomic_load(&over); n++) {
		load_emit(id, who, n);
		if (n % 64 == 0)
			tool_sleep_ms(1);
	}
	return NULL;
}

static void cycle(uint64_t n)
{
	trace_id_t trid = STREAM(.policy = n % 2 == 0 ? POSIX_TRACE_LOOP : POSIX_TRACE_UNTIL_FULL);
	struct event event;

	OK(posix_trace_start(trid));
	load_emit(id, 100, (uint32_t)n);
	/* Others go on recording: not to the end. */
	for (int i = 0; n % 3 == 0 && i < 1000 && tool_next(trid, &event); i++)
		continue;
	OK(posix_trace_shutdown(trid));
}

/* Kilobytes of this process in memory. */
static long resident_kb(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	long size, resident;

	CHECK(statm != NULL);
	CHECK(fscanf(statm, "%ld %ld", &size, &resident) == 2);
	fclose(statm);
	return resident * (getpagesize() / 1024);
}

TEST_WITHIN(S_CYCLES, LOAD_S)
{
	uint64_t cycles = load_times(1000);
	pthread_t threads[4];
	int descriptors, mappings;
	long resident;

	id = tool_id("cycles");
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i] = tool_thread(record_on, (void *)(uintptr_t)i);
	for (uint64_t n = 0; n < 100; n++)
		cycle(n);
	descriptors = tool_open_descriptors();
	mappings = load_mappings();
	resident = resident_kb();
	for (uint64_t n = 0; n < cycles; n++)
		cycle(n);
	printf("%llu cycles: descriptors %d -> %d, mappings %d -> %d, resident %ld -> %ld KiB\n",
	       (unsigned long long)cycles, descriptors, tool_open_descriptors(), mappings,
	       load_mappings(), resident, resident_kb());
	EQ(tool_open_descriptors(), descriptors);
	CHECK(load_mappings() <= mappings + 8);
	CHECK(resident_kb() <= resident + 2048);
	atomic_store(&over, true);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		tool_join(threads[i]);
}

/* Streams with log, which have a keeper: no process stays either. */
TEST_WITHIN(S_CYCLES_WITH_LOG, LOAD_S)
{
	uint64_t cycles = load_times(100);
	int descriptors = 0;
	int mappings = 0;
	int fd = tool_log();

	id = tool_id("cycles");
	for (uint64_t n = 0; n < cycles + 10; n++) {
		trace_id_t trid = STREAM(.log = fd, .running = true);

		for (uint32_t i = 0; i < 100; i++)
			load_emit(id, 0, i);
		OK(posix_trace_shutdown(trid));
		if (n == 9) {
			descriptors = tool_open_descriptors();
			mappings = load_mappings();
		}
	}
	EQ(tool_open_descriptors(), descriptors);
	CHECK(load_mappings() <= mappings + 8);
}

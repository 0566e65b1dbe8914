/*
 * test_hostile - a traced process overwrites its stream's memory while it records and while its
 * controller reads: no process crashes or hangs, and another stream of the same controller stays
 * exact.
 *
 * The traced process finds the mapping in /proc/self/maps, as hostile code would.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <trace_np.h>

enum {
	RANGES = 8,
	WRITERS = 2,
	ROUNDS = 3,
	ROUNDS_SOAK = 100,
	ROUND_MS = 400,
	DEADLINE = 60,
	DEADLINE_SOAK = 600,
};

static struct told {
	_Atomic uint64_t emitted;
	_Atomic uint64_t scribbled;
	_Atomic bool go, stop;
} * told;

static trace_event_id_t id;

struct range {
	uint64_t *words;
	size_t count;
};

/* Shared writable mappings, except for anonymous ones of the test. */
static unsigned find_ranges(struct range *ranges)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], perms[8], path[256];
	unsigned count = 0;
	uintptr_t from, to;

	while (maps && count < RANGES && fgets(line, sizeof(line), maps)) {
		path[0] = '\0';
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %*s %*s %*s %255s", &from, &to,
			   perms, path) < 3)
			continue;
		if (strcmp(perms, "rw-s") != 0 || strncmp(path, "/memfd:", 7) != 0)
			continue;
		ranges[count++] = (struct range){(uint64_t *)from, (to - from) / sizeof(uint64_t)};
	}
	if (maps)
		fclose(maps);
	return count;
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Random words, small changes of words, words of other places; half of it in the first pages. */
static void scribble(const struct range *r, uint64_t *state)
{
	size_t span = random_next(state) & 1 ? r->count : (r->count < 2048 ? r->count : 2048);
	_Atomic uint64_t *word = (_Atomic uint64_t *)&r->words[random_next(state) % span];

	switch (random_next(state) % 4) {
	case 0:
		atomic_store_explicit(word, random_next(state), memory_order_relaxed);
		break;
	case 1:
		atomic_fetch_xor_explicit(word, 1ull << random_next(state) % 64,
					  memory_order_relaxed);
		break;
	case 2:
		atomic_store_explicit(word, r->words[random_next(state) % r->count],
				      memory_order_relaxed);
		break;
	default:
		atomic_store_explicit(word, 0, memory_order_relaxed);
	}
}

static void *scribbler(void *arg)
{
	uint64_t state = (uint64_t)(uintptr_t)arg * 2654435761u + 88172645463325252ull;
	struct range ranges[RANGES];
	unsigned count = 0;

	while (!atomic_load(&told->stop)) {
		if (count == 0) {
			count = find_ranges(ranges);
			continue;
		}
		for (int i = 0; i < 100; i++)
			scribble(&ranges[random_next(&state) % count], &state);
		atomic_fetch_add(&told->scribbled, 100);
	}
	return NULL;
}

static void *recorder(void *arg)
{
	uint8_t data[200] = {0};

	while (!atomic_load(&told->stop)) {
		posix_trace_event(id, data, (size_t)(atomic_fetch_add(&told->emitted, 1) % 200));
		if ((uintptr_t)arg == 1 && atomic_load(&told->emitted) % 64 == 0)
			usleep(50);
	}
	return NULL;
}

static void hostile_process(unsigned seed)
{
	pthread_t threads[WRITERS + 1];

	while (!atomic_load(&told->go))
		usleep(100);
	posix_trace_event(id, "attach", 6);
	for (uintptr_t i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, recorder, (void *)i);
	pthread_create(&threads[WRITERS], NULL, scribbler, (void *)(uintptr_t)(seed + 1));
	for (int i = 0; i <= WRITERS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Reads what there is for a while, using every operation now and then. */
static void control(trace_id_t trid, trace_id_t own, uint64_t *own_got)
{
	static const int policies_of_turn[] = {POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_SUB_EVENTSET};
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	struct posix_trace_counts_np counts;
	uint64_t end = now_ms() + ROUND_MS;
	uint8_t data[512];
	size_t length;
	int unavailable;

	for (unsigned turn = 0; now_ms() < end; turn++) {
		struct timespec soon;
		trace_event_set_t set;

		for (int i = 0; i < 1000; i++) {
			assert_int_equal(posix_trace_trygetnext_event(trid, &info, data,
								      sizeof(data), &length,
								      &unavailable),
					 0);
			if (unavailable)
				break;
			assert_true(length <= sizeof(data));
		}
		clock_gettime(CLOCK_REALTIME, &soon);
		posix_trace_timedgetnext_event(trid, &info, data, sizeof(data), &length,
					       &unavailable, &soon);
		assert_int_equal(posix_trace_get_status(trid, &status), 0);
		assert_int_equal(posix_trace_get_counts_np(trid, &counts), 0);
		posix_trace_eventset_empty(&set);
		if (turn % 16 == 3)
			assert_int_equal(
			    posix_trace_set_filter(trid, &set, policies_of_turn[turn & 1]), 0);
		if (turn % 32 == 5)
			assert_int_equal(posix_trace_stop(trid), 0);
		if (turn % 64 == 7)
			assert_int_equal(posix_trace_clear(trid), 0);
		if (turn % 32 == 8)
			assert_int_equal(posix_trace_start(trid), 0);
		/* Its own stream goes on, exactly. */
		posix_trace_event(id, own_got, sizeof(*own_got));
		do {
			assert_int_equal(posix_trace_trygetnext_event(
					     own, &info, data, sizeof(data), &length, &unavailable),
					 0);
			if (!unavailable && info.posix_event_id == id) {
				assert_memory_equal(data, own_got, sizeof(*own_got));
				(*own_got)++;
			}
		} while (!unavailable && info.posix_event_id != id);
		assert_int_equal(unavailable, 0);
	}
}

static void survives(int policy)
{
	unsigned rounds = getenv("PITOT_TRACE_SOAK") ? ROUNDS_SOAK : ROUNDS;
	trace_attr_t attr;
	trace_id_t own;
	uint64_t own_got = 0;

	assert_int_equal(posix_trace_create(0, NULL, &own), 0);
	assert_int_equal(posix_trace_start(own), 0);
	for (unsigned round = 0; round < rounds; round++) {
		trace_id_t trid;
		pid_t pid;
		int status;

		memset(told, 0, sizeof(*told));
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			hostile_process(round);
		assert_int_equal(posix_trace_attr_init(&attr), 0);
		assert_int_equal(posix_trace_attr_setstreamfullpolicy(&attr, policy), 0);
		assert_int_equal(posix_trace_attr_setstreamsize(&attr, round % 2 ? 1 : 65536), 0);
		assert_int_equal(posix_trace_create(pid, &attr, &trid), 0);
		assert_int_equal(posix_trace_start(trid), 0);
		atomic_store(&told->go, true);
		control(trid, own, &own_got);
		atomic_store(&told->stop, true);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("round %u: the traced process ended with status %#x", round,
				 status);
		assert_true(atomic_load(&told->emitted) > 100);
		assert_true(atomic_load(&told->scribbled) > 1000);
		assert_int_equal(posix_trace_shutdown(trid), 0);
	}
	assert_int_equal(posix_trace_shutdown(own), 0);
}

static void survives_loop(void **state)
{
	(void)state;
	survives(POSIX_TRACE_LOOP);
}

static void survives_until_full(void **state)
{
	(void)state;
	survives(POSIX_TRACE_UNTIL_FULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(survives_loop),
	    cmocka_unit_test(survives_until_full),
	};

	alarm(getenv("PITOT_TRACE_SOAK") ? DEADLINE_SOAK : DEADLINE);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED || posix_trace_eventid_open("hostile", &id) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

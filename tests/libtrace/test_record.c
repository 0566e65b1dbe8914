/* test_record - trace points: what gets into a stream, from threads, handlers and in every size. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "kit.h"
#include "libtrace/record.h"

enum { ID = 77 };

/* ---- one event ---- */

struct seen {
	struct kit_event e[64];
	uint8_t data[64][4096];
	unsigned n;
};

static void keep(const struct kit_event *e, void *arg)
{
	struct seen *seen = arg;

	assert_true(seen->n < 64);
	seen->e[seen->n] = *e;
	memcpy(seen->data[seen->n], e->data, e->length);
	seen->n++;
}

/* A filter that lets everything pass that is sent here, but has to be looked at. */
static void filter_another(struct kit *k)
{
	uint32_t ctl = atomic_load(&k->seg.state->ctl);

	atomic_store(&k->seg.state->filter[(ctl & CTL_HALF) == 0][0], 1u << 1);
	atomic_store(&k->seg.state->ctl,
		     ((ctl & ~(uint32_t)CTL_UNFILTERED) ^ CTL_HALF) + CTL_EPOCH);
}

static void send_and_see(struct kit *k, trace_event_id_t id, const uint8_t *data, size_t n)
{
	size_t kept = n < 1024 ? n : 1024;
	struct seen seen;

	seen.n = 0;
	errno = 4711;
	posix_trace_event(id, n == 0 ? NULL : data, n);
	assert_int_equal(errno, 4711);
	assert_int_equal(kit_drain(k, keep, &seen), 1);
	assert_int_equal(seen.e[0].id, id);
	assert_int_equal(seen.e[0].length, kept);
	assert_int_equal(seen.e[0].flags & RECORD_TRUNCATED, n > 1024 ? RECORD_TRUNCATED : 0);
	assert_memory_equal(seen.data[0], data, kept);
	assert_int_equal(seen.e[0].pid, getpid());
	assert_int_equal(seen.e[0].tid, gettid());
	assert_true(seen.e[0].thread == (uint64_t)pthread_self());
}

/* Every length that has a way of its own, by the shortest way and with a filter to look at. */
static void an_event_is_as_it_was_given(void **state)
{
	static const size_t longer[] = {1000, 1023, 1024, 1025, 2000};
	uint8_t data[4096];
	struct kit k;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256 + 1);
	kit_open(&k, 65536, 1024, POSIX_TRACE_LOOP);
	kit_start(&k);
	for (int filtered = 0; filtered < 2; filtered++) {
		for (size_t n = 0; n <= RECORD_FAST_MAX + 2; n++)
			for (int round = 0; round < 2; round++) /* slow, then fast */
				send_and_see(&k, ID + n % 32, data + sizeof(data) - n, n);
		for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
			send_and_see(&k, ID, data + sizeof(data) - longer[i], longer[i]);
		filter_another(&k);
	}
	kit_close(&k);
}

static void limits_of_data_are_the_streams(void **state)
{
	static const uint32_t limits[] = {0, 1, 8, 100, 511, 512, 513, 4000};
	uint8_t data[5000] = {1, 2, 3};
	struct seen seen;
	struct kit k;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		kit_open(&k, 65536, limits[i], POSIX_TRACE_LOOP);
		kit_start(&k);
		for (int round = 0; round < 2; round++) {
			seen.n = 0;
			posix_trace_event(ID, data, limits[i]);
			posix_trace_event(ID, data, limits[i] + 1);
			assert_int_equal(kit_drain(&k, keep, &seen), 2);
			assert_int_equal(seen.e[0].length, limits[i]);
			assert_int_equal(seen.e[0].flags & RECORD_TRUNCATED, 0);
			assert_int_equal(seen.e[1].length, limits[i]);
			assert_int_equal(seen.e[1].flags & RECORD_TRUNCATED, RECORD_TRUNCATED);
		}
		kit_close(&k);
	}
}

static void ids_that_are_none_have_no_effect(void **state)
{
	static const trace_event_id_t ids[] = {0,          1,        2,         8, LAYOUT_USER_END,
					       LAYOUT_IDS, 1u << 20, UINT32_MAX};
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		posix_trace_event(ids[i], "x", 1);
		assert_int_equal(kit_drain(&k, NULL, NULL), 0);
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "x", 1);
		assert_int_equal(kit_drain(&k, NULL, NULL), 1);
	}
	kit_close(&k);
}

__attribute__((noinline)) static void one_place(void)
{
	posix_trace_event(ID, NULL, 0);
	__asm__ volatile("");
}

__attribute__((noinline)) static void another_place(void)
{
	posix_trace_event(ID, NULL, 0);
	__asm__ volatile("" ::: "memory");
}

static void addresses_are_the_callers(void **state)
{
	struct seen seen = {.n = 0};
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	for (int i = 0; i < 3; i++)
		one_place();
	another_place();
	kit_drain(&k, keep, &seen);
	assert_int_equal(seen.n, 4);
	assert_int_equal(seen.e[0].address, seen.e[1].address);
	assert_int_equal(seen.e[1].address, seen.e[2].address);
	assert_int_not_equal(seen.e[2].address, seen.e[3].address);
	for (int i = 0; i < 4; i++) {
		uint64_t begin =
		    (uint64_t)(uintptr_t)(i < 3 ? (void *)one_place : (void *)another_place);

		assert_true(seen.e[i].address > begin && seen.e[i].address < begin + 1000);
		assert_true(i == 0 || seen.e[i].tick >= seen.e[i - 1].tick);
	}
	kit_close(&k);
}

/* ---- started, stopped, filtered ---- */

static void what_does_not_run_records_nothing(void **state)
{
	struct kit k;

	posix_trace_event(ID, "x", 1);
	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	posix_trace_event(ID, "x", 1);
	for (int i = 0; i < 5; i++) {
		kit_start(&k);
		posix_trace_event(ID, "x", 1);
		/* The gate may be out of date: ctl decides. */
		atomic_fetch_and(&k.seg.state->ctl, ~(uint32_t)CTL_RUNNING);
		posix_trace_event(ID, "x", 1);
		kit_stop(&k);
		posix_trace_event(ID, "x", 1);
	}
	assert_int_equal(kit_drain(&k, NULL, NULL), 5);
	assert_int_equal(kit_lost(&k), 0);
	kit_close(&k);
}

static void filters_hold_from_the_flip_on(void **state)
{
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	posix_trace_event(ID, "x", 1);
	for (int i = 0; i < 4; i++) {
		unsigned other = !(atomic_load(&k.seg.state->ctl) & CTL_HALF);

		for (int w = 0; w < LAYOUT_FILTER_WORDS; w++)
			atomic_store(&k.seg.state->filter[other][w], 0);
		atomic_store(&k.seg.state->filter[other][(ID + i) / 64], 1ull << (ID + i) % 64);
		atomic_fetch_and(&k.seg.state->ctl, ~(uint32_t)CTL_UNFILTERED);
		atomic_fetch_xor(&k.seg.state->ctl, CTL_HALF);
		atomic_fetch_add(&k.seg.state->ctl, CTL_EPOCH);
		kit_drain(&k, NULL, NULL);
		for (int id = ID - 2; id < ID + 8; id++)
			for (int n = 0; n < 3; n++)
				posix_trace_event((trace_event_id_t)id, "x", 1);
		assert_int_equal(kit_drain(&k, NULL, NULL), 27);
	}
	kit_close(&k);
}

/* ---- time ---- */

static void ascending(const struct kit_event *e, void *arg)
{
	uint64_t *last = arg;

	assert_true(e->tick >= *last);
	*last = e->tick;
}

/* A thread moves to a processor whose counter is lower. */
static void ticks_of_a_thread_never_go_back(void **state)
{
	uint64_t last = 0, ahead;
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	posix_trace_event(ID, "x", 1);
	posix_trace_event(ID, "x", 1);
	ahead = thread_self->last += (uint64_t)1 << 40;
	for (int i = 0; i < 50; i++)
		posix_trace_event(ID, "x", 1);
	assert_int_equal(kit_drain(&k, ascending, &last), 52);
	assert_true(!record_is_fast(k.id.clock_kind, k.id.clock_mode) || last >= ahead);
	kit_close(&k);
}

/* ---- full ---- */

static void until_full_stops_and_counts(void **state)
{
	struct kit k;
	uint64_t n = 0, sent = 0;

	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	for (int round = 0; round < 3; round++) {
		kit_start(&k);
		for (int i = 0; i < 20000; i++, sent++)
			posix_trace_event(ID, "abcd", 4);
		assert_int_equal(atomic_load(&k.seg.state->ctl) & (CTL_RUNNING | CTL_FULL),
				 CTL_FULL);
		assert_true(atomic_load(&k.seg.state->t_full) != 0);
		assert_true(atomic_load(&k.seg.state->overrun) != 0);
		n += kit_drain(&k, NULL, NULL);
		assert_int_equal(n + kit_lost(&k), sent);
	}
	kit_stop(&k);
	kit_close(&k);
}

static void last_number(const struct kit_event *e, void *arg)
{
	uint64_t *seen = arg, n;

	memcpy(&n, e->data, 8);
	if (n < seen[0])
		seen[0] = n;
	if (n > seen[1])
		seen[1] = n;
	seen[2]++;
}

static void loop_keeps_the_newest(void **state)
{
	uint64_t seen[3] = {UINT64_MAX, 0, 0};
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_LOOP);
	kit_start(&k);
	for (uint64_t i = 0; i < 100000; i++)
		posix_trace_event(ID, &i, 8);
	assert_true(atomic_load(&k.seg.state->first_dropped) != 0);
	assert_int_equal(kit_drain(&k, last_number, seen), 100000 - kit_lost(&k));
	assert_int_equal(seen[1], 99999);
	assert_int_equal(seen[2], seen[1] - seen[0] + 1);
	assert_true(seen[2] * 8 >= 65536 / 4);
	kit_close(&k);
}

/* Of every length, as many as the stream's size pays for by their maximum size fit. */
static void what_the_size_promises_fits(void **state)
{
	static const uint32_t data_max[] = {0, 8, 256, 1024, 5000, 40000, 200000, 1048576};
	static const uint64_t sizes[] = {1, 65536, 1 << 20, 17 << 20};
	size_t count = sizeof(sizes) / sizeof(sizes[0]) - (KIT_WATCHED ? 2 : 0);
	static uint8_t data[1048576];
	struct kit k;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(data_max) / sizeof(data_max[0]); j++)
			for (size_t part = 0; part < 4; part++) {
				size_t length = data_max[j] / (1u << (3 * part));
				uint64_t each = geometry_user_event_max(length, data_max[j]), n = 0;

				kit_open(&k, sizes[i], data_max[j], POSIX_TRACE_UNTIL_FULL);
				kit_start(&k);
				for (; (n + 1) * each <= k.seg.g.stream_size && n < 60000; n++)
					posix_trace_event(ID, data, length);
				assert_int_equal(kit_lost(&k), 0);
				assert_int_equal(kit_drain(&k, NULL, NULL), n);
				for (n = 0; n < 1000000 && !kit_lost(&k) && part == 0; n++)
					posix_trace_event(ID, data, length);
				if (part == 0 && n < 1000000)
					assert_true(n * length <= 4 * k.seg.g.stream_size + 65536);
				kit_close(&k);
			}
}

/* ---- threads ---- */

enum { EACH = KIT_WATCHED ? 4000 : 20000 };

static void *emit(void *arg)
{
	for (uint64_t i = 0; i < EACH; i++) {
		uint64_t word = (uint64_t)(uintptr_t)arg << 32 | i;

		posix_trace_event(ID, &word, 8);
	}
	return NULL;
}

struct order {
	uint64_t next[64], n;
};

static void in_order(const struct kit_event *e, void *arg)
{
	struct order *order = arg;
	uint64_t word;

	memcpy(&word, e->data, 8);
	assert_true(word >> 32 < 64);
	order->n++;
}

static void threads_lose_nothing_unseen(void **state)
{
	static const uint32_t policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};
	static const unsigned threads[] = {1, 2, 8, 40};
	pthread_t t[40];
	struct kit k;

	for (int p = 0; p < 2; p++)
		for (int c = 0; c < 4; c++) {
			struct order order = {.n = 0};
			uint64_t got;

			kit_open(&k, 65536, 256, policies[p]);
			kit_start(&k);
			for (unsigned i = 0; i < threads[c]; i++)
				assert_int_equal(
				    pthread_create(&t[i], NULL, emit, (void *)(uintptr_t)i), 0);
			for (unsigned i = 0; i < threads[c]; i++)
				pthread_join(t[i], NULL);
			got = kit_drain(&k, in_order, &order);
			assert_int_equal(order.n, got);
			assert_int_equal(got + kit_lost(&k), (uint64_t)EACH * threads[c]);
			assert_int_equal(kit_states(&k, CHUNK_ACTIVE), 0);
			kit_close(&k);
		}
}

static void *emit_ten(void *arg)
{
	for (int i = 0; i < 10; i++)
		posix_trace_event(ID, "0123456789", 10);
	return arg;
}

static void short_threads_share_memory(void **state)
{
	struct kit k;
	pthread_t t;

	kit_open(&k, 1 << 20, 256, POSIX_TRACE_UNTIL_FULL);
	kit_start(&k);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(pthread_create(&t, NULL, emit_ten, NULL), 0);
		pthread_join(t, NULL);
	}
	assert_int_equal(kit_lost(&k), 0);
	assert_int_equal(kit_drain(&k, NULL, NULL), 10000);
	kit_close(&k);
}

/* ---- handlers ---- */

static _Atomic uint64_t from_handler;

static void on_signal(int sig)
{
	posix_trace_event(ID + 1, "handler", 7);
	atomic_fetch_add(&from_handler, 1);
}

static void handlers_and_what_they_interrupt_both_count(void **state)
{
	struct itimerval timer = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	static const uint32_t policies[] = {POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL};
	struct sigaction sa = {.sa_handler = on_signal};
	struct kit k;

	sigaction(SIGALRM, &sa, NULL);
	for (int p = 0; p < 2; p++) {
		uint64_t n = 0, sent = 0, least = KIT_WATCHED ? 30000 : 300000;

		kit_open(&k, 65536, 256, policies[p]);
		kit_start(&k);
		from_handler = 0;
		setitimer(ITIMER_REAL, &timer, NULL);
		for (; sent < least || from_handler == 0; sent++)
			posix_trace_event(ID, &sent, 8);
		setitimer(ITIMER_REAL, &off, NULL);
		n = kit_drain(&k, NULL, NULL);
		assert_int_equal(n + kit_lost(&k), sent + from_handler);
		kit_close(&k);
	}
}

/* ---- full, and room again ---- */

enum {
	FULL_THREADS = 4,
	FULL_ROUNDS = 6,
	FULL_EACH = KIT_WATCHED ? 3000 : 10000, /* more than 64 KiB hold */
};

static pthread_barrier_t turn;
static _Atomic bool full_over;

/* Events in rounds; handlers come while a round is on, and no event between two. */
static void *emit_in_rounds(void *arg)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	for (;;) {
		pthread_barrier_wait(&turn);
		if (full_over)
			return arg;
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
		for (uint64_t i = 0; i < FULL_EACH; i++)
			posix_trace_event(ID, &i, 8);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		pthread_barrier_wait(&turn);
	}
}

/* A stream that is full is drained and goes on, again and again: every event of each round was
 * recorded or lost, in threads whose cursors are of the run before, and in their handlers. */
static void full_and_room_again(void **state)
{
	struct itimerval timer = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = on_signal};
	pthread_t t[FULL_THREADS];
	uint64_t got = 0, sent = 0;
	sigset_t alarm, before;
	struct kit k;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &before); /* threads begin so, and this one drains */
	sigaction(SIGALRM, &sa, NULL);
	pthread_barrier_init(&turn, NULL, FULL_THREADS + 1);
	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	from_handler = 0;
	full_over = false;
	for (int i = 0; i < FULL_THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, emit_in_rounds, NULL), 0);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int round = 0; round < FULL_ROUNDS || from_handler == 0; round++) {
		uint64_t lost = kit_lost(&k), n;

		kit_start(&k);
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
		sent += FULL_THREADS * (uint64_t)FULL_EACH;
		n = kit_drain(&k, NULL, NULL);
		got += n;
		assert_true(n > 0);
		assert_true(kit_lost(&k) > lost);
		assert_int_equal(got + kit_lost(&k), sent + from_handler);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	full_over = true;
	pthread_barrier_wait(&turn);
	for (int i = 0; i < FULL_THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&turn);
	signal(SIGALRM, SIG_IGN); /* what may be pending */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	kit_close(&k);
}

/* A lost event does not read the clock, because the state is checked first. After the next start
 * the short path is used again. */
static void what_is_lost_looks_first(void **state)
{
	const struct cursor *c;
	struct kit k;

	kit_open(&k, 65536, 256, POSIX_TRACE_UNTIL_FULL);
	for (int round = 0; round < 3; round++) {
		kit_start(&k);
		posix_trace_event(ID, "abcd", 4);
		c = &thread_self->c[k.slot + 1];
		assert_int_equal(c->plain, c->other_clock ? 0 : c->limit);
		while (kit_lost(&k) == 0)
			posix_trace_event(ID, "abcd", 4);
		posix_trace_event(ID, "abcd", 4); /* the first one lost made it full */
		assert_int_equal(c->plain, 0);
		kit_drain(&k, NULL, NULL);
		atomic_store(&k.seg.state->lost[LOST_FULL], 0);
	}
	kit_close(&k);
}

/* ---- several streams ---- */

static void every_stream_gets_it(void **state)
{
	struct kit k[5];

	for (unsigned i = 0; i < 5; i++)
		kit_open_as(&k[i], i * 63, 65536, 256, POSIX_TRACE_LOOP,
			    i == 3 ? CLOCK_KIND_MONO : clock_kind(), i == 2);
	for (unsigned running = 0; running < 32; running++) {
		for (unsigned i = 0; i < 5; i++)
			if (running >> i & 1)
				kit_start(&k[i]);
		for (int n = 0; n < 10; n++)
			posix_trace_event(ID, "x", 1);
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(kit_drain(&k[i], NULL, NULL), running >> i & 1 ? 10 : 0);
			kit_stop(&k[i]);
		}
	}
	for (unsigned i = 0; i < 5; i++)
		kit_close(&k[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_event_is_as_it_was_given),
	    cmocka_unit_test(limits_of_data_are_the_streams),
	    cmocka_unit_test(ids_that_are_none_have_no_effect),
	    cmocka_unit_test(addresses_are_the_callers),
	    cmocka_unit_test(what_does_not_run_records_nothing),
	    cmocka_unit_test(filters_hold_from_the_flip_on),
	    cmocka_unit_test(ticks_of_a_thread_never_go_back),
	    cmocka_unit_test(until_full_stops_and_counts),
	    cmocka_unit_test(loop_keeps_the_newest),
	    cmocka_unit_test(what_the_size_promises_fits),
	    cmocka_unit_test(threads_lose_nothing_unseen),
	    cmocka_unit_test(short_threads_share_memory),
	    cmocka_unit_test(handlers_and_what_they_interrupt_both_count),
	    cmocka_unit_test(full_and_room_again),
	    cmocka_unit_test(what_is_lost_looks_first),
	    cmocka_unit_test(every_stream_gets_it),
	};

	return cmocka_run_group_tests(tests, kit_ids, NULL);
}

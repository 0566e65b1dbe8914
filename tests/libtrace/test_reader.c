/*
 * test_reader - what the reader makes of chunks written by hand: every state that a killed thread
 * can leave (docs/spec/trace-design.md 12), the order of events, the policies, and hostile bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "clockwork.h"
#include "libtrace/run.h"
#include "libtrace/status.h"
#include "scribe.h"

enum {
	HEAD = LAYOUT_CHUNK_HEAD,
	ID = POSIX_TRACE_UNNAMED_USEREVENT,
	MS = 1000000,
};

static struct scene s;

/* Time passes only when a test advances it: nothing here depends on the speed of the machine. */
static int open_loop(void **state)
{
	clockwork_stop();
	scene_open(&s, POSIX_TRACE_LOOP, 65536, 256);
	scene_start(&s);
	return 0;
}

static int open_until_full(void **state)
{
	clockwork_stop();
	scene_open(&s, POSIX_TRACE_UNTIL_FULL, 65536, 256);
	scene_start(&s);
	return 0;
}

static int close_scene(void **state)
{
	scene_close(&s);
	return 0;
}

/* A record whose data is one number. */
static uint32_t put(uint32_t chunk, uint32_t offset, uint64_t tick, uint64_t number)
{
	return scribe_put(&s, chunk, offset, 0, tick, ID, &number, sizeof(number));
}

static void expect_id(uint32_t id)
{
	struct event event;

	assert_int_equal(reader_next(&s.reader, &event), 1);
	assert_int_equal(event.id, id);
}

static struct event expect(uint64_t number)
{
	struct event event;
	uint64_t got;

	assert_int_equal(reader_next(&s.reader, &event), 1);
	assert_int_equal(event.id, ID);
	assert_int_equal(event.length, sizeof(got));
	memcpy(&got, event.data, sizeof(got));
	assert_int_equal(got, number);
	return event;
}

static void expect_nothing(void)
{
	struct event event;

	assert_int_equal(reader_next(&s.reader, &event), 0);
}

static enum chunk_state state_of(uint32_t chunk)
{
	return truth_state(atomic_load(&s.seg.cs[chunk]));
}

static struct posix_trace_counts_np counts(void)
{
	struct posix_trace_counts_np c;

	status_counts(&s.reader, &c);
	return c;
}

static int64_t real_of(uint64_t tick)
{
	return (int64_t)tick + s.ctl->id.real_offset;
}

/* --- chunks --------------------------------------------------------------------------------- */

static void merges_chunks_by_tick(void **state)
{
	uint64_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = scribe_tick(&s);
	scribe_open(&s, 5, 100);
	scribe_open(&s, 2, 101);
	put(5, put(5, HEAD, t[0], 0), t[3], 3);
	put(2, put(2, HEAD, t[1], 1), t[2], 2);
	assert_int_equal(counts().recorded, 4);
	for (int i = 0; i < 4; i++) {
		struct event event = expect((uint64_t)i);

		assert_int_equal(event.tid, i == 0 || i == 3 ? 100 : 101);
		assert_int_equal(event.thread, event.tid * 16);
		assert_int_equal(event.pid, 4711);
		assert_int_equal(event.real_ns, real_of(t[i]));
		assert_int_equal(event.address, 0x1000 + ID);
	}
	expect_nothing();
	assert_int_equal(counts().reported, 4);
}

static void goes_on_in_an_active_chunk(void **state)
{
	uint32_t at = HEAD;

	scribe_open(&s, 0, gettid());
	for (uint64_t i = 0; i < 40; i++) {
		at = put(0, at, scribe_tick(&s), i);
		if (i % 3 == 0)
			for (uint64_t j = i < 3 ? 0 : i - 2; j <= i; j++)
				expect(j);
	}
	scribe_state(&s, 0, CHUNK_FULL, 100);
	assert_int_equal(state_of(0), CHUNK_FULL);
	expect_nothing();
	assert_int_equal(state_of(0), CHUNK_FREE);
	assert_true(atomic_load(&s.seg.freemap[0]) & 1);
}

static void frees_full_chunks_and_keeps_partial_ones(void **state)
{
	scribe_open(&s, 0, 100);
	scribe_open(&s, 1, 101);
	put(0, HEAD, scribe_tick(&s), 0);
	put(1, HEAD, scribe_tick(&s), 1);
	scribe_state(&s, 0, CHUNK_FULL, 100);
	scribe_state(&s, 1, CHUNK_PART, 0);
	expect(0);
	expect(1);
	expect_nothing();
	assert_int_equal(state_of(0), CHUNK_FREE);
	assert_int_equal(state_of(1), CHUNK_PART);
}

/* A chunk passes from an ended thread to another; its writer is remembered over rounds. */
static void knows_who_took_a_chunk_over(void **state)
{
	uint64_t who[2] = {777, (uint64_t)4712 << 32 | 200};
	uint32_t at;
	struct event event;

	scribe_open(&s, 0, 100);
	at = put(0, HEAD, scribe_tick(&s), 0);
	at = scribe_put(&s, 0, at, RECORD_THREAD, scribe_tick(&s), 0, who, sizeof(who));
	at = put(0, at, scribe_tick(&s), 1);
	assert_int_equal(expect(0).tid, 100);
	event = expect(1);
	assert_int_equal(event.tid, 200);
	assert_int_equal(event.pid, 4712);
	assert_int_equal(event.thread, 777);
	put(0, at, scribe_tick(&s), 2);
	assert_int_equal(expect(2).tid, 200);
	scene_take_over(&s);
	assert_int_equal(counts().reported, 3);
}

static void leaves_what_is_newer_than_the_round(void **state)
{
	uint32_t at;

	scribe_open(&s, 0, 100);
	at = put(0, HEAD, scribe_tick(&s), 0);
	put(0, at, clock_mono() + 50 * MS, 1);
	expect(0);
	expect_nothing();
	clockwork_pass(60 * MS);
	expect(1);
}

/* A thread moves to a processor whose counter is lower: its order is kept, and its time does not
 * advance. */
static void keeps_order_where_ticks_go_back(void **state)
{
	uint64_t tick = scribe_tick(&s);
	int64_t real = 0;
	uint32_t at = HEAD;

	clockwork_pass(50 * MS);
	scribe_open(&s, 0, 100);
	for (uint64_t i = 0; i < 9; i++)
		at = put(0, at, tick + (i % 3 == 0 ? 10 * MS : 0) + i, i);
	for (uint64_t i = 0; i < 9; i++) {
		struct event event = expect(i);

		assert_true(event.real_ns >= real);
		real = event.real_ns;
	}
	expect_nothing();
}

static void takes_an_absurd_tick_for_now(void **state)
{
	scribe_open(&s, 0, 100);
	put(0, HEAD, UINT64_MAX, 0);
	assert_true(expect(0).real_ns <= real_of(clock_mono()));
}

/* --- the dead ------------------------------------------------------------------------------- */

static void reads_what_a_dead_thread_left_in_its_chunk(void **state)
{
	int32_t tid = scribe_dead_tid();

	scribe_open(&s, 3, tid);
	atomic_store(&s.seg.state->part_filled, 1);
	put(3, HEAD, scribe_tick(&s), 0);
	expect(0);
	expect_nothing();
	assert_int_equal(state_of(3), CHUNK_ACTIVE);
	clockwork_pass(25 * MS);
	expect_nothing();
	expect_nothing();
	assert_int_equal(state_of(3), CHUNK_FREE);
	assert_int_equal(atomic_load(&s.seg.state->part_filled), 0);
}

static void leaves_the_living_alone(void **state)
{
	scribe_open(&s, 3, gettid());
	scribe_open(&s, 4, gettid());
	scribe_state(&s, 4, CHUNK_TAKEN, gettid());
	expect_nothing();
	clockwork_pass(25 * MS);
	expect_nothing();
	assert_int_equal(state_of(3), CHUNK_ACTIVE);
	assert_int_equal(state_of(4), CHUNK_TAKEN);
}

/* No descriptor for /proc, or no /proc: no thread is considered dead because of that. */
static void buries_nobody_that_it_cannot_look_at(void **state)
{
	struct rlimit old, none;
	int32_t tid = scribe_dead_tid();

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	scribe_open(&s, 3, gettid());
	scribe_open(&s, 4, tid);
	expect_nothing();
	clockwork_pass(25 * MS);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	expect_nothing();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(state_of(3), CHUNK_ACTIVE);
	assert_int_not_equal(state_of(4), CHUNK_ACTIVE);
}

static void frees_what_a_dead_thread_had_taken(void **state)
{
	int32_t tid = scribe_dead_tid();

	scribe_open(&s, 3, tid);
	scribe_state(&s, 3, CHUNK_TAKEN, tid);
	expect_nothing();
	clockwork_pass(25 * MS);
	expect_nothing();
	assert_int_equal(state_of(3), CHUNK_FREE);
}

/* An overwriter dies before or after its store to lostc: the same count. */
static void counts_what_a_dead_overwriter_dropped(void **state)
{
	int32_t tid = scribe_dead_tid();

	for (int told = 0; told < 2; told++) {
		uint32_t chunk = 10 + (uint32_t)told, at = HEAD;
		uint64_t before = counts().lost_overwritten;

		scribe_open(&s, chunk, 100);
		for (uint64_t i = 0; i < 9; i++)
			at = put(chunk, at, scribe_tick(&s), i);
		expect(0);
		scribe_state(&s, chunk, CHUNK_FULL, 100);
		/* The copies of the round hold 8 more: given out before the rest is dropped. */
		for (uint64_t i = 1; i < 9; i++)
			expect(i);
		for (uint64_t i = 9; i < 14; i++)
			at = put(chunk, at, scribe_tick(&s), i);
		scribe_over(&s, chunk, tid, told, 5);
		expect_nothing();
		clockwork_pass(25 * MS);
		expect_nothing();
		assert_int_equal(state_of(chunk), CHUNK_FREE);
		assert_int_equal(counts().lost_overwritten, before + 5);
	}
}

/* A handler's events wait until the record that it interrupted is there. */
static void holds_nested_records(void **state)
{
	struct {
		struct layout_nested nested;
		uint64_t number;
	} data = {{.chunk = 4, .gen = 1, .offset = HEAD, .tid = 101}, 1};
	uint64_t outer = scribe_tick(&s);

	scribe_open(&s, 3, 100);
	scribe_open(&s, 4, 101);
	scribe_open(&s, 5, 102);
	scribe_put(&s, 3, HEAD, RECORD_NESTED, scribe_tick(&s), ID, &data, sizeof(data));
	put(5, HEAD, scribe_tick(&s), 2);
	expect_nothing();
	put(4, HEAD, outer, 0);
	for (uint64_t i = 0; i < 3; i++)
		expect(i);
	expect_nothing();
}

/* Copies that a lowered limit keeps back are given out in order with what comes later, in the same
 * chunk, in a new one at the same place, and elsewhere. */
static void goes_on_with_what_it_held_back(void **state)
{
	struct {
		struct layout_nested nested;
		uint64_t number;
	} data = {{.chunk = 4, .gen = 1, .offset = HEAD, .tid = 101}, 1};
	uint64_t outer = scribe_tick(&s), later;
	uint32_t at;

	scribe_open(&s, 3, 100);
	scribe_open(&s, 4, 101);
	scribe_open(&s, 5, 102);
	scribe_open(&s, 6, 103);
	scribe_put(&s, 3, HEAD, RECORD_NESTED, scribe_tick(&s), ID, &data, sizeof(data));
	at = put(5, HEAD, scribe_tick(&s), 2);
	put(6, HEAD, scribe_tick(&s), 3);
	scribe_state(&s, 6, CHUNK_FULL, 103);
	expect_nothing();
	assert_int_equal(state_of(6), CHUNK_FREE);
	assert_int_equal(counts().recorded, 3);
	scribe_open(&s, 6, 104);
	later = scribe_tick(&s);
	put(5, at, scribe_tick(&s), 5);
	put(6, HEAD, later, 4);
	put(4, HEAD, outer, 0);
	for (uint64_t i = 0; i < 6; i++)
		expect(i);
	expect_nothing();
}

static void holds_nested_records_for_20_ms(void **state)
{
	struct {
		struct layout_nested nested;
		uint64_t number;
	} data = {{.chunk = 4, .gen = 1, .offset = HEAD, .tid = 101}, 1};
	uint64_t outer = scribe_tick(&s);
	int64_t real;

	scribe_open(&s, 3, 100);
	scribe_open(&s, 4, 101);
	scribe_put(&s, 3, HEAD, RECORD_NESTED, scribe_tick(&s), ID, &data, sizeof(data));
	expect_nothing();
	clockwork_pass(19 * MS);
	expect_nothing();
	clockwork_pass(1 * MS);
	real = expect(1).real_ns;
	put(4, HEAD, outer, 0);
	assert_true(expect(0).real_ns >= real); /* times never go back */
}

/* --- take-over ------------------------------------------------------------------------------ */

static void goes_on_after_a_killed_reader(void **state)
{
	uint32_t at = HEAD;
	struct event event;
	uint64_t token;

	scribe_open(&s, 0, 100);
	for (uint64_t i = 0; i < 20; i++)
		at = put(0, at, scribe_tick(&s), i);
	scribe_state(&s, 0, CHUNK_FULL, 100);
	for (uint64_t i = 0; i < 7; i++)
		expect(i);
	assert_int_equal(reader_peek(&s.reader, &event), 1);
	token = event.token;
	scene_take_over(&s);
	assert_int_equal(reader_peek(&s.reader, &event), 1);
	assert_true(event.token == token); /* not consumed: the same again */
	for (uint64_t i = 7; i < 20; i++)
		expect(i);
	expect_nothing();
}

/* Killed after the copy, before or after the compare-and-swap. */
static void settles_a_half_done_take(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		uint32_t chunk = (uint32_t)swapped;
		struct intake_slot *slot = intake_slot(&s.reader.intake, chunk);
		struct event event;

		scribe_open(&s, chunk, 100);
		put(chunk, HEAD, scribe_tick(&s), 5);
		scribe_state(&s, chunk, CHUNK_FULL, 100);
		assert_int_equal(reader_peek(&s.reader, &event), 1);
		assert_int_equal(slot->state, SLOT_TAKEN);
		slot->state = SLOT_TRIED;
		if (!swapped)
			atomic_store(&s.seg.cs[chunk], slot->before);
		scene_take_over(&s);
		expect(5);
		expect_nothing();
	}
	assert_int_equal(counts().reported, 2);
}

/* --- policies ------------------------------------------------------------------------------- */

static void tells_of_an_overflow(void **state)
{
	struct event overflow, resume;
	uint64_t dropped, survivor;

	scribe_open(&s, 0, 100);
	dropped = scribe_tick(&s);
	put(0, HEAD, dropped, 0);
	scribe_state(&s, 0, CHUNK_FULL, 100);
	scribe_over(&s, 0, 100, true, 1);
	atomic_store(&s.seg.state->first_dropped, dropped);
	atomic_store(&s.seg.state->horizon, scribe_tick(&s));
	atomic_store(&s.seg.state->full, 1);
	scribe_open(&s, 0, 100);
	survivor = scribe_tick(&s);
	put(0, HEAD, survivor, 1);
	assert_int_equal(reader_next(&s.reader, &overflow), 1);
	assert_int_equal(overflow.id, POSIX_TRACE_OVERFLOW);
	assert_int_equal(overflow.length, 0);
	assert_int_equal(overflow.real_ns, real_of(dropped));
	assert_int_equal(reader_next(&s.reader, &resume), 1);
	assert_int_equal(resume.id, POSIX_TRACE_RESUME);
	assert_int_equal(resume.real_ns, real_of(survivor));
	assert_int_equal(expect(1).real_ns, real_of(survivor));
	expect_nothing();
	assert_int_equal(atomic_load(&s.seg.state->full), 0);
	assert_int_equal(counts().lost_overwritten, 1);
}

/* Events that the reader has copied but not delivered are older than the overwritten ones: they are
 * dropped too. */
static void drops_copies_older_than_the_horizon(void **state)
{
	uint32_t at = HEAD;

	scribe_open(&s, 0, 100);
	for (uint64_t i = 0; i < 10; i++)
		at = put(0, at, scribe_tick(&s), i);
	expect(0);
	atomic_store(&s.seg.state->horizon, scribe_tick(&s));
	put(0, at, scribe_tick(&s), 10);
	expect_id(POSIX_TRACE_OVERFLOW);
	expect_id(POSIX_TRACE_RESUME);
	expect(10);
	expect_nothing();
	assert_int_equal(counts().lost_overwritten, 9);
	assert_int_equal(counts().recorded, 11);
}

static void says_overflow_once_until_resume(void **state)
{
	uint32_t at = HEAD;

	scribe_open(&s, 0, 100);
	at = put(0, at, scribe_tick(&s), 0);
	atomic_store(&s.seg.state->first_dropped, s.tick);
	expect_id(POSIX_TRACE_OVERFLOW);
	atomic_store(&s.seg.state->first_dropped, s.tick);
	atomic_store(&s.seg.state->horizon, scribe_tick(&s));
	put(0, at, scribe_tick(&s), 1);
	expect_id(POSIX_TRACE_RESUME);
	expect(1);
	expect_nothing();
}

static void hides_overflow_and_resume_that_are_filtered(void **state)
{
	trace_event_set_t set;

	posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
	run_filter(&s.seg, s.ctl, &set, NULL);
	expect_id(POSIX_TRACE_FILTER);
	scribe_open(&s, 0, 100);
	put(0, HEAD, scribe_tick(&s), 0);
	atomic_store(&s.seg.state->first_dropped, s.tick);
	expect(0);
	expect_nothing();
}

static void puts_stop_last(void **state)
{
	struct run_caller me = run_called(NULL);
	struct event event;
	uint32_t at;

	scribe_open(&s, 0, 100);
	at = put(0, HEAD, scribe_tick(&s), 0);
	assert_true(run_stop(&s.seg, s.ctl, &me));
	at = put(0, at, scribe_tick(&s), 1); /* its call ran while stop was called */
	expect(0);
	assert_int_equal(reader_next(&s.reader, &event), 1);
	assert_int_equal(event.id, POSIX_TRACE_STOP);
	assert_int_equal(event.length, sizeof(int));
	assert_int_equal(*(const int *)event.data, 0);
	assert_int_equal(event.pid, 4711);
	assert_int_equal(event.tid, gettid());
	expect_nothing();
	assert_int_equal(counts().discarded, 1);
	assert_false(run_stop(&s.seg, s.ctl, &me));
	assert_true(run_start(&s.seg, s.ctl, &me));
	put(0, at, scribe_tick(&s), 2);
	expect_id(POSIX_TRACE_START);
	expect(2);
	expect_nothing();
}

/* The STOP is seen, the START that ends what it began is filtered: records come all the same. */
static void ends_a_stop_by_a_hidden_start(void **state)
{
	trace_event_set_t set;

	assert_true(run_stop(&s.seg, s.ctl, NULL));
	posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
	run_filter(&s.seg, s.ctl, &set, NULL);
	assert_true(run_start(&s.seg, s.ctl, NULL));
	scribe_open(&s, 0, 100);
	put(0, HEAD, scribe_tick(&s), 0);
	expect_id(POSIX_TRACE_STOP);
	expect(0);
	expect_nothing();
}

static bool unfiltered(void)
{
	return (atomic_load(&s.seg.state->ctl) & CTL_UNFILTERED) != 0;
}

/* Writers look into no filter as long as the control word says that it is empty. */
static void tells_whether_a_filter_is_empty(void **state)
{
	trace_event_set_t set;
	bool halted;

	assert_true(unfiltered());
	for (int i = 0; i < 3; i++) {
		posix_trace_eventset_empty(&set);
		assert_int_equal(posix_trace_eventset_add(LAYOUT_USER_END - 1, &set), 0);
		run_filter(&s.seg, s.ctl, &set, NULL);
		assert_false(unfiltered());
		assert_true(run_stop(&s.seg, s.ctl, NULL));
		assert_true(run_start(&s.seg, s.ctl, NULL));
		assert_false(unfiltered());
		if (i < 2) {
			posix_trace_eventset_empty(&set);
			run_filter(&s.seg, s.ctl, &set, NULL);
		} else {
			run_clear(&s.seg, s.ctl, &halted);
		}
		assert_true(unfiltered());
	}
}

/* As a writer that finds nothing free. */
static void fill_up(void)
{
	uint32_t word = atomic_load(&s.seg.state->ctl);

	assert_true(word & CTL_RUNNING);
	atomic_fetch_add(&s.seg.state->lost[LOST_FULL], 1);
	atomic_store(&s.seg.state->overrun, 1);
	atomic_store(&s.seg.state->ctl, (word & ~(uint32_t)CTL_RUNNING) | CTL_FULL);
	atomic_store(&s.seg.state->t_full, scribe_tick(&s));
}

static struct posix_trace_status_info status(void)
{
	struct posix_trace_status_info info;

	status_read(&s.reader, true, &info);
	return info;
}

static void stops_and_restarts_by_itself(void **state)
{
	uint32_t at;
	struct event event;

	scribe_open(&s, 0, 100);
	at = put(0, HEAD, scribe_tick(&s), 0);
	fill_up();
	put(0, at, scribe_tick(&s), 1); /* it had passed the look at ctl */
	assert_int_equal(status().posix_stream_status, POSIX_TRACE_SUSPENDED);
	assert_int_equal(status().posix_stream_full_status, POSIX_TRACE_FULL);
	expect(0);
	assert_int_equal(status().posix_stream_full_status, POSIX_TRACE_FULL);
	assert_int_equal(reader_next(&s.reader, &event), 1);
	assert_int_equal(event.id, POSIX_TRACE_STOP);
	assert_int_equal(event.length, sizeof(int));
	assert_int_not_equal(*(const int *)event.data, 0);
	assert_int_equal(event.thread, 0);
	assert_int_equal(event.address, 0);
	assert_int_equal(status().posix_stream_status, POSIX_TRACE_RUNNING);
	assert_int_equal(status().posix_stream_full_status, POSIX_TRACE_NOT_FULL);
	assert_true(s.reader.restarted);
	expect_id(POSIX_TRACE_START);
	expect_nothing();
	assert_int_equal(counts().lost_full, 2);
	assert_int_equal(counts().reported, 1);
}

static void keeps_a_stop_during_an_automatic_stop(void **state)
{
	struct run_caller me = run_called(NULL);

	fill_up();
	assert_false(run_start(&s.seg, s.ctl, &me));
	assert_false(run_stop(&s.seg, s.ctl, &me));
	expect_id(POSIX_TRACE_STOP);
	expect_nothing();
	assert_int_equal(status().posix_stream_status, POSIX_TRACE_SUSPENDED);
	assert_int_equal(status().posix_stream_full_status, POSIX_TRACE_NOT_FULL);
	assert_true(s.reader.halted);
	assert_true(run_start(&s.seg, s.ctl, &me));
	expect_id(POSIX_TRACE_START);
}

static void clears_an_automatic_stop(void **state)
{
	bool halted;

	scribe_open(&s, 0, 100);
	put(0, HEAD, scribe_tick(&s), 0);
	fill_up();
	reader_clear(&s.reader, run_clear(&s.seg, s.ctl, &halted));
	assert_true(halted);
	expect_nothing();
	assert_int_equal(status().posix_stream_status, POSIX_TRACE_SUSPENDED);
	assert_int_equal(status().posix_stream_full_status, POSIX_TRACE_NOT_FULL);
	assert_int_equal(counts().discarded, 1);
	assert_true(run_start(&s.seg, s.ctl, NULL));
	expect_id(POSIX_TRACE_START);
}

/* A writer that was killed between ctl and t_full, and one that comes when all is over. */
static void tells_the_tick_of_a_stop_itself(void **state)
{
	uint32_t word = atomic_load(&s.seg.state->ctl);

	atomic_store(&s.seg.state->ctl, (word & ~(uint32_t)CTL_RUNNING) | CTL_FULL);
	expect_id(POSIX_TRACE_STOP);
	expect_id(POSIX_TRACE_START);
	atomic_store(&s.seg.state->t_full, scribe_tick(&s));
	assert_int_equal(status().posix_stream_status, POSIX_TRACE_RUNNING);
	expect_nothing();
	assert_int_equal(atomic_load(&s.seg.state->t_full), 0);
}

static void clear_drops_what_is_older(void **state)
{
	uint32_t at = HEAD;
	uint64_t old;
	bool halted;

	scribe_open(&s, 0, 100);
	scribe_open(&s, 1, 101);
	for (uint64_t i = 0; i < 5; i++)
		at = put(0, at, scribe_tick(&s), i);
	expect(0);
	put(1, HEAD, scribe_tick(&s), 9);
	old = scribe_tick(&s);
	reader_clear(&s.reader, run_clear(&s.seg, s.ctl, &halted));
	assert_false(halted);
	at = put(0, at, old, 6); /* was being written */
	put(0, at, scribe_tick(&s), 7);
	expect(7);
	expect_nothing();
	assert_int_equal(counts().discarded, 6);
	assert_int_equal(counts().reported, 2);
	assert_int_equal(counts().recorded, 8);
}

/* --- many ----------------------------------------------------------------------------------- */

/* A random writer of 20 chunks; the reader reads now and then. The result is the sorted list of the
 * input. */
static void merges_at_random(void **state)
{
	enum { CHUNKS = 20, EVENTS = 20000 };
	uint32_t at[CHUNKS];
	uint64_t out = 0;

	srand(7);
	for (uint32_t c = 0; c < CHUNKS; c++) {
		scribe_open(&s, c, gettid());
		at[c] = HEAD;
	}
	for (uint64_t in = 0; in < EVENTS; in++) {
		uint32_t c = (uint32_t)rand() % CHUNKS, length = 8 + (uint32_t)rand() % 200;
		uint64_t data[26] = {in};

		if (!scribe_fits(&s, at[c], length)) {
			scribe_state(&s, c, CHUNK_FULL, 100);
			for (; out < in; out++)
				expect(out);
			expect_nothing();
			assert_int_equal(state_of(c), CHUNK_FREE);
			scribe_open(&s, c, gettid());
			at[c] = HEAD;
		}
		at[c] = scribe_put(&s, c, at[c], 0, scribe_tick(&s), ID, data, 8);
		if (rand() % 50 == 0)
			for (int n = rand() % 60; n > 0 && out <= in; n--, out++)
				expect(out);
	}
	for (; out < EVENTS; out++)
		expect(out);
	expect_nothing();
	assert_int_equal(counts().recorded, EVENTS);
}

static _Atomic bool mutating;

/* Changes random words after page 0 as fast as it can; the race is intended. */
__attribute__((no_sanitize("thread"))) static void *mutate(void *arg)
{
	uint64_t x = 88172645463325252u, words = (s.seg.g.bytes - LAYOUT_PAGE) / 8;
	_Atomic uint64_t *base = (_Atomic uint64_t *)(void *)(s.seg.base + LAYOUT_PAGE);

	while (mutating) {
		uint64_t n;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		n = x % 4 == 0 ? x / 8 % (s.seg.g.cs / 8) : x / 8 % words;
		atomic_store_explicit(&base[n],
				      x % 3 == 0   ? x
				      : x % 3 == 1 ? x & 0x3ff
						   : atomic_load(&base[n]) ^ 1u << x % 32,
				      memory_order_relaxed);
	}
	return arg;
}

/* CPU time of the calling thread, ns. */
static uint64_t worked(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void survives_a_hostile_segment(void **state)
{
	uint64_t end = worked() + 1500 * MS, longest = 0, given = 0;
	struct run_caller me = run_called(NULL);
	pthread_t thread;
	bool halted;

	clockwork_go();
	for (uint32_t c = 0; c < s.seg.g.chunks; c++) {
		uint32_t at = HEAD;

		scribe_open(&s, c, 100);
		while (scribe_fits(&s, at, 8))
			at = put(c, at, scribe_tick(&s), c);
	}
	mutating = true;
	assert_int_equal(pthread_create(&thread, NULL, mutate, NULL), 0);
	for (uint64_t before, i = 0; (before = worked()) < end; i++) {
		struct event event;

		if (reader_next(&s.reader, &event) == 1) {
			for (uint32_t b = 0; b < event.length; b++) /* all of it can be read */
				(void)((const volatile uint8_t *)event.data)[b];
			given++;
		}
		if (i % 1000 == 0)
			(void)(run_stop(&s.seg, s.ctl, &me) || run_start(&s.seg, s.ctl, &me));
		if (i % 5000 == 0)
			reader_clear(&s.reader, run_clear(&s.seg, s.ctl, &halted));
		if (i % 333 == 0)
			(void)status();
		if (worked() - before > longest)
			longest = worked() - before;
	}
	mutating = false;
	pthread_join(thread, NULL);
	assert_true(given > 0);
	assert_true(longest < 1000 * MS);
}

#define LOOP(test)       cmocka_unit_test_setup_teardown(test, open_loop, close_scene)
#define UNTIL_FULL(test) cmocka_unit_test_setup_teardown(test, open_until_full, close_scene)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    LOOP(merges_chunks_by_tick),
	    LOOP(goes_on_in_an_active_chunk),
	    LOOP(frees_full_chunks_and_keeps_partial_ones),
	    LOOP(knows_who_took_a_chunk_over),
	    LOOP(leaves_what_is_newer_than_the_round),
	    LOOP(keeps_order_where_ticks_go_back),
	    LOOP(takes_an_absurd_tick_for_now),
	    LOOP(reads_what_a_dead_thread_left_in_its_chunk),
	    LOOP(leaves_the_living_alone),
	    LOOP(buries_nobody_that_it_cannot_look_at),
	    LOOP(frees_what_a_dead_thread_had_taken),
	    LOOP(counts_what_a_dead_overwriter_dropped),
	    LOOP(holds_nested_records),
	    LOOP(goes_on_with_what_it_held_back),
	    LOOP(holds_nested_records_for_20_ms),
	    LOOP(goes_on_after_a_killed_reader),
	    LOOP(settles_a_half_done_take),
	    LOOP(tells_of_an_overflow),
	    LOOP(drops_copies_older_than_the_horizon),
	    LOOP(says_overflow_once_until_resume),
	    LOOP(hides_overflow_and_resume_that_are_filtered),
	    LOOP(puts_stop_last),
	    LOOP(ends_a_stop_by_a_hidden_start),
	    LOOP(tells_whether_a_filter_is_empty),
	    UNTIL_FULL(stops_and_restarts_by_itself),
	    UNTIL_FULL(keeps_a_stop_during_an_automatic_stop),
	    UNTIL_FULL(clears_an_automatic_stop),
	    UNTIL_FULL(tells_the_tick_of_a_stop_itself),
	    LOOP(clear_drops_what_is_older),
	    LOOP(merges_at_random),
	    LOOP(survives_a_hostile_segment),
	    UNTIL_FULL(survives_a_hostile_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

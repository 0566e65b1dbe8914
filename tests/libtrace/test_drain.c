/* test_drain - moves events from a stream into its log: only those before a given tick, so that it
 * ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clockwork.h"
#include "libtrace/drain.h"
#include "log_fixture.h"
#include "scribe.h"

enum {
	HEAD = LAYOUT_CHUNK_HEAD,
	ID = POSIX_TRACE_UNNAMED_USEREVENT,
	FORGED = 8, /* chunks */
};

static struct scene s;
static struct log_fixture f;

static int open_both(void **state)
{
	scene_open(&s, POSIX_TRACE_FLUSH, 65536, 256);
	scene_start(&s);
	fixture_open(&f, POSIX_TRACE_LOOP, 1 << 20, 256);
	return 0;
}

static int close_both(void **state)
{
	fixture_close(&f);
	scene_close(&s);
	return 0;
}

static uint32_t put(uint32_t chunk, uint32_t offset, uint64_t tick)
{
	return scribe_put(&s, chunk, offset, 0, tick, ID, "x", 1);
}

static void what_is_newer_stays(void **state)
{
	struct event event;
	uint32_t at;
	uint64_t until;

	scribe_open(&s, 0, 100);
	at = put(0, HEAD, scribe_tick(&s));
	at = put(0, at, until = scribe_tick(&s));
	put(0, at, scribe_tick(&s));
	assert_int_equal(drain(&s.reader, f.writer, until), 0);
	assert_int_equal(atomic_load(&s.ctl->reported), 2);
	assert_int_equal(reader_next(&s.reader, &event), 1);
	assert_int_equal(reader_next(&s.reader, &event), 0);
}

/* A target that, at each reading of the clock, has filled every taken chunk again with the same old
 * events. */
static void forge(void)
{
	for (uint32_t i = 0; i < FORGED; i++)
		if (truth_state(atomic_load(&s.seg.cs[i])) == CHUNK_FREE)
			scribe_state(&s, i, CHUNK_FULL, 100);
}

static void ends_whatever_a_target_does(void **state)
{
	for (uint32_t i = 0; i < FORGED; i++) {
		scribe_open(&s, i, 100);
		put(i, HEAD, scribe_tick(&s));
		scribe_state(&s, i, CHUNK_FULL, 100);
	}
	clockwork_each(forge);
	assert_int_equal(drain(&s.reader, f.writer, UINT64_MAX), 0);
	assert_int_equal(drain_end(&s.reader, f.writer), 0);
	clockwork_each(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(what_is_newer_stays, open_both, close_both),
	    cmocka_unit_test_setup_teardown(ends_whatever_a_target_does, open_both, close_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

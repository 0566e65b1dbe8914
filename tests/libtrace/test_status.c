/* test_status - status and counts of a stream written by hand: which members are reported once, and
 * which stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>

#include <cmocka.h>

#include "libtrace/run.h"
#include "libtrace/status.h"
#include "scribe.h"

static struct scene s;

static int open_loop(void **state)
{
	scene_open(&s, POSIX_TRACE_LOOP, 65536, 256);
	scene_start(&s);
	return 0;
}

static int close_scene(void **state)
{
	scene_close(&s);
	return 0;
}

static struct posix_trace_status_info read_status(bool reset)
{
	struct posix_trace_status_info info;

	status_read(&s.reader, reset, &info);
	return info;
}

static void resets_what_it_has_told(void **state)
{
	struct posix_trace_status_info info;

	atomic_store(&s.seg.state->overrun, 1);
	atomic_store(&s.ctl->log_overrun, 1);
	atomic_store(&s.ctl->flush_error, EFBIG);
	for (int i = 0; i < 2; i++) { /* the first looks only, the second takes */
		info = read_status(i == 1);
		assert_int_equal(info.posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
		assert_int_equal(info.posix_log_overrun_status, POSIX_TRACE_OVERRUN);
		assert_int_equal(info.posix_stream_flush_error, EFBIG);
	}
	info = read_status(true);
	assert_int_equal(info.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	assert_int_equal(info.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
	assert_int_equal(info.posix_stream_flush_error, 0);
	assert_int_equal(info.posix_stream_status, POSIX_TRACE_RUNNING);
}

/* While a LOOP stream is full, each event that comes is an overrun, though a whole chunk of older
 * ones has gone ahead. */
static void tells_an_overrun_for_each_event_in_a_full_stream(void **state)
{
	uint32_t at = LAYOUT_CHUNK_HEAD;

	scribe_open(&s, 0, 100);
	at = scribe_put(&s, 0, at, 0, scribe_tick(&s), POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	atomic_store(&s.seg.state->full, 1);
	atomic_store(&s.seg.state->overrun, 1);
	assert_int_equal(read_status(true).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	assert_int_equal(read_status(true).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
	assert_int_equal(read_status(true).posix_stream_full_status, POSIX_TRACE_FULL);
	scribe_put(&s, 0, at, 0, scribe_tick(&s), POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	assert_int_equal(read_status(true).posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	assert_int_equal(read_status(true).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN);
}

static void counts_each_event_in_one_place(void **state)
{
	struct posix_trace_counts_np c;
	uint32_t at = LAYOUT_CHUNK_HEAD;
	struct event event;

	scribe_open(&s, 0, 100);
	for (int i = 0; i < 10; i++)
		at = scribe_put(&s, 0, at, 0, scribe_tick(&s), POSIX_TRACE_UNNAMED_USEREVENT, NULL,
				0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(reader_next(&s.reader, &event), 1);
	atomic_store(&s.seg.state->lost[LOST_FULL], 3);
	atomic_store(&s.seg.state->lost[LOST_ATTACH], 2);
	atomic_store(&s.seg.lostc[7], (uint64_t)9 << LOSTC_BITS | 5);
	status_counts(&s.reader, &c);
	assert_int_equal(c.reported, 4);
	assert_int_equal(c.lost_overwritten, 5);
	assert_int_equal(c.recorded, 4 + 6 + 5);
	assert_int_equal(c.lost_full, 3);
	assert_int_equal(c.lost_attach, 2);
}

#define LOOP(test) cmocka_unit_test_setup_teardown(test, open_loop, close_scene)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    LOOP(resets_what_it_has_told),
	    LOOP(tells_an_overrun_for_each_event_in_a_full_stream),
	    LOOP(counts_each_event_in_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

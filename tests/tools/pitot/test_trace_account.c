/* test_trace_account - the counts of events, as numbers that add up, and as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pitot/trace/source.h"

static const struct {
	struct posix_trace_counts_np counts;
	int log_policy;
	const char *text;
} rows[] = {
    {{0}, POSIX_TRACE_APPEND, "emitted 0: kept 0, overwritten 0, lost 0"},
    {{.recorded = 3, .reported = 3},
     POSIX_TRACE_APPEND,
     "emitted 3: kept 3, overwritten 0, lost 0"},
    {{.recorded = 3, .reported = 3}, 0, "emitted 3: read 3, overwritten 0, lost 0"},
    {{.recorded = 5, .reported = 3}, 0, "emitted 5: read 3, overwritten 0, lost 0, unread 2"},
    {{.recorded = 7, .reported = 5, .lost_log = 2, .lost_full = 1},
     POSIX_TRACE_UNTIL_FULL,
     "emitted 8: kept 5, overwritten 0, lost 3 (not kept in the log 2, memory full 1)"},
    {{.recorded = 329093, .reported = 2404, .lost_log = 326689, .lost_full = 70911},
     POSIX_TRACE_LOOP,
     "emitted 400004: kept 2404, overwritten 326689, lost 70911 (overwritten in the log 326689, "
     "memory full 70911)"},
    {{.recorded = 21, .reported = 1, .lost_overwritten = 20, .lost_attach = 4},
     POSIX_TRACE_APPEND,
     "emitted 25: kept 1, overwritten 20, lost 4 (overwritten in memory 20, not attached 4)"},
    {{.recorded = 12, .reported = 3, .discarded = 9},
     POSIX_TRACE_APPEND,
     "emitted 12: kept 3, overwritten 0, lost 9 (at a stop 9)"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trace_account a = trace_account(&rows[i].counts, rows[i].log_policy);
		char text[TRACE_ACCOUNT_TEXT];

		assert_string_equal(trace_account_text(&a, text, sizeof(text)), rows[i].text);
		assert_int_equal(a.emitted, a.kept + a.overwritten + a.lost + a.unread);
		assert_int_equal(a.emitted, rows[i].counts.recorded + rows[i].counts.lost_full +
						rows[i].counts.lost_attach);
	}
}

/* A log may contain any counts: the text is never truncated. */
static void test_the_longest_text(void **state)
{
	struct posix_trace_counts_np counts;
	struct trace_account a;
	char text[TRACE_ACCOUNT_TEXT];

	(void)state;
	memset(&counts, 0xff, sizeof(counts));
	a = trace_account(&counts, POSIX_TRACE_LOOP);
	trace_account_text(&a, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_non_null(strchr(text, ')'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_the_longest_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

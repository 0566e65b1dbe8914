/* inline_count - replaces the library's posix_trace_event(), and counts its calls. */
#ifndef TESTS_LIBTRACE_INLINE_COUNT_H
#define TESTS_LIBTRACE_INLINE_COUNT_H

#include <stdbool.h>

/* Calls of posix_trace_event() so far. */
unsigned inline_calls(void);
/* Whether an address is in this program. */
bool inline_is_ours(const void *address);

#endif

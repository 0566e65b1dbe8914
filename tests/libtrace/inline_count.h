/* inline_count - stands before the library's posix_trace_event() and counts who comes. */
#ifndef TESTS_LIBTRACE_INLINE_COUNT_H
#define TESTS_LIBTRACE_INLINE_COUNT_H

#include <stdbool.h>

/* Calls of posix_trace_event() so far. */
unsigned inline_calls(void);
/* Whether an address lies in this program. */
bool inline_is_ours(const void *address);

#endif

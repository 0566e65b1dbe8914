/* inline_count - see inline_count.h. */
#include "inline_count.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#ifndef _TRACE_CALLS_ONLY
#define _TRACE_CALLS_ONLY
#endif
#include <trace.h>

static unsigned calls;
static void (*next)(trace_event_id_t, const void *, size_t);

__attribute__((constructor)) static void find(void)
{
	*(void **)&next = dlsym(RTLD_NEXT, "posix_trace_event");
}

__attribute__((visibility("default"))) void
posix_trace_event(trace_event_id_t id, const void *__restrict data, size_t len)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	next(id, data, len);
}

unsigned inline_calls(void)
{
	return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

bool inline_is_ours(const void *address)
{
	extern const char __executable_start, etext;

	return (const char *)address >= &__executable_start && (const char *)address < &etext;
}

/* predefined - the names of the predefined event types: event_predefined() of family.h. */
#include "libtrace/family.h"

static const char *const names[] = {
	[POSIX_TRACE_ERROR] = "posix_trace_error",
	[POSIX_TRACE_START] = "posix_trace_start",
	[POSIX_TRACE_STOP] = "posix_trace_stop",
	[POSIX_TRACE_OVERFLOW] = "posix_trace_overflow",
	[POSIX_TRACE_RESUME] = "posix_trace_resume",
	[POSIX_TRACE_FLUSH_START] = "posix_trace_flush_start",
	[POSIX_TRACE_FLUSH_STOP] = "posix_trace_flush_stop",
	[POSIX_TRACE_FILTER] = "posix_trace_filter",
	[POSIX_TRACE_UNNAMED_USEREVENT] = "posix_trace_unnamed_userevent",
};

const char *event_predefined(trace_event_id_t id)
{
	return id < sizeof(names) / sizeof(names[0]) ? names[id] : NULL;
}

/*
 * eventset - event sets: one bit for each event type, plain values in the application's memory
 * (docs/spec/posix-trace.md 8).
 */
#include <errno.h>
#include <string.h>

#include <trace.h>

#include "libtrace/layout.h"

_Static_assert(sizeof(trace_event_set_t) == LAYOUT_FILTER_WORDS * 8, "a set is a filter");

/* Types are 1 to LAYOUT_USER_END - 1, assigned or not. */
static int can_be_a_type(trace_event_id_t id)
{
	return id >= POSIX_TRACE_ERROR && id < LAYOUT_USER_END;
}

static unsigned long long bit(trace_event_id_t id)
{
	return 1ull << id % 64;
}

static void add_range(trace_event_set_t *set, trace_event_id_t first, trace_event_id_t end)
{
	for (trace_event_id_t id = first; id < end; id++)
		set->__bits[id / 64] |= bit(id);
}

int posix_trace_eventset_add(trace_event_id_t id, trace_event_set_t *set)
{
	if (!can_be_a_type(id))
		return EINVAL;
	set->__bits[id / 64] |= bit(id);
	return 0;
}

int posix_trace_eventset_del(trace_event_id_t id, trace_event_set_t *set)
{
	if (!can_be_a_type(id))
		return EINVAL;
	set->__bits[id / 64] &= ~bit(id);
	return 0;
}

int posix_trace_eventset_empty(trace_event_set_t *set)
{
	memset(set, 0, sizeof(*set));
	return 0;
}

int posix_trace_eventset_fill(trace_event_set_t *set, int what)
{
	/* Every system type belongs to a process, so WOPID is empty. */
	static const struct {
		int what;
		trace_event_id_t end;
	} ranges[] = {
		{ POSIX_TRACE_WOPID_EVENTS, POSIX_TRACE_ERROR },
		{ POSIX_TRACE_SYSTEM_EVENTS, POSIX_TRACE_UNNAMED_USEREVENT },
		{ POSIX_TRACE_ALL_EVENTS, LAYOUT_USER_END },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (ranges[i].what != what)
			continue;
		memset(set, 0, sizeof(*set));
		add_range(set, POSIX_TRACE_ERROR, ranges[i].end);
		return 0;
	}
	return EINVAL;
}

int posix_trace_eventset_ismember(trace_event_id_t id, const trace_event_set_t *__restrict set,
				  int *__restrict ismember)
{
	if (!can_be_a_type(id))
		return EINVAL;
	*ismember = (set->__bits[id / 64] & bit(id)) != 0;
	return 0;
}

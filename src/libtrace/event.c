/*
 * event - see event.h; and event sets: one bit for each event type, plain values in the
 * application's memory (docs/spec/posix-trace.md 8).
 */
#include "libtrace/event.h"

#include <errno.h>
#include <string.h>

#include <trace_np.h>

#include "libtrace/layout.h"

static struct timespec to_timespec(int64_t ns)
{
	struct timespec ts;

	ts.tv_sec = (time_t)(ns / 1000000000);
	ts.tv_nsec = (long)(ns % 1000000000);
	if (ts.tv_nsec < 0) {
		ts.tv_sec--;
		ts.tv_nsec += 1000000000;
	}
	return ts;
}

void event_report(const struct event *event, struct posix_trace_event_info *info, void *data,
		  size_t num_bytes, size_t *data_len)
{
	size_t len = event->length < num_bytes ? event->length : num_bytes;

	info->posix_event_id = event->id;
	info->posix_pid = event->pid;
	info->posix_prog_address = (void *)(uintptr_t)event->address;
	info->posix_thread_id = (pthread_t)event->thread;
	info->posix_timestamp = to_timespec(event->real_ns);
	info->posix_truncation_status =
	    event->length > num_bytes ? POSIX_TRACE_TRUNCATED_READ : (int)event->truncated;
	info->__posix_tid = event->tid;
	if (len > 0)
		memcpy(data, event->data, len);
	*data_len = len;
}

pid_t posix_trace_event_tid_np(const struct posix_trace_event_info *event)
{
	return event->__posix_tid;
}

/* ---- predefined types ---- */

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

/* ---- sets ---- */

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
	    {POSIX_TRACE_WOPID_EVENTS, POSIX_TRACE_ERROR},
	    {POSIX_TRACE_SYSTEM_EVENTS, POSIX_TRACE_UNNAMED_USEREVENT},
	    {POSIX_TRACE_ALL_EVENTS, LAYOUT_USER_END},
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

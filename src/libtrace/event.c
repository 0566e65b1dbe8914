/* event - see event.h. */
#include "libtrace/event.h"

#include <string.h>

#include <trace_np.h>

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

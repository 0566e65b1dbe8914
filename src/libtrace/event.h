/* event - one event on its way from a stream or log to the caller. */
#ifndef LIBTRACE_EVENT_H
#define LIBTRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <trace.h>

struct event {
	uint32_t id;
	int32_t pid, tid; /* 0: no process, no thread */
	uint64_t thread;  /* pthread_self() in that process */
	uint64_t address;
	int64_t real_ns;    /* nanoseconds since the epoch on the stream's own time line */
	uint32_t truncated; /* POSIX_TRACE_TRUNCATED_RECORD or 0 */
	uint32_t length;
	const void *data; /* borrowed: valid until the next call on the same source */
	uint64_t token;   /* identifies the event in its stream; 0: has no token */
};

/* Copies an event to the arguments of a getnext function: info, up to num_bytes of data, and the
 * length of the data; sets TRUNCATED_READ if the data does not fit. */
void event_report(const struct event *event, struct posix_trace_event_info *info, void *data,
		  size_t num_bytes, size_t *data_len);

/* The predefined names, of ids 1 to 9; NULL for others. Logs use them too. */
const char *event_predefined(trace_event_id_t id);

#endif

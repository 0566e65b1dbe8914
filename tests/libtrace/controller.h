/*
 * controller - a child process that makes a stream, records, and ends in some way; and what its
 * parent finds then. For the tests of keeper and remains, on the public interface.
 */
#ifndef TESTS_LIBTRACE_CONTROLLER_H
#define TESTS_LIBTRACE_CONTROLLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <trace_np.h>

/* Memory that controller and parent share. */
struct controller_state {
	_Atomic int created;       /* the stream is there */
	_Atomic uint64_t recorded; /* events that are recorded for sure */
	_Atomic int done;          /* shut down */
};

/* User events of a log or stream: data is their number; in order, without a gap. */
struct controller_log {
	uint64_t first, count;
	bool started; /* the first event is START */
	int stop;     /* data of the last event when that is STOP; -1 */
	bool whole;   /* nothing else was wrong */
};

/* Opens a log until that works, for so long: 0, or EINVAL; *ret_ms: how long it took. */
int controller_open(int fd, unsigned timeout_ms, trace_id_t *ret, double *ret_ms);
struct controller_log controller_read(trace_id_t log);

/* A running stream of the calling process; log is a descriptor, or below 0 for none. Exits on
 * failure. */
trace_id_t controller_stream(int log, int stream_policy, int log_policy);
/* Records so many events, and says so. */
void controller_record(struct controller_state *state, uint64_t count);

/* Processes whose parent is this one and whose name is "pitot-keeper": how many, the last one. */
int controller_keepers(pid_t parent, pid_t *ret);

/* Streams that a keeper has taken over: their control memory is mapped. */
int controller_kept(pid_t keeper);

#endif

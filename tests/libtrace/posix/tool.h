/*
 * tool - what the tests of <trace.h> share: streams from a few wishes, drained to a list; logs in
 * files without a name; children, gates between processes, clocks.
 *
 * Everything goes through the public interface, and a call that fails ends the test.
 */
#ifndef TRACE_TOOL_H
#define TRACE_TOOL_H

#include "runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trace.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define KIB          1024u
#define MIB          (1024u * 1024u)

/* The predefined types (docs/spec/posix-trace.md 7.1). */
struct predefined {
	trace_event_id_t id;
	const char *name;
};
extern const struct predefined tool_predefined[9]; /* the system's, then the unnamed user event */

/* Streams. A zero keeps the library's default. */
struct want {
	pid_t pid;
	int policy;
	size_t size;
	size_t data_max; /* 0: the default; for no data at all use NO_DATA */
	int inherited;
	const char *name;
	int log; /* descriptor: a stream with log */
	int log_policy;
	size_t log_size;
	bool running; /* started, and the START event read if there is no log */
};
#define NO_DATA ((size_t)-1)

trace_id_t tool_stream(const struct want *want);
void tool_attr(const struct want *want, trace_attr_t *ret_attr);
#define STREAM(...) tool_stream(&(struct want){__VA_ARGS__})
/* A small stream of this policy that runs, and whose START has been read. */
#define RUNNING(...) tool_stream(&(struct want){.running = true, __VA_ARGS__})

/* A trid that was valid once; one that no call ever gave. */
trace_id_t tool_stale(void);
/* A completed log of a few events, opened; its writer's descriptor if ret_fd is not NULL. */
trace_id_t tool_prerecorded(int *ret_fd);

/* Every function that takes a trid, by name, with harmless arguments. */
struct trid_call {
	const char *name;
	int (*call)(trace_id_t trid);
};
extern const struct trid_call tool_trid_calls[18];
/* They all give EINVAL for it; another result ends the test. */
void tool_all_einval(trace_id_t trid);
void tool_call_einval(const char *name, trace_id_t trid);

struct posix_trace_status_info tool_status(trace_id_t trid);
/* Ends the test if the state is another one; overrun and flush error are reset by looking. */
void tool_state(trace_id_t trid, int status, int full);
/* Asks until the stream has this state; ends the test after ten seconds. */
void tool_wait_state(trace_id_t trid, int status, int full);
size_t tool_stream_size(trace_id_t trid);

/* Events. */
struct event {
	struct posix_trace_event_info info;
	size_t len;
	unsigned char *data;
};
struct events {
	struct event *at;
	size_t count, room;
};
typedef bool (*event_fn)(const struct event *event, void *arg);

trace_event_id_t tool_id(const char *name);
/* Records a number, and numbers first to last, each in the first 8 of len bytes; the other bytes
 * follow from the number. */
void tool_emit(trace_event_id_t id, uint64_t number);
void tool_emit_run(trace_event_id_t id, uint64_t first, uint64_t last, size_t len);
uint64_t tool_number(const struct event *event);
/* Its bytes are those that tool_emit_run() gave. */
void tool_whole(const struct event *event);
/* How many events of len bytes are more than any stream of this size in force may hold. */
uint64_t tool_too_many(trace_id_t trid, size_t len);

/* The next event if there is one now: trygetnext, or getnext for a log. Its data is in a buffer of
 * the calling thread until the next call. */
bool tool_next(trace_id_t trid, struct event *ret_event);
bool tool_next_of_log(trace_id_t trid, struct event *ret_event);
/* All events there are, copied; those of a log. Lists live as long as the process. */
/* Zeroed memory that stays until the test's process ends, as everything does that these give. */
void *tool_alloc(size_t size);

struct events tool_drain(trace_id_t trid);
struct events tool_read_log(trace_id_t trid);
/* Opens the log that a descriptor leads to, and reads it all. */
struct events tool_log_of(int fd);

/* Of a list: how many of a type, index of the nth (-1: none), those of one type alone. */
size_t tool_count(const struct events *events, trace_event_id_t id);
long tool_find(const struct events *events, trace_event_id_t id, size_t nth);
struct events tool_only(const struct events *events, trace_event_id_t id);
/* The events of this type are numbered first, first + 1, ..., last, and nothing else. */
void tool_run_is(const struct events *events, trace_event_id_t id, uint64_t first, uint64_t last);
/* They are numbered without a gap; gives the first number and the last. */
void tool_contiguous(const struct events *events, trace_event_id_t id, uint64_t *ret_first,
		     uint64_t *ret_last);
int tool_int(const struct event *event); /* data that is exactly one int */

/* Sets. */
bool tool_member(const trace_event_set_t *set, trace_event_id_t id);
bool tool_same_set(const trace_event_set_t *a, const trace_event_set_t *b);
trace_event_set_t tool_set(size_t count, ...); /* of these ids */

/* Files: a log of its own, without a name, open for reading and writing; the same file opened again
 * with other flags; a file of these bytes; all bytes of a file. */
int tool_log(void);
int tool_reopen(int fd, int flags);
int tool_file(const void *bytes, size_t len);
unsigned char *tool_bytes(int fd, size_t *ret_len);
off_t tool_file_size(int fd);

/* Time. */
struct timespec tool_now(clockid_t clock);
struct timespec tool_later(long ms); /* of CLOCK_REALTIME */
int64_t tool_ns(struct timespec t);
void tool_sleep_ms(long ms);

/* Processes: runs a function in a forked child, which exits with 0 if the function returns. */
pid_t tool_fork(void (*body)(void *arg), void *arg);
/* A pipe as a gate: processes wait at it, and opening it lets one of them continue. */
struct gate {
	int fd[2];
};
struct gate tool_gate(void);
void tool_gate_open(struct gate gate);
void tool_gate_wait(struct gate gate);
/* Memory that a forked child shares. */
void *tool_shared(size_t size);
/* A user that owns nothing here; skips the test where only root could become it. */
uid_t tool_other_user(void);
int tool_open_descriptors(void);

/* Threads. */
pthread_t tool_thread(void *(*body)(void *arg), void *arg);
void *tool_join(pthread_t thread);

#endif

/*
 * trace.h - POSIX tracing: the Trace, Trace Event Filter, Trace Inherit and Trace Log options of
 * POSIX.1-2008, for Linux. Link with -ltrace.
 *
 * Every function returns 0 or a positive error number, and none sets errno; posix_trace_event()
 * returns nothing and posix_trace_eventid_equal() a boolean. Decisions that the standard leaves
 * open are written down in docs/spec/posix-trace.md, and so is each function's contract; the man
 * pages of section 3 say it for users. Extensions are in <trace_np.h>.
 */
#ifndef _TRACE_H
#define _TRACE_H

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* The C library's header says that these options are missing; with this library they are not. */
#undef _POSIX_TRACE
#undef _POSIX_TRACE_EVENT_FILTER
#undef _POSIX_TRACE_INHERIT
#undef _POSIX_TRACE_LOG
#define _POSIX_TRACE              200809L
#define _POSIX_TRACE_EVENT_FILTER 200809L
#define _POSIX_TRACE_INHERIT      200809L
#define _POSIX_TRACE_LOG          200809L

/* Limits: the least that a program may count on, and what there is (docs/spec/posix-trace.md 3). */
#ifndef _POSIX_TRACE_EVENT_NAME_MAX
#define _POSIX_TRACE_EVENT_NAME_MAX 30
#endif
#ifndef _POSIX_TRACE_NAME_MAX
#define _POSIX_TRACE_NAME_MAX 8
#endif
#ifndef _POSIX_TRACE_SYS_MAX
#define _POSIX_TRACE_SYS_MAX 8
#endif
#ifndef _POSIX_TRACE_USER_EVENT_MAX
#define _POSIX_TRACE_USER_EVENT_MAX 32
#endif
#ifndef TRACE_EVENT_NAME_MAX
#define TRACE_EVENT_NAME_MAX 63 /* bytes of an event name, without the null */
#endif
#ifndef TRACE_NAME_MAX
#define TRACE_NAME_MAX 64 /* bytes of a stream name or generation version, with the null */
#endif
#ifndef TRACE_SYS_MAX
#define TRACE_SYS_MAX 256 /* streams of a user at a time */
#endif
#ifndef TRACE_USER_EVENT_MAX
#define TRACE_USER_EVENT_MAX 4096 /* user event types of a process, the unnamed one included */
#endif

/* posix_stream_status */
#define POSIX_TRACE_RUNNING   1
#define POSIX_TRACE_SUSPENDED 2

/* posix_stream_full_status, posix_log_full_status */
#define POSIX_TRACE_NOT_FULL 0
#define POSIX_TRACE_FULL     1

/* posix_stream_overrun_status, posix_log_overrun_status */
#define POSIX_TRACE_NO_OVERRUN 0
#define POSIX_TRACE_OVERRUN    1

/* posix_stream_flush_status */
#define POSIX_TRACE_NOT_FLUSHING 0
#define POSIX_TRACE_FLUSHING     1

/* posix_truncation_status */
#define POSIX_TRACE_NOT_TRUNCATED    0
#define POSIX_TRACE_TRUNCATED_RECORD 1
#define POSIX_TRACE_TRUNCATED_READ   2

/* Full policies: FLUSH is for streams alone, APPEND for logs alone. */
#define POSIX_TRACE_LOOP       1
#define POSIX_TRACE_UNTIL_FULL 2
#define POSIX_TRACE_FLUSH      3
#define POSIX_TRACE_APPEND     4

/* Inheritance. */
#define POSIX_TRACE_CLOSE_FOR_CHILD 0
#define POSIX_TRACE_INHERITED       1

/* The sets of posix_trace_eventset_fill(). */
#define POSIX_TRACE_WOPID_EVENTS  1
#define POSIX_TRACE_SYSTEM_EVENTS 2
#define POSIX_TRACE_ALL_EVENTS    3

/* How posix_trace_set_filter() changes a filter. */
#define POSIX_TRACE_SET_EVENTSET 1
#define POSIX_TRACE_ADD_EVENTSET 2
#define POSIX_TRACE_SUB_EVENTSET 3

/* Predefined event types; all but the last belong to the system. */
#define POSIX_TRACE_ERROR              1
#define POSIX_TRACE_START              2
#define POSIX_TRACE_STOP               3
#define POSIX_TRACE_OVERFLOW           4
#define POSIX_TRACE_RESUME             5
#define POSIX_TRACE_FLUSH_START        6
#define POSIX_TRACE_FLUSH_STOP         7
#define POSIX_TRACE_FILTER             8
#define POSIX_TRACE_UNNAMED_USEREVENT  9
#define POSIX_TRACE_UNNAMED_USER_EVENT POSIX_TRACE_UNNAMED_USEREVENT

#ifdef __cplusplus
extern "C" {
#endif

/* C++ has no restrict, C before C99 neither; the C library's own spelling works in all of them. */
#define __TRACE_RESTRICT __restrict

#pragma GCC visibility push(default)

/* A stream or an opened log, valid in the process that made it; never reused soon. */
typedef unsigned int trace_id_t;

/* An event type, valid in the processes of one family (docs/spec/posix-trace.md 7.2). */
typedef unsigned int trace_event_id_t;

/* Event types, one bit each: a plain value without pointers. */
typedef struct {
	unsigned long long __bits[66];
} trace_event_set_t;

/* Attributes of a stream: a plain value without pointers. */
typedef struct {
	unsigned int __magic;
	int __stream_policy; /* 0: not set */
	int __log_policy;
	int __inherited;
	int __clock; /* of <trace_np.h> */
	int __flags; /* of <trace_np.h> */
	unsigned long long __stream_size;
	unsigned long long __log_size;
	unsigned long long __data_size;
	struct timespec __creation_time;
	struct timespec __clock_resolution;
	char __name[TRACE_NAME_MAX];
	char __version[TRACE_NAME_MAX];
	unsigned long long __reserved[6];
} trace_attr_t;

/* One event, without its data. */
struct posix_trace_event_info {
	trace_event_id_t posix_event_id;
	pid_t posix_pid; /* the process that executed the trace point */
	void *posix_prog_address;
	pthread_t posix_thread_id;
	struct timespec posix_timestamp; /* CLOCK_REALTIME's line, but never going back */
	int posix_truncation_status;
	int __posix_tid; /* posix_trace_event_tid_np() of <trace_np.h> */
};

/* The state of a stream. */
struct posix_trace_status_info {
	int posix_stream_full_status;
	int posix_stream_overrun_status;
	int posix_stream_status;
	int posix_log_full_status;
	int posix_log_overrun_status;
	int posix_stream_flush_error; /* 0 or an error number */
	int posix_stream_flush_status;
};

/*
 * Attribute objects (docs/spec/posix-trace.md 4, 10.1). EINVAL: the object was not initialised, or
 * the value is none of the named ones; a size is judged when a stream is made.
 */
int posix_trace_attr_init(trace_attr_t *attr);
int posix_trace_attr_destroy(trace_attr_t *attr);
int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *resolution);
int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *createtime);
int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *genversion);
int posix_trace_attr_getinherited(const trace_attr_t *__TRACE_RESTRICT attr,
				  int *__TRACE_RESTRICT policy);
int posix_trace_attr_getlogfullpolicy(const trace_attr_t *__TRACE_RESTRICT attr,
				      int *__TRACE_RESTRICT policy);
int posix_trace_attr_getlogsize(const trace_attr_t *__TRACE_RESTRICT attr,
				size_t *__TRACE_RESTRICT size);
int posix_trace_attr_getmaxdatasize(const trace_attr_t *__TRACE_RESTRICT attr,
				    size_t *__TRACE_RESTRICT size);
int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *__TRACE_RESTRICT attr,
					   size_t *__TRACE_RESTRICT size);
int posix_trace_attr_getmaxusereventsize(const trace_attr_t *__TRACE_RESTRICT attr, size_t len,
					 size_t *__TRACE_RESTRICT size);
int posix_trace_attr_getname(const trace_attr_t *attr, char *name);
int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *__TRACE_RESTRICT attr,
					 int *__TRACE_RESTRICT policy);
int posix_trace_attr_getstreamsize(const trace_attr_t *__TRACE_RESTRICT attr,
				   size_t *__TRACE_RESTRICT size);
int posix_trace_attr_setinherited(trace_attr_t *attr, int policy);
int posix_trace_attr_setlogfullpolicy(trace_attr_t *attr, int policy);
int posix_trace_attr_setlogsize(trace_attr_t *attr, size_t size);
int posix_trace_attr_setmaxdatasize(trace_attr_t *attr, size_t size);
int posix_trace_attr_setname(trace_attr_t *attr, const char *name);
int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int policy);
int posix_trace_attr_setstreamsize(trace_attr_t *attr, size_t size);

/*
 * Trace points (10.8, 10.9). posix_trace_event() is async-signal-safe, keeps errno, never blocks,
 * and has no effect where nothing records or the id was never assigned. ENAMETOOLONG: the name has
 * more than TRACE_EVENT_NAME_MAX bytes; when all ids are used a new name gets the unnamed event's.
 */
void posix_trace_event(trace_event_id_t id, const void *__TRACE_RESTRICT data, size_t len);
int posix_trace_eventid_open(const char *__TRACE_RESTRICT name,
			     trace_event_id_t *__TRACE_RESTRICT id);

/*
 * Where nothing records the process, a trace point is a load and a branch, without a call. Its
 * address is the function's, and so is what a program without optimisation calls, or one that has
 * defined _TRACE_CALLS_ONLY. The word is 0 as long as a call would have no effect
 * (docs/trace-internals.md).
 */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(_TRACE_CALLS_ONLY)
extern const volatile unsigned int *const __posix_trace_gate;

#ifndef __clang__
/* By the address alone, where the compiler can: one jump less. */
#ifdef __x86_64__
__attribute__((__noplt__))
#endif
void __posix_trace_event_call(trace_event_id_t __id, const void *__TRACE_RESTRICT __data,
			      size_t __len) __asm__("posix_trace_event");
#endif

extern __inline __attribute__((__gnu_inline__, __always_inline__)) void
posix_trace_event(trace_event_id_t __id, const void *__TRACE_RESTRICT __data, size_t __len)
{
	if (__builtin_expect(__atomic_load_n(__posix_trace_gate, __ATOMIC_RELAXED) != 0, 0)) {
#ifdef __clang__
		/* By an address that clang knows nothing of: it drops a function that calls itself.
		 */
		void (*__call)(trace_event_id_t, const void *__TRACE_RESTRICT, size_t) =
		    posix_trace_event;

		__asm__("" : "+r"(__call));
		__call(__id, __data, __len);
#else
		__posix_trace_event_call(__id, __data, __len);
#endif
	}
}
#endif

/*
 * Streams (10.2 to 10.7, 10.12, 10.13). EINVAL: no such stream, or not one of this kind. create:
 * ESRCH, EPERM, EAGAIN, ENOMEM; with a log EBADF, ENOSPC too. flush, shutdown: EFBIG, ENOSPC, EIO.
 */
int posix_trace_create(pid_t pid, const trace_attr_t *__TRACE_RESTRICT attr,
		       trace_id_t *__TRACE_RESTRICT trid);
int posix_trace_create_withlog(pid_t pid, const trace_attr_t *__TRACE_RESTRICT attr, int fd,
			       trace_id_t *__TRACE_RESTRICT trid);
int posix_trace_start(trace_id_t trid);
int posix_trace_stop(trace_id_t trid);
int posix_trace_clear(trace_id_t trid);
int posix_trace_flush(trace_id_t trid);
int posix_trace_shutdown(trace_id_t trid);
int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr);
int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *status);
int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set);
int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how);

/* Event types of a stream (10.9 to 10.11). EINVAL: no such stream, or an id without a name in it.
 */
int posix_trace_trid_eventid_open(trace_id_t trid, const char *__TRACE_RESTRICT name,
				  trace_event_id_t *__TRACE_RESTRICT id);
int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t a, trace_event_id_t b);
int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t id, char *name);
int posix_trace_eventtypelist_getnext_id(trace_id_t trid, trace_event_id_t *__TRACE_RESTRICT id,
					 int *__TRACE_RESTRICT unavailable);
int posix_trace_eventtypelist_rewind(trace_id_t trid);

/* Event sets (8): values in memory. EINVAL: an id that no type can have, or another "what". */
int posix_trace_eventset_add(trace_event_id_t id, trace_event_set_t *set);
int posix_trace_eventset_del(trace_event_id_t id, trace_event_set_t *set);
int posix_trace_eventset_empty(trace_event_set_t *set);
int posix_trace_eventset_fill(trace_event_set_t *set, int what);
int posix_trace_eventset_ismember(trace_event_id_t id,
				  const trace_event_set_t *__TRACE_RESTRICT set,
				  int *__TRACE_RESTRICT ismember);

/*
 * Reading events (10.14), oldest first, each once. data gets up to num_bytes bytes. EINVAL: there
 * is no such stream, or it was shut down during the call; EINTR, ETIMEDOUT: no event was consumed.
 */
int posix_trace_getnext_event(trace_id_t trid,
			      struct posix_trace_event_info *__TRACE_RESTRICT event,
			      void *__TRACE_RESTRICT data, size_t num_bytes,
			      size_t *__TRACE_RESTRICT data_len, int *__TRACE_RESTRICT unavailable);
int posix_trace_timedgetnext_event(trace_id_t trid,
				   struct posix_trace_event_info *__TRACE_RESTRICT event,
				   void *__TRACE_RESTRICT data, size_t num_bytes,
				   size_t *__TRACE_RESTRICT data_len,
				   int *__TRACE_RESTRICT unavailable,
				   const struct timespec *__TRACE_RESTRICT abstime);
int posix_trace_trygetnext_event(trace_id_t trid,
				 struct posix_trace_event_info *__TRACE_RESTRICT event,
				 void *__TRACE_RESTRICT data, size_t num_bytes,
				 size_t *__TRACE_RESTRICT data_len,
				 int *__TRACE_RESTRICT unavailable);

/* Logs (10.15). open: EINVAL if the descriptor cannot be read or is not of a complete log;
 * ENOMEM. */
int posix_trace_open(int fd, trace_id_t *trid);
int posix_trace_close(trace_id_t trid);
int posix_trace_rewind(trace_id_t trid);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

/*
 * trace_np.h - what <trace.h> lacks and a tool or an agent needs. Each extension has its reason;
 * nothing here repeats the standard. Functions return 0 or a positive error number.
 */
#ifndef _TRACE_NP_H
#define _TRACE_NP_H

#include <stdint.h>
#include <trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * Clock of a stream. Why: two events that are ordered by nothing but a plain atomic load need a
 * serialising time stamp, which costs 9 ns more, to be reported in that order.
 */
#define POSIX_TRACE_CLOCK_ADAPTIVE_NP                                                              \
	0                             /* default: ordered by locks, system calls, program order    \
				       */
#define POSIX_TRACE_CLOCK_STRICT_NP 1 /* by plain atomics too */

/* EINVAL: not initialised, or another value. */
int posix_trace_attr_getclock_np(const trace_attr_t *attr, int *clock);
int posix_trace_attr_setclock_np(trace_attr_t *attr, int clock);

/* The Linux thread id of an event that a get-next function gave. Why: pthread_t means nothing
 * outside its process. 0 when it is not known. */
pid_t posix_trace_event_tid_np(const struct posix_trace_event_info *event);

/*
 * Payload descriptions. Why: without them a viewer can show bytes alone. A description belongs to
 * an event type of the process, is seen by its controllers, and is stored in logs.
 */
#define POSIX_TRACE_FIELD_NAME_MAX_NP 31 /* bytes of a field name, without the null */
#define POSIX_TRACE_FIELDS_MAX_NP     32 /* fields of an event type */

enum posix_trace_field_type_np {
	POSIX_TRACE_FIELD_INT_NP = 1,   /* signed, size 1, 2, 4 or 8 */
	POSIX_TRACE_FIELD_UINT_NP = 2,  /* unsigned, the same sizes */
	POSIX_TRACE_FIELD_HEX_NP = 3,   /* unsigned, shown in hexadecimal: addresses, flags */
	POSIX_TRACE_FIELD_FLOAT_NP = 4, /* IEEE 754, size 4 or 8 */
	POSIX_TRACE_FIELD_CHARS_NP = 5, /* text, ended early by a null; size 0: the rest */
	POSIX_TRACE_FIELD_BYTES_NP = 6  /* opaque; size 0: the rest of the data */
};

struct posix_trace_field_np {
	char name[POSIX_TRACE_FIELD_NAME_MAX_NP + 1]; /* [A-Za-z_][A-Za-z0-9_]* */
	uint16_t type;                                /* enum posix_trace_field_type_np */
	uint16_t offset;                              /* bytes from the start of the data */
	uint16_t size;                                /* bytes; 0: to the end, last field alone */
	uint16_t reserved;                            /* 0 */
};

/* Describes the data of an event type that posix_trace_eventid_open() gave; the last description
 * counts. EINVAL: no such id, a wrong field; ENOMEM: no room for it. */
int posix_trace_eventid_describe_np(trace_event_id_t id, const struct posix_trace_field_np *fields,
				    size_t count);

/* The description of an event type of a stream or opened log: up to max fields, and how many there
 * are (0: none). EINVAL: no such stream or type. */
int posix_trace_eventid_get_fields_np(trace_id_t trid, trace_event_id_t id,
				      struct posix_trace_field_np *fields, size_t max,
				      size_t *count);

/*
 * Accounting. Why: recorded + lost = emitted is a promise, and the standard reports only that
 * events were lost. Counts of user events since the stream was made: emitted = recorded + lost_full
 * + lost_attach, recorded = reported + lost_overwritten + lost_log + discarded + those still
 * unread.
 */
struct posix_trace_counts_np {
	uint64_t recorded;         /* entered the stream */
	uint64_t reported;         /* given to a reader or written to the log */
	uint64_t lost_full;        /* found the stream full (UNTIL_FULL, FLUSH) */
	uint64_t lost_overwritten; /* overwritten unread (LOOP) */
	uint64_t lost_attach;      /* the traced process could not map the stream */
	uint64_t lost_log;         /* the log was full, or could not be written; those made
				    * while nothing is recorded because it is full, too */
	uint64_t discarded;        /* by posix_trace_clear(), or concurrent with a stop */
};

/* EINVAL: no such stream. Works for opened logs: the counts at their end. */
int posix_trace_get_counts_np(trace_id_t trid, struct posix_trace_counts_np *counts);

/*
 * Traceable processes. Why: a controller must find what it can trace. A process is traceable when
 * it runs with this library and the caller may trace it.
 */
struct posix_trace_process_np {
	pid_t pid;
	uid_t uid;
	uint64_t start_time;  /* clock ticks after boot: with pid it is never the same twice */
	unsigned streams;     /* active streams that it is the target of */
	unsigned event_types; /* user event types that it has opened */
	char command[16];
};

/* Fills in up to max processes, in order of pid, and how many there are. ENOMEM; EOVERFLOW: that is
 * what was found, but there is more than is looked at (for root, in what a user has). */
int posix_trace_processes_np(struct posix_trace_process_np *list, size_t max, size_t *count);

/*
 * The folder where a user's controllers and processes find each other. Why: any user may create a
 * file of that name first, and a user whose tracing fails must learn which file is in the way.
 */
struct posix_trace_place_np {
	char path[64];
	uid_t owner; /* of what is there */
	mode_t mode; /* 0: nothing is there */
};

/* The folder of a user, or the one that would be made: 0. EPERM: every place is taken by something
 * that is not his alone; this is the first. EACCES, ...: none can be made. */
int posix_trace_place_np(uid_t uid, struct posix_trace_place_np *place);

/*
 * Remains. Why: a stream without log whose controller was killed is gone for the standard, and is
 * just what one wants to see. Kept for an hour, 64 MiB a user, oldest first.
 */
struct posix_trace_remains_np {
	uint64_t id;
	pid_t target, controller;
	struct timespec created, ended; /* CLOCK_REALTIME */
	uint64_t bytes;
	char name[TRACE_NAME_MAX];
};

/* The caller's remains, oldest first. ENOMEM. */
int posix_trace_remains_np(struct posix_trace_remains_np *list, size_t max, size_t *count);

/* Writes remains as a complete log to fd, and removes them when keep is 0. ESRCH: no such remains;
 * EBADF, EFBIG, ENOSPC, EIO. */
int posix_trace_remains_save_np(uint64_t id, int fd, int keep);

/* Makes a complete log of what is whole in an incomplete one (its keeper was killed too, or the
 * machine crashed): reads from, writes to. Counts events kept, and bytes dropped, if not NULL.
 * EINVAL: not even the head of a log; EFBIG, ENOSPC, EIO. */
int posix_trace_log_recover_np(int from, int to, uint64_t *kept, uint64_t *dropped);

/* Limits and facts. Why: sysconf() knows only the limits of the standard. EINVAL (as -1): unknown
 * name. */
#define POSIX_TRACE_NP_CLOCK           1 /* 1: TSC, 2: CLOCK_MONOTONIC, 3: another counter */
#define POSIX_TRACE_NP_DATA_MAX        2 /* largest max-data-size */
#define POSIX_TRACE_NP_STREAM_MAX      3 /* largest stream-min-size, bytes */
#define POSIX_TRACE_NP_REMAINS_BYTES   4 /* remains kept a user */
#define POSIX_TRACE_NP_REMAINS_SECONDS 5
long posix_trace_sysconf_np(int name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

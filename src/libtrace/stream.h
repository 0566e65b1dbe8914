/*
 * stream - trace streams by their identifiers, in the process that made or opened them.
 * A trid has slot + 1 in the low 16 bits and a generation above. So a stale, foreign or invented
 * trid is refused without access to memory that it might point to. The table belongs to one
 * process: after a fork the child refuses every trid of its parent.
 *
 * Locks        the table's (held briefly; slots and reference counts), then stream->lock. Never the
 *              locks of two streams.
 * Life         stream_get() adds a reference, stream_put() drops it. Shutdown frees the slot, wakes
 *              blocked readers, waits until all references are dropped, then frees the stream.
 * Cancelling   between stream_get() and stream_put() the thread cannot be cancelled; a blocked
 *              reader permits it while it sleeps.
 */
#ifndef LIBTRACE_STREAM_H
#define LIBTRACE_STREAM_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <trace.h>

#include "libtrace/control.h"
#include "libtrace/reader.h"

/*
 * ---- sleeping readers ----
 * Writers never wake a reader (docs/spec/trace-design.md 5), so readers sleep in short naps;
 * control operations wake them at once.
 *
 *     stream_wake_enter()   with the stream's lock: one more sleeper
 *     stream_wake_nap()     without it
 *     stream_wake_leave()   with the lock again
 * A nap is a ppoll(), which unblocks signals and sleeps in one step. A reader keeps signals blocked
 * while it looks at the stream, so that none can arrive unnoticed between the look and the sleep.
 * ppoll() watches a pipe, which is made for the first sleeper. The pipe stays readable until the
 * last sleeper has left, so that a wake-up reaches all of them. If the application closes the pipe
 * (it closes all descriptors), this is noticed, and naps end by their timeout only.
 */

struct stream_wake {
	int fd[2];        /* -1: none */
	uint64_t mark[2]; /* see host.h */
	unsigned sleepers;
	bool called;
};

void stream_wake_init(struct stream_wake *wake);
void stream_wake_done(struct stream_wake *wake);

void stream_wake_enter(struct stream_wake *wake);
void stream_wake_leave(struct stream_wake *wake);
/* Sleeps with the signal mask `mask`: 0 if woken or the time has passed, -EINTR. The caller must
 * have disabled cancellation. */
int stream_wake_nap(const struct stream_wake *wake, uint64_t ns, const sigset_t *mask);

/* Wakes all sleepers; with the stream's lock. */
void stream_wake_all(struct stream_wake *wake);

struct family;
struct flusher;
struct log_reader;
struct log_writer;
struct registry_file;

enum stream_kind {
	STREAM_ACTIVE = 1u,   /* without log */
	STREAM_LOGGED = 2u,   /* active, with log */
	STREAM_RECORDED = 4u, /* an opened log */
};

enum {
	STREAM_LIVE = STREAM_ACTIVE | STREAM_LOGGED,
	STREAM_ANY = STREAM_LIVE | STREAM_RECORDED,
};

struct stream {
	enum stream_kind kind;
	pthread_mutex_t lock;
	_Atomic uint32_t waiting, served; /* for the lock; of these, got it */
	unsigned refs;                    /* guarded by the table's lock */
	_Atomic bool closing;             /* makes blocked readers end */
	uid_t uid;                        /* whose registry directory */
	int seg_fd, ctl_fd;
	uint64_t seg_mark, ctl_mark; /* see host.h */
	struct segment seg;
	struct control *ctl;
	struct reader reader;
	struct stream_wake wake;      /* sleeping readers */
	struct registry_file *target; /* registry of the traced process */
	struct family *family;
	struct log_writer *writer;  /* STREAM_LOGGED */
	struct flusher *flusher;    /* STREAM_LOGGED */
	uint64_t log_position;      /* STREAM_LOGGED: of getnext in the current block */
	struct log_reader *log;     /* STREAM_RECORDED */
	trace_event_id_t list_last; /* last type that the event type list returned; 0: none */
};

/* An empty stream of a kind: NULL if there is no memory. stream_free() is for a stream without
 * trid; it unmaps, closes and frees everything except writer, flusher and log. */
struct stream *stream_new(enum stream_kind kind);
void stream_free(struct stream *stream);

/* Finds a stream of one of `kinds` (or-ed) and adds a reference: NULL if there is none. */
struct stream *stream_get(trace_id_t trid, unsigned kinds);
void stream_put(struct stream *stream);

/* The stream's lock. A mutex of the C library is not fair: a thread that unlocks and locks again
 * at once gets it before a sleeping waiter is awake. So such a thread must yield first: see
 * flusher.c. */
void stream_lock(struct stream *stream);
void stream_unlock(struct stream *stream);

/* Gives a stream a trid: 0, -EAGAIN (no slot). Takes ownership. */
int stream_register(struct stream *stream, trace_id_t *ret_trid);
/* Removes the trid, wakes the stream's sleepers and waits for the references; the caller then
 * frees the stream. NULL: there is none, or another thread did it. The caller must not hold a
 * reference. */
struct stream *stream_unregister(trace_id_t trid, unsigned kinds);

/* Calls a function with the trid of each stream of these kinds, at the end of the process. */
void stream_each(unsigned kinds, void (*call)(trace_id_t trid));

/* The cancel state before stream_get(), for threads that permit cancellation while they sleep. */
int stream_cancel_state(void);

/* ---- stream_create.c: the common part of create, create_withlog and shutdown ---- */

/*
 * Makes a suspended stream of a kind for a process, by resolved attributes (attr_resolve()); no
 * process records into it yet. 0, -EINVAL, -ESRCH, -EPERM, -EAGAIN, -ENOMEM, in this order
 * (docs/spec/posix-trace.md 10.2). Sets the creation time in the stream's copy of attr.
 */
int stream_make(pid_t pid, const trace_attr_t *attr, enum stream_kind kind,
		struct stream **ret_stream);

/* Makes the stream known to its target and to the keeper, and gives it a trid: 0, -EAGAIN,
 * -ENOMEM, -ESRCH. On failure the stream is as after stream_make(). */
int stream_publish(struct stream *stream, trace_id_t *ret_trid);

/* Undoes both, for a stream without trid. Its memory is released at once, whichever processes map
 * it. */
void stream_unmake(struct stream *stream);

#endif

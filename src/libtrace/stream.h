/*
 * stream - trace streams by their identifiers, in the process that made or opened them.
 *
 * A trid has slot + 1 in the low 16 bits and a generation above. So a stale, foreign or invented trid is
 * refused without access to memory that it might point to. The table belongs to one process: after a
 * fork the child refuses every trid of its parent.
 *
 * Locks        the table's (held briefly; slots and reference counts), then stream->lock. Never the
 *              locks of two streams.
 * Life         stream_get() adds a reference, stream_put() drops it. Shutdown frees the slot, wakes
 *              blocked readers, waits until all references are dropped, then frees the stream.
 * Cancelling   between stream_get() and stream_put() the thread cannot be cancelled; a blocked reader
 *              permits it while it sleeps.
 */
#ifndef LIBTRACE_STREAM_H
#define LIBTRACE_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "libtrace/control.h"
#include "libtrace/reader.h"
#include "libtrace/wake.h"

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
	_Atomic uint32_t waiting, served; /* threads waiting for the lock; waiters that got it so
					   * far */
	unsigned refs;	      /* guarded by the table's lock */
	_Atomic bool closing; /* makes blocked readers end */
	uid_t uid;	      /* whose registry directory */
	int seg_fd, ctl_fd;
	uint64_t seg_mark, ctl_mark; /* see own_fd.h */
	struct segment seg;
	struct control *ctl;
	struct reader reader;
	struct stream_wake wake; /* sleeping readers */
	struct registry_file *target; /* registry of the traced process */
	struct family *family;
	struct log_writer *writer; /* STREAM_LOGGED */
	struct flusher *flusher;   /* STREAM_LOGGED */
	uint64_t log_position;	   /* STREAM_LOGGED: position of getnext in the log's current
				    * block */
	struct log_reader *log;	   /* STREAM_RECORDED */
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
int stream_register(struct stream *stream, trace_id_t *ret);
/* Removes the trid, wakes the stream's sleepers and waits for the references; the caller then
 * frees the stream. NULL: there is none, or another thread did it. The caller must not hold a
 * reference. */
struct stream *stream_unregister(trace_id_t trid, unsigned kinds);

/* Calls a function with the trid of each stream of these kinds, at the end of the process. */
void stream_each(unsigned kinds, void (*call)(trace_id_t trid));

/* The cancel state before stream_get(), for threads that permit cancellation while they sleep. */
int stream_cancel_state(void);

#endif

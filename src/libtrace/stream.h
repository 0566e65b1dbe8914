/*
 * stream - trace streams by their identifiers, in the process that made or opened them.
 *
 * A trid is slot + 1 in the low 16 bits and a generation above: a stale, foreign or invented one is
 * refused without touching memory that it might point to. The table belongs to one pid: after a
 * fork every trid of the parent is refused in the child.
 *
 * Locks        table (short; slots and reference counts), then stream->lock. Never two streams.
 * Life         stream_get() counts a reference, stream_put() gives it back; shutdown takes the
 *              slot away, wakes blocked readers, waits until the references are gone, frees.
 * Cancelling   between stream_get() and stream_put() the thread cannot be cancelled; a blocked
 *              reader allows it while it sleeps.
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
	_Atomic uint32_t waiting, served; /* for the lock; of those, how many got it so far */
	unsigned refs;	      /* table lock */
	_Atomic bool closing; /* blocked readers look at it */
	uid_t uid;	      /* whose registry directory */
	int seg_fd, ctl_fd;
	uint64_t seg_mark, ctl_mark; /* own_fd.h */
	struct segment seg;
	struct control *ctl;
	struct reader reader;
	struct wake wake; /* readers that sleep */
	struct registry_file *target; /* of the traced process */
	struct family *family;
	struct log_writer *writer; /* STREAM_LOGGED */
	struct flusher *flusher;   /* STREAM_LOGGED */
	uint64_t log_position;	   /* STREAM_LOGGED: of getnext in the block under way */
	struct log_reader *log;	   /* STREAM_RECORDED */
	trace_event_id_t list_last; /* that the event type list gave last; 0: none */
};

/* An empty stream of a kind: NULL when there is no memory. free: of one that has no trid (any
 * more); unmaps, closes and frees what it has, but for writer, flusher and log. */
struct stream *stream_new(enum stream_kind kind);
void stream_free(struct stream *stream);

/* Finds a stream that is one of `kinds` (or-ed) and counts a reference: NULL when there is none. */
struct stream *stream_get(trace_id_t trid, unsigned kinds);
void stream_put(struct stream *stream);

/* The stream's lock. The C library's is nobody's in particular: who gives it back and wants it again at
 * once has it before anybody who sleeps is awake; so such a one lets in who waits: flusher.c. */
void stream_lock(struct stream *stream);
void stream_unlock(struct stream *stream);

/* Gives a stream a trid: 0, -EAGAIN (no slot). Takes it over. */
int stream_register(struct stream *stream, trace_id_t *ret);
/* Takes the trid away, wakes who sleeps on the stream, waits for the references: the caller frees.
 * NULL: there is none, or somebody else did. Not to be called with a reference of one's own. */
struct stream *stream_unregister(trace_id_t trid, unsigned kinds);

/* Calls for the trid of each stream of these kinds; for the end of the process. */
void stream_each(unsigned kinds, void (*call)(trace_id_t trid));

/* The state of cancelling before stream_get(), for who sleeps and may be cancelled then. */
int stream_cancel_state(void);

#endif

/*
 * stream - an attachment: the trace stream of one process, its event types, what was taken out.
 *
 * Everything here is guarded by the collector's lock (collector.h), but for stream_attach() and
 * stream_shutdown(), which take their time and touch nothing that another thread knows.
 */
#ifndef TRACING_STREAM_H
#define TRACING_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trace_np.h>

#include "process.h"
#include "ring.h"
#include "tracing.h"

struct stream;

/* The parameter metric of a field: a number of fields.h, or one of these. */
enum { FIELD_UNKNOWN = -1, FIELD_NONE = -2 };

struct type {
	struct stream *stream;
	trace_event_id_t id;
	char name[TRACE_EVENT_NAME_MAX + 1];
	uint64_t count, bytes;
	uint64_t before; /* count, when the rate was last computed */
	uint64_t looked; /* count, when the description was last looked at */
	double rate;
	struct posix_trace_field_np *fields;
	unsigned int nfields;
	/* Of the thread that answers requests. */
	int inst;    /* -1 without a number */
	int *params; /* of the fields */
	bool resolved;
};

/* The values of metrics about a stream; filled in by stream_look(). */
struct stream_values {
	uint64_t recorded, reported, lost_full, lost_overwritten, lost_attach, discarded,
	    lost_queue, emitted, bytes, size, queue_bytes;
	uint32_t status, full, queue_clients, pid, running, zero;
	int32_t flush_error;
	const char *policy, *filter, *only;
};

enum { STREAM_RUNNING = 1, STREAM_STOPPED, STREAM_ENDED };

struct stream {
	struct stream *next;
	unsigned int serial;    /* never the same twice in a run */
	struct process process; /* as it was when it was attached */
	trace_id_t trid;
	bool live;
	bool detached; /* on purpose: it need not linger */
	uint64_t ended_ms;
	struct stream_values values;
	char policy[TRACING_TEXT], filter[TRACING_TEXT], only[TRACING_TEXT];
	struct type **types; /* the first counts those that do not fit */
	unsigned int ntypes, types_room;
	uint16_t *by_id;       /* index of a type; 0: none yet */
	uint64_t bytes, taken; /* of the program's events, not the system's */
	uint64_t enough;       /* taken, when a request has what it is owed */
	struct ring ring;
	struct ring recent;         /* the latest events, with or without a watcher */
	bool interest;              /* a watcher wants the events */
	uint64_t next_ms, pause_ms; /* when the thread looks here again */
	/* Of the thread that answers requests. */
	int inst, queue; /* -1: none */
	unsigned int ntypes_known;
	unsigned int nfields;             /* metrics that were made for it */
	bool skipped;                     /* by a fetch whose answer was large enough already */
	uint64_t queue_bytes, queue_held; /* of its events; of all that the queue keeps */
};

/* How a process is attached. */
struct stream_options {
	const char *only; /* event names by commas; "": all */
	uint64_t size;    /* 0: the default */
	int policy;
	const char *why; /* for tracing.stream.policy */
};

/* Makes and starts a stream; 0 or -errno. */
int stream_attach(const struct process *process, const struct stream_options *options,
		  struct stream **ret);

/* Ends the stream; its object stays. To be called once, when live is false already. */
void stream_shutdown(struct stream *stream);
void stream_free(struct stream *stream);

/* The resources and counters for taking events. */
struct stream_budget {
	uint64_t queue, memory; /* limits: of a stream, of all */
	uint64_t used;          /* of memory, by the rings and queues of all streams */
	unsigned int types;     /* of all streams */
	unsigned int recent;    /* events that are kept for a first fetch */
	bool no_room_for_types; /* reported once */
};

/* Takes up to most events out: how many there were. */
unsigned int stream_take(struct stream *stream, unsigned int most, struct stream_budget *budget);

/* Makes values those of now; a stream that has ended keeps its last. */
void stream_look(struct stream *stream);

/* Events that are still in the stream. */
uint64_t stream_unread(const struct stream *stream);

/* Descriptions that have come or changed since the types were first seen. */
void stream_describe(struct stream *stream);

/* Once a second. */
void stream_rates(struct stream *stream, double seconds);

/* Changes which events are recorded: 0 or -errno. names: by commas, "": none is filtered, or all
 * are let through. */
int stream_filter(struct stream *stream, const char *names);
int stream_only(struct stream *stream, const char *names);
int stream_run(struct stream *stream, bool run);
int stream_clear(struct stream *stream);

#endif

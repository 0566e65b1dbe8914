/*
 * source - events out of a stream or a log, their counts, and the gaps between them.
 */
#ifndef PITOT_TRACE_SOURCE_H
#define PITOT_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trace_np.h>

/*
 * trace_source - events out of a stream or an opened log, one after the other, with their types.
 */

/* An event type: its name, and the fields of its data where they were described. */
struct trace_type {
	trace_event_id_t id;
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t nfield;
	size_t covered; /* bytes from the start of the data to the end of the last field */
	bool open;	/* the last field takes the rest of the data, however long */
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
};

/* The part of the described type that the data of an event has. */
enum trace_form {
	TRACE_FIELDS, /* all the fields, and nothing else */
	TRACE_REST,   /* all the fields, and more bytes after them */
	TRACE_BYTES,  /* less, or nothing is described: bytes */
};

struct trace_event {
	struct posix_trace_event_info info;
	const struct trace_type *type; /* of the source */
	const uint8_t *data;	       /* of the source, until the next event */
	size_t length;
};

struct trace_source {
	trace_id_t trid;
	bool live; /* a stream: types may be described at any time */
	uint8_t *buffer;
	size_t room;
	struct trace_type **types; /* by id */
	size_t ntypes;
	struct trace_type unknown;
};

/* Reads from trid, which stays the caller's. 0, or an error number. */
int trace_source_init(struct trace_source *s, trace_id_t trid, bool live);
void trace_source_done(struct trace_source *s);

/*
 * The next event: 1, 0 when there is none (now, or any more), or a negative error number. A live
 * source waits for one until abstime, NULL: not at all.
 */
int trace_source_next(struct trace_source *s, const struct timespec *abstime,
		      struct trace_event *ret_event);

/* The type of an id; one without name for an id that has none. */
const struct trace_type *trace_source_type(struct trace_source *s, trace_event_id_t id);

enum trace_form trace_form(const struct trace_event *e);

/* The bytes of a field; a text ends before its null. For a form that has fields. */
const uint8_t *trace_field(const struct trace_event *e, const struct posix_trace_field_np *f,
			   size_t *ret_length);

/* A field of 1, 2, 4 or 8 bytes. */
uint64_t trace_unsigned(const uint8_t *p, size_t size);
int64_t trace_signed(const uint8_t *p, size_t size);
double trace_float(const uint8_t *p, size_t size);

/* The last second of a time: in nanoseconds it fits 64 bits, with room for sums and differences. */
#define TRACE_SECONDS_MAX 9000000000

/* Nanoseconds since the epoch. A log or a traced process can claim times that no clock shows: the nearest
 * time from 0 to TRACE_SECONDS_MAX is returned for them. */
int64_t trace_event_ns(const struct trace_event *e);

/* The system's types: what their data is. */
enum trace_system {
	TRACE_SYSTEM_NONE, /* a user's type, or no data */
	TRACE_SYSTEM_INT,  /* an int: posix_trace_stop, posix_trace_error */
	TRACE_SYSTEM_SETS, /* event sets: posix_trace_start one, posix_trace_filter two */
};
enum trace_system trace_system(const struct trace_event *e);

/* Set number i in the data of such an event, -1 where it is too short; else 0. */
int trace_system_set(const struct trace_event *e, size_t i, trace_event_set_t *ret_set);

/* The ids in a set, ascending: calls back for each. */
void trace_set_walk(const trace_event_set_t *set, void (*each)(void *arg, trace_event_id_t id),
		    void *arg);

/*
 * trace_account - where the events of a program are: kept + overwritten + lost = emitted, exactly.
 *
 *     kept         in the log; of a stream without log: read
 *     overwritten  by later ones, as a policy "loop" of memory or log has it
 *     lost         all others, each with its reason
 *     unread       of a stream that goes on: still in memory
 *
 * A log of policy "loop" counts what was overwritten in it and what could not be written to it in one:
 * here it is all overwritten.
 */

struct trace_account {
	uint64_t emitted, kept, overwritten, lost, unread;
	const char *where; /* "kept", or "read" */
	struct {
		const char *reason;
		uint64_t count;
	} parts[6]; /* of overwritten and lost */
};

/* log_policy: 0: of a stream without log. */
struct trace_account trace_account(const struct posix_trace_counts_np *counts, int log_policy);

/* Of a stream or an opened log: 0, or an error number. */
int trace_account_get(trace_id_t trid, int log_policy, struct trace_account *ret);

/* "emitted 12: kept 9, overwritten 0, lost 3 (memory full 3)". text holds at least
 * TRACE_ACCOUNT_TEXT. */
enum { TRACE_ACCOUNT_TEXT = 384 };
const char *trace_account_text(const struct trace_account *a, char *text, size_t size);

/*
 * trace_gaps - where in a log events are missing, and how many.
 *
 * Two passes: the first counts the gaps, because how many events were lost is known as a total for
 * each reason, not for each gap: every gap but the last of its kind shows one, the last the rest.
 */

enum { TRACE_GAP_KINDS = 2 };

/* Losses of one kind: a pair of events marks each. */
struct gap {
	trace_event_id_t begin, end;
	uint64_t lost, n; /* in all; gaps */
	uint64_t seen;
	bool open;
	int64_t from_ns;
};

struct trace_gaps {
	struct gap kinds[TRACE_GAP_KINDS];
};

void trace_gaps_init(struct trace_gaps *gaps, const struct posix_trace_counts_np *counts);

/* First pass: an event. */
void trace_gaps_count(struct trace_gaps *gaps, const struct trace_event *e);

/* Between the passes. */
void trace_gaps_rewind(struct trace_gaps *gaps);

/* Second pass: true if the event ends a gap, which began then and lost so many. */
bool trace_gaps_ends(struct trace_gaps *gaps, const struct trace_event *e, int64_t *ret_from_ns,
		     uint64_t *ret_lost);

/* Losses of the kinds that no pair of events marks. */
uint64_t trace_gaps_unmarked(const struct trace_gaps *gaps);

#endif

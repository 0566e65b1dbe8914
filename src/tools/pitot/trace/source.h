/*
 * source - events out of a stream or a log, their counts, and the gaps between them.
 */
#ifndef PITOT_TRACE_SOURCE_H
#define PITOT_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trace_np.h>

/* trace_source - the events of a stream or an opened log, one after the other, with their types. */

/* An event type: its name, and the fields of its data if they are described. */
struct trace_type {
	trace_event_id_t id;
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t nfield;
	size_t covered; /* bytes from the start of the data to the end of the last field */
	bool open;      /* the last field takes the rest of the data, of any length */
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
};

/* How much of the described fields the data of an event contains. */
enum trace_form {
	TRACE_FIELDS, /* all fields, and nothing else */
	TRACE_REST,   /* all fields, and more bytes after them */
	TRACE_BYTES,  /* not all fields, or no description: bytes */
};

struct trace_event {
	struct posix_trace_event_info info;
	const struct trace_type *type; /* valid as long as the source */
	const uint8_t *data;           /* valid until the next event */
	size_t length;
};

/* Room in lists for processes and remains that appear between counting and reading. */
enum { TRACE_SPARE = 16 };

struct trace_source {
	trace_id_t trid;
	bool live; /* a stream: types may be described at any time */
	uint8_t *buffer;
	size_t room;
	struct trace_type **types; /* indexed by id */
	size_t ntypes;
	struct trace_type unknown;
};

/* Reads from trid, which the caller closes. Returns 0 or an error number. */
int trace_source_init(struct trace_source *s, trace_id_t trid, bool live);
void trace_source_done(struct trace_source *s);

/*
 * Returns the next event: 1, 0 when there is none (now, or at the end), or a negative error number.
 * A live source waits for one until abstime; NULL: it does not wait.
 */
int trace_source_next(struct trace_source *s, const struct timespec *abstime,
		      struct trace_event *ret_event);

/* The type of an id; a type without name for an unknown id. */
const struct trace_type *trace_source_type(struct trace_source *s, trace_event_id_t id);

enum trace_form trace_form(const struct trace_event *e);

/* The bytes of a field; a text ends before its null byte. For forms with fields. */
const uint8_t *trace_field(const struct trace_event *e, const struct posix_trace_field_np *f,
			   size_t *ret_length);

/* The value of a field of 1, 2, 4 or 8 bytes. */
uint64_t trace_unsigned(const uint8_t *p, size_t size);
int64_t trace_signed(const uint8_t *p, size_t size);
double trace_float(const uint8_t *p, size_t size);

/* The last second of a time: in nanoseconds it fits 64 bits, with room for sums and differences. */
#define TRACE_SECONDS_MAX 9000000000

/* Nanoseconds since the epoch. A log or a traced process can claim times that no clock shows: the
 * nearest time from 0 to TRACE_SECONDS_MAX is returned for them. */
int64_t trace_event_ns(const struct trace_event *e);

/* The data of the system's event types. */
enum trace_system {
	TRACE_SYSTEM_NONE, /* a user's type, or no data */
	TRACE_SYSTEM_INT,  /* an int: posix_trace_stop, posix_trace_error */
	TRACE_SYSTEM_SETS, /* event sets: posix_trace_start one, posix_trace_filter two */
};
enum trace_system trace_system(const struct trace_event *e);

/* Set number i in the data of such an event. Returns 0; -1 if the data is too short. */
int trace_system_set(const struct trace_event *e, size_t i, trace_event_set_t *ret_set);

/* Calls the function for each id in a set, in ascending order. */
void trace_set_walk(const trace_event_set_t *set, void (*each)(void *arg, trace_event_id_t id),
		    void *arg);

/*
 * trace_account - the counts of a program's events: kept + overwritten + lost = emitted, exactly.
 *
 *     kept         in the log; of a stream without log: read
 *     overwritten  by later events, with the policy "loop" of memory or log
 *     lost         all others, each with its reason
 *     unread       of a running stream: still in memory
 *
 * A log with the policy "loop" has one count for events that were overwritten in it and events that
 * could not be written to it: here they are all overwritten.
 */

struct trace_account {
	uint64_t emitted, kept, overwritten, lost, unread;
	const char *where; /* "kept", or "read" */
	struct {
		const char *reason;
		uint64_t count;
	} parts[6]; /* reasons of overwritten and lost */
};

/* log_policy: 0: a stream without log. */
struct trace_account trace_account(const struct posix_trace_counts_np *counts, int log_policy);

/* Reads the counts of a stream or an opened log. Returns 0 or an error number. */
int trace_account_get(trace_id_t trid, int log_policy, struct trace_account *ret);

/* "emitted 12: kept 9, overwritten 0, lost 3 (memory full 3)". text holds at least
 * TRACE_ACCOUNT_TEXT. */
enum { TRACE_ACCOUNT_TEXT = 384 };
const char *trace_account_text(const struct trace_account *a, char *text, size_t size);

/*
 * trace_gaps - the places in a log where events are missing, and their number.
 *
 * There are two passes. The log has the total of lost events for each reason, not for each gap; so
 * the first pass counts the gaps, and in the second pass every gap but the last of its kind is one
 * event, and the last one is the rest.
 */

enum { TRACE_GAP_KINDS = 2 };

/* Losses of one kind, each marked by a pair of events. */
struct gap {
	trace_event_id_t begin, end;
	uint64_t lost, n; /* total of events; number of gaps */
	uint64_t seen;
	bool open;
	int64_t from_ns;
};

struct trace_gaps {
	struct gap kinds[TRACE_GAP_KINDS];
};

void trace_gaps_init(struct trace_gaps *gaps, const struct posix_trace_counts_np *counts);

/* First pass: adds an event. */
void trace_gaps_count(struct trace_gaps *gaps, const struct trace_event *e);

/* Between the passes. */
void trace_gaps_rewind(struct trace_gaps *gaps);

/*
 * Second pass: true if the event ends a gap, with the begin of the gap and the number of its
 * events.
 */
bool trace_gaps_ends(struct trace_gaps *gaps, const struct trace_event *e, int64_t *ret_from_ns,
		     uint64_t *ret_lost);

/* Losses of the kinds that are not marked by a pair of events. */
uint64_t trace_gaps_unmarked(const struct trace_gaps *gaps);

/*
 * The processes that may be traced, by pid; the caller frees the list. Returns 0, or an error
 * number; prints a message about users whose directory could not be read completely.
 */
int trace_processes_get(struct posix_trace_process_np **ret_list, size_t *ret_n);

#endif

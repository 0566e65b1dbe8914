/*
 * pmevent - shared declarations of the tool's files: an event and its fields, the choice of events,
 * and their output.
 */
#ifndef PMEVENT_PMEVENT_H
#define PMEVENT_PMEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"
#include "tools/common/value.h"

struct command;
struct event_records;

/*
 * field - a parameter of an event: its name and value.
 */

struct field {
	const char *name; /* the last part of the metric's name; the full name if two fields have
			     the same last part */
	const char *metric;
	int type;          /* PM_TYPE_* */
	pmAtomValue value; /* strings and aggregates are owned by the record */
	bool is_event;     /* this field is the name of the event */
};

/* Enough room for any number. */
#define FIELD_NUMBER REAL_TEXT

bool field_is_number(const struct field *f);

/* A number as text, in the shortest form that reads back as the same number. */
const char *field_number(const struct field *f, char buf[FIELD_NUMBER]);

/*
 * The value as text, which the caller frees: a string itself, bytes in hexadecimal. NULL: out of
 * memory.
 */
char *field_text(const struct field *f);

/*
 * record - one event: its time, instance, name and fields.
 */

struct record {
	const char *metric;
	const char *instance; /* NULL: the metric has no instances */
	int inst;
	bool nanoseconds; /* the stamp has nanoseconds; else microseconds */
	struct timespec stamp;
	unsigned int flags; /* PM_EVENT_FLAG_* */
	bool missed;        /* not an event, but a count of missed events: */
	unsigned int n_missed;
	const char
	    *event; /* the value of the first parameter whose name ends in ".event", or NULL */
	struct field *fields;
	size_t n_fields;
};

/*
 * Reads record number i into r. The caller has set metric, instance and inst; the rest of r is
 * zero. A parameter that cannot be decoded is left out.
 */
void record_read(struct record *r, const struct event_records *records, int i);

/* Frees the fields. The struct can then be filled again. */
void record_done(struct record *r);

/* The names of the flags, "start,id"; empty for an event that is only a point in time. */
const char *record_flags(const struct record *r, char *buf, int size);

/*
 * routine - parameters that the tracing agent adds to each event (docs/spec/trace-agent.md 2). Most
 * of them repeat what is already known.
 */

/* True if the field is a routine one: it is printed after the event's own fields. */
bool routine_is(const struct field *f);

/*
 * True if the field adds information: another thread than the first one, an event of the system, a
 * truncated event. Always true for other fields.
 */
bool routine_is_notable(const struct field *f, const struct record *r);

/*
 * condition - a test of a field: NAME OP VALUE, where OP is = (or ==), !=, <, <=, >, >= or ~.
 *
 * Numbers, decimal or 0x, are compared exactly as numbers; other values as text. ~ matches the text
 * against a pattern (*, ? and []). A condition on a name that the record does not have is false.
 */

/* A number of a condition or a field. */
struct number {
	enum { NUMBER_NONE, NUMBER_INTEGER, NUMBER_REAL } kind;
	bool negative; /* of an integer, together with its magnitude; never set for 0 */
	uint64_t magnitude;
	double real; /* the value, of both kinds */
};

struct condition {
	char *name;
	char *value;
	int op;               /* the results for which it is true */
	struct number number; /* the number, if the value is one */
};

/* Returns 0; -EINVAL if the text is not a condition; -ENOMEM. */
int condition_parse(const char *text, struct condition *ret_condition);

/* True if the condition is on this field, by the field's name or the full name of the metric. */
bool condition_is_on(const struct condition *c, const struct field *f);

bool condition_holds(const struct condition *c, const struct field *f);

void condition_done(struct condition *c);

/*
 * filter - which events are wanted: by name, process and fields.
 */

/* An all-zero filter lets every event pass. */
struct filter {
	struct wordlist events;       /* patterns; one must match */
	struct wordlist processes;    /* process ids, or patterns of commands; one must match */
	struct condition *conditions; /* all must be true */
	size_t n_conditions;
};

/* Returns 0, or the error of condition_parse. */
int filter_add_condition(struct filter *f, const char *text);

/*
 * True if events of the instance are wanted. An instance "4711 worker" or "4711.2 worker" belongs
 * to process 4711 and command "worker"; the name of any other is its command. NULL: no instance, no
 * process.
 */
bool filter_wants_instance(const struct filter *f, const char *instance);

/*
 * True if the record, of a wanted instance, is wanted. Records about missed events always pass,
 * because their names are unknown.
 */
bool filter_wants(const struct filter *f, const struct record *r);

void filter_done(struct filter *f);

/*
 * metrics - the event metrics that are watched, and their instances.
 */

/* The default if no metric is named: docs/spec/trace-agent.md. */
#define METRICS_DEFAULT "tracing.stream.events"

struct metric {
	char *name;
	pmDesc desc;
	int *chosen;  /* instances that the command line names */
	int n_chosen; /* none: all are wanted */
	int error;    /* the error of its last value, so that it is reported once */
};

/* An all-zero struct is empty. */
struct metrics {
	int n;
	struct metric *list;
	pmID *pmids;
};

/*
 * Finds the command's metrics in the current context: an event metric, or all event metrics below a
 * node. Returns 0 or an error, which has been reported unless quiet.
 */
int metrics_find(struct metrics *m, const struct command *c, bool quiet);

/* NULL: not one of ours. */
struct metric *metrics_by_pmid(const struct metrics *m, pmID pmid);

bool metrics_wants(const struct metric *metric, int inst);

void metrics_done(struct metrics *m);

/*
 * command - the command line of our own output form: one event a line.
 *
 * Without any of our options the program is pmval (docs/spec/tools.md 4.1), which reads the same
 * table of options; so there is one usage text for both.
 */

#define COMMAND_ALL_SAMPLES (-1)

struct command {
	pmOptions pm;
	char *
	    *metrics; /* in the order of the command line; none: the default. Borrowed from argv */
	int n_metrics;
	struct wordlist instances; /* -i */
	struct filter filter;
	bool json;   /* -j */
	bool follow; /* -F */
	bool date;   /* -X */
	bool all;    /* -v */
};

/*
 * line - an event as a line for people; pmevent(1) has the form.
 *
 *     16:03:11.482915207 [4711 worker] request.done path="/index" status=200
 */

struct line {
	bool colours;
	bool date;    /* before the time */
	bool metrics; /* print the name of the metric: there are several */
	bool all;     /* print routine fields that add nothing, too */
};

/* True if standard output is a terminal that has colours and NO_COLOR is not set. */
bool line_has_colours(void);

/* Prints a record. Names and texts cannot control the terminal. */
void line_print(const struct line *l, const struct record *r);

/*
 * json - an event as one JSON object on a line; the members are in pmevent(1).
 */

void json_print(const struct record *r);

/*
 * feed - events from a source, fetch by fetch or record by record, to standard output.
 */

/* The rest of the program, after the command line has been read. Returns the exit status. */
int feed_run(struct command *c, int argc, char **argv);

#endif

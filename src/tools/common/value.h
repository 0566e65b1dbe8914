/*
 * value - values as text and from text, and event records.
 */
#ifndef COMMON_VALUE_H
#define COMMON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

/*
 * real - floating-point numbers as text that is as short as it can be and reads back the same.
 */

/* Room for the text of a number, with its NUL. */
#define REAL_TEXT 40

/* The shortest of 6 to 9 (float) or 15 to 17 (double) digits that strtof or strtod reads back as v. Returns buf. */
const char *real_float(float v, char buf[REAL_TEXT]);
const char *real_double(double v, char buf[REAL_TEXT]);

/* A number that was a float or a double, by its size in bytes. */
const char *real_text(double v, size_t size, char buf[REAL_TEXT]);

/*
 * Shortens the numbers of a JSON text in place: jansson writes every double with 17 digits, 1.001 as
 * 1.0009999999999999. Each number keeps its value and its point or exponent; strings are left alone.
 */
void real_shorten_json(char *json);

/*
 * result - values of a metric as pmStore takes them.
 */

/*
 * Makes a result of one metric in which each of n instances has the value of the atom, for
 * pmFreeResult. 0, or the error of a type that can't be stored. Out of memory: exits.
 */
int result_make(const pmDesc *desc, const pmAtomValue *atom, const int *insts, int n,
		pmResult **ret_result);

/*
 * event - the records inside an event value (docs/spec/pmapi.md 21.1).
 *
 * A record is a result of its own: the value sets of its parameters, preceded by those of the
 * anonymous metrics event.flags and event.missed. How a record is printed is the tool's business,
 * as far as a style says it.
 */

/* A parameter's names and description: asked for once, however many records carry it. */
struct event_parameter {
	pmID pmid;
	int nnames; /* or the error */
	char **names;
	int sts; /* of the description */
	pmDesc desc;
};

/* The differences between tools. */
struct event_style {
	/* Begins the line of record `number`; the stamp follows. */
	void (*print_head)(int number);
	/* Goes on after the stamp; flags, if any, follow. NULL: nothing. */
	void (*print_number)(int number);
	/* Prints a parameter with its values, whole lines. */
	void (*print_parameter)(const struct event_parameter *p, const pmValueSet *vset);
	const char *missed_indent; /* before the line for missed records */
	const char *no_parameters; /* a line */
};

/* The records of one value; all zero is none. One of the lists is NULL. */
struct event_records {
	int n;
	pmResult **results;
	pmHighResResult **highres;
};

/*
 * Unpacks value i of the set, which is of PM_TYPE_EVENT or PM_TYPE_HIGHRES_EVENT. Returns how many
 * records it has, or the error of the library; *ret_records has none then.
 */
int event_unpack(const pmValueSet *vset, int i, int type, struct event_records *ret_records);

void event_print(const struct event_records *records, const struct event_style *style);

/* A record, whichever kind it came in, and less what the library adds to its parameters. */
struct event_record {
	struct timespec stamp;
	unsigned int flags;
	bool missed; /* the text for missed records: */
	unsigned int n_missed;
	int n;
	pmValueSet *const *parameters;
};

/* Record number r. It is borrowed. */
void event_record(const struct event_records *records, int r, struct event_record *ret_record);

/* The names and description of a parameter; asked for at most once. Borrowed until event_forget. */
const struct event_parameter *event_parameter(pmID pmid);

/* Another source from now on: what is known of parameters may not be so there. */
void event_forget(void);

void event_free(struct event_records *records);

#endif

/*
 * value - values as text and from text, and event records.
 */
#ifndef COMMON_VALUE_H
#define COMMON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

/* real - floating-point numbers in their shortest text that reads back as the same number. */

/* Room for the text of a number, with its NUL. */
#define REAL_TEXT 40

/*
 * The shortest of 6 to 9 (float) or 15 to 17 (double) digits that strtof or strtod reads back as v.
 * Returns buf.
 */
const char *real_float(float v, char buf[REAL_TEXT]);
const char *real_double(double v, char buf[REAL_TEXT]);

/* A float or a double, depending on its size in bytes. */
const char *real_text(double v, size_t size, char buf[REAL_TEXT]);

/*
 * Shortens the numbers of a JSON text in place: jansson writes every double with 17 digits, 1.001
 * as 1.0009999999999999. Each number keeps its value and its point or exponent; strings are not
 * changed.
 */
void real_shorten_json(char *json);

/* result - the values of a metric in the form that pmStore expects. */

/*
 * Makes a result of one metric in which each of n instances has the value of the atom; the caller
 * frees it with pmFreeResult. Returns 0, or an error for a type that cannot be stored. Exits if out
 * of memory.
 */
int result_make(const pmDesc *desc, const pmAtomValue *atom, const int *insts, int n,
		pmResult **ret_result);

/*
 * event - the records inside an event value (docs/spec/pmapi.md 21.1).
 *
 * A record is a result of its own: the value sets of its parameters, preceded by those of the
 * anonymous metrics event.flags and event.missed. The tool defines the format of a record by a
 * style.
 */

/* A parameter's names and description, requested once for all records. */
struct event_parameter {
	pmID pmid;
	int nnames; /* or an error */
	char **names;
	int sts; /* the error of the description */
	pmDesc desc;
};

/* The format in which a tool prints records. */
struct event_style {
	/* Begins the line of record `number`; the stamp follows. */
	void (*print_head)(int number);
	/* Prints the text between the stamp and the flags. NULL: nothing. */
	void (*print_number)(int number);
	/* Prints a parameter with its values, in whole lines. */
	void (*print_parameter)(const struct event_parameter *p, const pmValueSet *vset);
	const char *missed_indent; /* printed before the line about missed records */
	const char *no_parameters; /* a complete line */
};

/* The records of one value. An all-zero struct is empty. One of the lists is NULL. */
struct event_records {
	int n;
	pmResult **results;
	pmHighResResult **highres;
};

/*
 * Unpacks value i of the set, which has type PM_TYPE_EVENT or PM_TYPE_HIGHRES_EVENT. Returns the
 * number of records, or the error of the library; *ret_records is empty then.
 */
int event_unpack(const pmValueSet *vset, int i, int type, struct event_records *ret_records);

void event_print(const struct event_records *records, const struct event_style *style);

/* A record of either type, without the parameters that the library adds. */
struct event_record {
	struct timespec stamp;
	unsigned int flags;
	bool missed; /* the text for missed records: */
	unsigned int n_missed;
	int n;
	pmValueSet *const *parameters;
};

/* Record number r. The caller does not free it. */
void event_record(const struct event_records *records, int r, struct event_record *ret_record);

/* The names and description of a parameter, requested at most once. Valid until event_forget. */
const struct event_parameter *event_parameter(pmID pmid);

/* Forgets all parameters, because another source may define them differently. */
void event_forget(void);

void event_free(struct event_records *records);

#endif

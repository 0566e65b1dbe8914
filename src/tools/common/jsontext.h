/*
 * jsontext - JSON that is written while the data arrives, for tools with the option --json.
 *
 * Members and elements are written in the order of the calls. Text that is not UTF-8 has U+FFFD in
 * the place of each wrong byte. Numbers have all digits that they need, also integers of 64 bits.
 * NaN and the infinities are null.
 */
#ifndef COMMON_JSONTEXT_H
#define COMMON_JSONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <pcp/pmapi.h>

/* The rows of the option, which has no letter; `at` is a bool of the tool. */
enum { JSONTEXT_OPTION = 7 };
/* clang-format off */
#define JSONTEXT_ROW(at) \
	{ PMAPI_OPTIONS_HEADER("Output for programs") }, \
	{ { "json", 0, JSONTEXT_OPTION, NULL, NULL }, CMDLINE_FLAG, (at) }, \
	{ { "", 0, '|', NULL, "  --json                print JSON, for programs" } }
/* clang-format on */

/* A text that is being written. Set `out`; the rest is zero at the start. */
struct jsontext {
	FILE *out;
	bool comma; /* the next member or element needs one before it */
	bool line;  /* the next element or bracket begins a line */
};

/*
 * The functions below write a member of an object, with the name, or an element of an array if the
 * name is NULL.
 */

/* Begins an object ('{') or an array ('['), which jsontext_end ends ('}', ']'). */
void jsontext_begin(struct jsontext *j, const char *name, char bracket);
void jsontext_end(struct jsontext *j, char bracket);

/* A text; NULL is written as null. */
void jsontext_text(struct jsontext *j, const char *name, const char *text);
void jsontext_integer(struct jsontext *j, const char *name, int64_t v);
void jsontext_bool(struct jsontext *j, const char *name, bool v);
void jsontext_null(struct jsontext *j, const char *name);

/* A real number, in the shortest form that a program reads as the same number. */
void jsontext_float(struct jsontext *j, const char *name, float v);
void jsontext_double(struct jsontext *j, const char *name, double v);

/* A value that is JSON already, such as a set of labels. */
void jsontext_raw(struct jsontext *j, const char *name, const char *json);

/* The object {"error": text, "code": number} in the place of data that are not available. */
void jsontext_error(struct jsontext *j, const char *name, int sts);

/* The members "error" and "code" in the current object. */
void jsontext_failure(struct jsontext *j, int sts);

/*
 * The members "time" (RFC 3339, in the reporting zone, with nanoseconds) and "seconds" (since the
 * epoch, with nine digits after the point).
 */
void jsontext_time(struct jsontext *j, const struct timespec *when);

/* The members "inst" and "instance", the number and the name of an instance; NULL: no name. */
void jsontext_instance(struct jsontext *j, int inst, const char *name);

/*
 * A number or a string of this type. The atom keeps its string.
 */
void jsontext_atom(struct jsontext *j, const char *name, const pmAtomValue *atom, int type);

/*
 * Value i of a set of this type. Bytes without a type are hexadecimal digits. Event records are an
 * object with their number ("events") and, if `records`, an array of them ("records").
 */
void jsontext_value(struct jsontext *j, const char *name, const pmValueSet *vset, int i, int type,
		    bool records);

/* Makes the next element, or the bracket that ends an array, begin a line. */
void jsontext_line(struct jsontext *j);

#endif

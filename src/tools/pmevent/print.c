/*
 * print - an event as a line: text for people, or JSON.
 */
#include "tools/pmevent/pmevent.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/utf8.h"
#include "tools/common/value.h"

/*
 * Lines of text
 */

#define DIM  "2"
#define BOLD "1"
#define RED  "31"

bool line_has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0 &&
	       isatty(STDOUT_FILENO);
}

static void print_begin(const struct line *l, const char *colour)
{
	if (l->colours)
		printf("\033[%sm", colour);
}

static void print_end(const struct line *l)
{
	if (l->colours)
		fputs("\033[0m", stdout);
}

/* A control character of the second half of Latin-1, which takes two bytes in UTF-8. */
static bool is_c1(const unsigned char *text, size_t i)
{
	return i > 0 && text[i - 1] == 0xc2 && text[i] >= 0x80 && text[i] < 0xa0;
}

/*
 * Prints text; bytes that a terminal would not show unchanged become \xNN. Quotes and backslashes
 * too, if quoted.
 */
static void print_safe(const char *s, bool quoted)
{
	const unsigned char *text = (const unsigned char *)s;

	for (size_t i = 0; text[i] != '\0'; i++) {
		if (quoted && (text[i] == '"' || text[i] == '\\'))
			printf("\\%c", text[i]);
		else if (quoted && text[i] == '\n')
			fputs("\\n", stdout);
		else if (text[i] < ' ' || text[i] == 0x7f || is_c1(text, i))
			printf("\\x%02x", text[i]);
		else
			putchar(text[i]);
	}
}

static void print_text(const char *s)
{
	putchar('"');
	print_safe(s, true);
	putchar('"');
}

static void print_stamp(const struct line *l, const struct record *r)
{
	time_t clock = r->stamp.tv_sec;
	struct tm tm = {0}; /* pmLocaltime() leaves tm alone if the year does not fit */

	pmLocaltime(&clock, &tm);
	print_begin(l, DIM);
	if (l->date)
		printf("%04d-%02d-%02d ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	printf("%02d:%02d:%02d.", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (r->nanoseconds)
		printf("%09ld", r->stamp.tv_nsec);
	else
		printf("%06ld", r->stamp.tv_nsec / 1000);
	print_end(l);
}

static void print_origin(const struct line *l, const struct record *r)
{
	if (!l->metrics && r->instance == NULL)
		return;
	putchar(' ');
	if (l->metrics)
		fputs(r->metric, stdout);
	if (r->instance != NULL) {
		putchar('[');
		print_safe(r->instance, false);
		putchar(']');
	}
}

/* Prints a name unchanged, unless it could be mistaken for something else. */
static void print_event(const struct line *l, const struct record *r)
{
	putchar(' ');
	print_begin(l, BOLD);
	if (r->event == NULL)
		putchar('-');
	else if (r->event[0] == '\0' || strpbrk(r->event, " \t\"=") != NULL)
		print_text(r->event);
	else
		print_safe(r->event, false);
	print_end(l);
}

static void print_field(const struct field *f)
{
	char number[FIELD_NUMBER], *text;

	printf(" %s=", f->name);
	if (field_is_number(f)) {
		fputs(field_number(f, number), stdout);
	} else if (f->type == PM_TYPE_STRING) {
		print_text(f->value.cp);
	} else {
		text = field_text(f);
		printf("0x%s", text != NULL ? text : "");
		free(text);
	}
}

/* Prints the event's own fields, or those that its agent adds to each event. */
static void print_fields(const struct line *l, const struct record *r, bool routines)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct field *f = &r->fields[i];

		if (!f->is_event && routine_is(f) == routines &&
		    (l->all || routine_is_notable(f, r)))
			print_field(f);
	}
}

void line_print(const struct line *l, const struct record *r)
{
	char flags[64];

	print_stamp(l, r);
	print_origin(l, r);
	if (r->missed) {
		putchar(' ');
		print_begin(l, RED);
		printf("missed %u event%s", r->n_missed, r->n_missed == 1 ? "" : "s");
		print_end(l);
	} else {
		print_event(l, r);
		print_fields(l, r, false);
		print_fields(l, r, true);
		if (record_flags(r, flags, sizeof(flags))[0] != '\0')
			printf(" (%s)", flags);
	}
	putchar('\n');
}

/*
 * JSON
 */

/* Enough room for a stamp with date, nanoseconds and zone. */
#define STAMP 64

/* Text that is not UTF-8: each wrong byte becomes U+FFFD. */
static json_t *string(const char *text)
{
	char *copy = utf8_copy(text, strlen(text));
	json_t *json = copy != NULL ? json_string(copy) : NULL;

	free(copy);
	return json;
}

/* JSON has no words for NaN and infinity. */
static json_t *print_real(const struct field *f)
{
	char buf[FIELD_NUMBER];
	double v = strtod(field_number(f, buf), NULL);

	return isfinite(v) ? json_real(v) : json_string(buf);
}

/* Integers of 64 bits; those of the library end at 2^63 - 1. */
static json_t *number(const struct field *f)
{
	char buf[FIELD_NUMBER];

	switch (f->type) {
	case PM_TYPE_32:
		return json_integer(f->value.l);
	case PM_TYPE_U32:
		return json_integer(f->value.ul);
	case PM_TYPE_64:
		return json_integer(f->value.ll);
	case PM_TYPE_U64:
		return f->value.ull <= INT64_MAX ? json_integer((json_int_t)f->value.ull)
						 : json_string(field_number(f, buf));
	default:
		return print_real(f);
	}
}

static json_t *value(const struct field *f)
{
	char *text;
	json_t *json;

	if (field_is_number(f))
		return number(f);
	text = field_text(f);
	json = string(text != NULL ? text : "");
	free(text);
	return json;
}

/* A repeated name makes an array; the value of a field is never an array itself. */
static void print_add_field(json_t *fields, const struct field *f)
{
	json_t *before = json_object_get(fields, f->name), *array;

	if (before == NULL) {
		json_object_set_new(fields, f->name, value(f));
	} else if (json_is_array(before)) {
		json_array_append_new(before, value(f));
	} else {
		array = json_array();
		json_array_append(array, before);
		json_array_append_new(array, value(f));
		json_object_set_new(fields, f->name, array);
	}
}

static json_t *fields_of(const struct record *r)
{
	json_t *fields = json_object();

	for (size_t i = 0; i < r->n_fields; i++)
		if (!r->fields[i].is_event)
			print_add_field(fields, &r->fields[i]);
	return fields;
}

static void print_time(const struct timespec *when, char buf[STAMP])
{
	time_t clock = when->tv_sec;
	struct tm tm = {0}; /* pmLocaltime() leaves tm alone if the year does not fit */
	long east;

	pmLocaltime(&clock, &tm);
	east = (long)(timegm(&tm) - clock) / 60;
	pmsprintf(buf, STAMP, "%04d-%02d-%02dT%02d:%02d:%02d.%09ld%c%02ld%02ld", tm.tm_year + 1900,
		  tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, when->tv_nsec,
		  east < 0 ? '-' : '+', labs(east) / 60, labs(east) % 60);
}

static void add_origin(json_t *object, const struct record *r)
{
	char stamp[STAMP];
	json_int_t ns;

	print_time(&r->stamp, stamp);
	if (!__builtin_mul_overflow((json_int_t)r->stamp.tv_sec, 1000000000, &ns) &&
	    !__builtin_add_overflow(ns, (json_int_t)r->stamp.tv_nsec, &ns))
		json_object_set_new(object, "ns", json_integer(ns));
	json_object_set_new(object, "time", json_string(stamp));
	json_object_set_new(object, "metric", string(r->metric));
	if (r->instance == NULL)
		return;
	json_object_set_new(object, "instance", string(r->instance));
	json_object_set_new(object, "inst", json_integer(r->inst));
}

void json_print(const struct record *r)
{
	json_t *object = json_object();
	char flags[64], *text;

	add_origin(object, r);
	if (r->missed) {
		json_object_set_new(object, "missed", json_integer(r->n_missed));
	} else {
		if (r->event != NULL)
			json_object_set_new(object, "event", string(r->event));
		if (record_flags(r, flags, sizeof(flags))[0] != '\0')
			json_object_set_new(object, "flags", json_string(flags));
		json_object_set_new(object, "fields", fields_of(r));
	}
	text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (text == NULL)
		pmNoMem("json", 0, PM_FATAL_ERR);
	real_shorten_json(text);
	puts(text);
	free(text);
	json_decref(object);
}

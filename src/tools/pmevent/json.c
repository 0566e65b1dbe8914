#include "tools/pmevent/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "tools/common/real.h"
#include "tools/pmevent/record.h"

/* Enough room for a stamp with date, nanoseconds and zone. */
#define STAMP 64

/* The length in bytes of the character at p, as the library sees it; 0: not a character. */
static size_t character(const char *p, size_t n)
{
	for (size_t len = 1; len <= 4 && len <= n; len++) {
		json_t *one = json_stringn(p, len);

		json_decref(one);
		if (one != NULL)
			return len;
	}
	return 0;
}

/* Text that is not UTF-8: each wrong byte becomes U+FFFD. */
static json_t *mended(const char *text)
{
	size_t n = strlen(text), used = 0;
	char *copy = malloc(3 * n + 1);
	json_t *json;

	if (copy == NULL)
		return NULL;
	while (n > 0) {
		size_t len = character(text, n);

		memcpy(copy + used, len > 0 ? text : "\xef\xbf\xbd", len > 0 ? len : 3);
		used += len > 0 ? len : 3;
		text += len > 0 ? len : 1;
		n -= len > 0 ? len : 1;
	}
	json = json_stringn(copy, used);
	free(copy);
	return json;
}

static json_t *string(const char *text)
{
	json_t *json = json_string(text);

	return json != NULL ? json : mended(text);
}

/* JSON has no words for NaN and infinity. */
static json_t *real(const struct field *f)
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
		return real(f);
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
static void add_field(json_t *fields, const struct field *f)
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
			add_field(fields, &r->fields[i]);
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

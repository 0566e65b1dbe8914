/*
 * record - an event of a fetch or an archive: its fields, its name, and which fields are routine.
 */
#include "tools/pmevent/pmevent.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/value.h"

/*
 * Field
 */

bool field_is_number(const struct field *f)
{
	switch (f->type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
		return true;
	default:
		return false;
	}
}

const char *field_number(const struct field *f, char buf[FIELD_NUMBER])
{
	switch (f->type) {
	case PM_TYPE_32:
		pmsprintf(buf, FIELD_NUMBER, "%" PRId32, f->value.l);
		break;
	case PM_TYPE_U32:
		pmsprintf(buf, FIELD_NUMBER, "%" PRIu32, f->value.ul);
		break;
	case PM_TYPE_64:
		pmsprintf(buf, FIELD_NUMBER, "%" PRId64, f->value.ll);
		break;
	case PM_TYPE_U64:
		pmsprintf(buf, FIELD_NUMBER, "%" PRIu64, f->value.ull);
		break;
	case PM_TYPE_FLOAT:
		real_float(f->value.f, buf);
		break;
	case PM_TYPE_DOUBLE:
		real_double(f->value.d, buf);
		break;
	default:
		buf[0] = '\0';
		break;
	}
	return buf;
}

/* Appends the bytes of an aggregate. */
static const unsigned char *field_bytes(const struct field *f, size_t *ret_n)
{
	*ret_n = 0;
	if (f->type != PM_TYPE_AGGREGATE || f->value.vbp == NULL ||
	    f->value.vbp->vlen < PM_VAL_HDR_SIZE)
		return (const unsigned char *)"";
	*ret_n = f->value.vbp->vlen - PM_VAL_HDR_SIZE;
	return (const unsigned char *)f->value.vbp->vbuf;
}

static char *hexadecimal(const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * n + 1);

	if (text == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * n] = '\0';
	return text;
}

char *field_text(const struct field *f)
{
	char buf[FIELD_NUMBER];
	size_t n;
	const unsigned char *bytes;

	if (f->type == PM_TYPE_STRING)
		return strdup(f->value.cp);
	if (f->type != PM_TYPE_AGGREGATE)
		return strdup(field_number(f, buf));
	bytes = field_bytes(f, &n);
	return hexadecimal(bytes, n);
}

/*
 * Record
 */

#define EVENT_NAME ".event"

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? dot + 1 : name;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

/* Different metrics with the same last part: both get their full names. */
static void name_field(struct record *r, struct field *f)
{
	f->name = last_part(f->metric);
	for (size_t i = 0; i < r->n_fields; i++) {
		struct field *other = &r->fields[i];

		if (strcmp(last_part(other->metric), last_part(f->metric)) == 0 &&
		    strcmp(other->metric, f->metric) != 0) {
			f->name = f->metric;
			other->name = other->metric;
		}
	}
}

static void record_add_field(struct record *r, const pmValueSet *vset)
{
	const struct event_parameter *p = event_parameter(vset->pmid);
	struct field *f = &r->fields[r->n_fields];

	if (p->nnames <= 0 || p->sts < 0 || vset->numval < 1)
		return;
	*f = (struct field){.metric = p->names[0], .type = p->desc.type};
	if (pmExtractValue(vset->valfmt, &vset->vlist[0], f->type, &f->value, f->type) < 0)
		return;
	if (r->event == NULL && f->type == PM_TYPE_STRING && ends_in(f->metric, EVENT_NAME)) {
		f->is_event = true;
		r->event = f->value.cp;
	}
	name_field(r, f);
	r->n_fields++;
}

void record_read(struct record *r, const struct event_records *records, int i)
{
	struct event_record e;

	event_record(records, i, &e);
	r->nanoseconds = records->highres != NULL;
	r->stamp = e.stamp;
	r->flags = e.flags;
	r->missed = e.missed;
	r->n_missed = e.n_missed;
	r->fields = calloc(e.n > 0 ? (size_t)e.n : 1, sizeof(r->fields[0]));
	if (r->fields == NULL)
		pmNoMem("record", (size_t)e.n * sizeof(r->fields[0]), PM_FATAL_ERR);
	for (int k = 0; k < e.n; k++)
		record_add_field(r, e.parameters[k]);
}

void record_done(struct record *r)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		if (r->fields[i].type == PM_TYPE_STRING)
			free(r->fields[i].value.cp);
		else if (r->fields[i].type == PM_TYPE_AGGREGATE)
			free(r->fields[i].value.vbp);
	}
	free(r->fields);
	r->fields = NULL;
	r->n_fields = 0;
	r->event = NULL;
}

const char *record_flags(const struct record *r, char *buf, int size)
{
	buf[0] = '\0';
	if (r->flags != 0 && r->flags != PM_EVENT_FLAG_POINT && !r->missed)
		pmEventFlagsStr_r((int)r->flags, buf, size);
	return buf;
}

/*
 * Routine fields
 */

#define PID "tracing.param.pid"

/* When such a field is printed. */
enum when { NEVER, NOT_ZERO, NOT_PID };

/* clang-format off */
static const struct {
	const char *metric;
	enum when when;
} routines[] = {
	{ PID, NEVER }, /* the name of the instance has it */
	{ "tracing.param.tid", NOT_PID },
	{ "tracing.param.address", NEVER },
	{ "tracing.param.truncation", NOT_ZERO },
	{ "tracing.param.type", NOT_ZERO },
};
/* clang-format on */

static int record_find(const struct field *f)
{
	for (int i = 0; i < (int)(sizeof(routines) / sizeof(routines[0])); i++)
		if (strcmp(routines[i].metric, f->metric) == 0)
			return i;
	return -1;
}

bool routine_is(const struct field *f)
{
	return record_find(f) >= 0;
}

/* The value of a 32-bit number, 0 for other types. */
static uint32_t record_number_of(const struct field *f)
{
	return f->type == PM_TYPE_U32 ? f->value.ul : 0;
}

static uint32_t pid_of(const struct record *r)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i].metric, PID) == 0)
			return record_number_of(&r->fields[i]);
	return 0;
}

bool routine_is_notable(const struct field *f, const struct record *r)
{
	int i = record_find(f);

	if (i < 0)
		return true;
	switch (routines[i].when) {
	case NOT_ZERO:
		return record_number_of(f) != 0;
	case NOT_PID:
		return record_number_of(f) != pid_of(r);
	default:
		return false;
	}
}

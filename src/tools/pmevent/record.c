#include "tools/pmevent/record.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/event.h"

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

static void add_field(struct record *r, const pmValueSet *vset)
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
		add_field(r, e.parameters[k]);
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

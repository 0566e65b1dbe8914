/*
 * jsontext - JSON that is written while the data arrives, for tools with the option --json.
 */
#include "tools/common/jsontext.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/common/utf8.h"
#include "tools/common/value.h"

static void put_line(struct jsontext *j)
{
	if (j->line)
		putc('\n', j->out);
	j->line = false;
}

/* Writes the comma and the name that precede a value. */
static void head(struct jsontext *j, const char *name)
{
	if (j->comma)
		putc(',', j->out);
	put_line(j);
	if (name != NULL) {
		utf8_print_json(j->out, name, strlen(name));
		putc(':', j->out);
	}
	j->comma = true;
}

void jsontext_begin(struct jsontext *j, const char *name, char bracket)
{
	head(j, name);
	putc(bracket, j->out);
	j->comma = false;
}

void jsontext_end(struct jsontext *j, char bracket)
{
	put_line(j);
	putc(bracket, j->out);
	j->comma = true;
}

/*
 * Simple values
 */

void jsontext_text(struct jsontext *j, const char *name, const char *text)
{
	head(j, name);
	if (text != NULL)
		utf8_print_json(j->out, text, strlen(text));
	else
		fputs("null", j->out);
}

void jsontext_integer(struct jsontext *j, const char *name, int64_t v)
{
	head(j, name);
	fprintf(j->out, "%" PRId64, v);
}

void jsontext_bool(struct jsontext *j, const char *name, bool v)
{
	jsontext_raw(j, name, v ? "true" : "false");
}

void jsontext_null(struct jsontext *j, const char *name)
{
	jsontext_raw(j, name, "null");
}

/* Writes the text of a real number. A reader sees from the point that it is real. */
static void put_real(struct jsontext *j, const char *name, const char *text)
{
	head(j, name);
	fputs(text, j->out);
	if (strpbrk(text, ".e") == NULL)
		fputs(".0", j->out);
}

void jsontext_float(struct jsontext *j, const char *name, float v)
{
	char buf[REAL_TEXT];

	if (isfinite(v))
		put_real(j, name, real_float(v, buf));
	else
		jsontext_null(j, name);
}

void jsontext_double(struct jsontext *j, const char *name, double v)
{
	char buf[REAL_TEXT];

	if (isfinite(v))
		put_real(j, name, real_double(v, buf));
	else
		jsontext_null(j, name);
}

void jsontext_raw(struct jsontext *j, const char *name, const char *json)
{
	head(j, name);
	fputs(json, j->out);
}

void jsontext_failure(struct jsontext *j, int sts)
{
	char text[PM_MAXERRMSGLEN];

	jsontext_text(j, "error", pmErrStr_r(sts, text, sizeof(text)));
	jsontext_integer(j, "code", sts);
}

void jsontext_error(struct jsontext *j, const char *name, int sts)
{
	jsontext_begin(j, name, '{');
	jsontext_failure(j, sts);
	jsontext_end(j, '}');
}

/* Nanoseconds count up from tv_sec also before the epoch, where a decimal number counts down. */
static void put_seconds(struct jsontext *j, const struct timespec *when)
{
	int64_t s = when->tv_sec;
	long ns = when->tv_nsec;

	if (s < 0 && ns > 0) {
		s++;
		ns = 1000000000 - ns;
	}
	fprintf(j->out, "%s%" PRId64 ".%09ld", when->tv_sec < 0 && s == 0 ? "-" : "", s, ns);
}

void jsontext_time(struct jsontext *j, const struct timespec *when)
{
	time_t clock = when->tv_sec;
	struct tm tm = {0}; /* pmLocaltime() leaves tm alone if the year does not fit */
	char buf[80];
	long east;

	pmLocaltime(&clock, &tm);
	east = (long)(timegm(&tm) - when->tv_sec) / 60;
	pmsprintf(buf, sizeof(buf), "%04d-%02d-%02dT%02d:%02d:%02d.%09ld%c%02ld:%02ld",
		  tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		  when->tv_nsec, east < 0 ? '-' : '+', labs(east) / 60, labs(east) % 60);
	jsontext_text(j, "time", buf);
	head(j, "seconds");
	put_seconds(j, when);
}

void jsontext_instance(struct jsontext *j, int inst, const char *name)
{
	jsontext_integer(j, "inst", inst);
	jsontext_text(j, "instance", name);
}

/*
 * Values of metrics
 */

static void put_hex(struct jsontext *j, const pmValueSet *vset, int i)
{
	const pmValueBlock *block = vset->vlist[i].value.pval;

	putc('"', j->out);
	for (int b = 0; b + PM_VAL_HDR_SIZE < (int)block->vlen; b++)
		fprintf(j->out, "%02x", (unsigned char)block->vbuf[b]);
	putc('"', j->out);
}

void jsontext_atom(struct jsontext *j, const char *name, const pmAtomValue *atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
		jsontext_integer(j, name, atom->l);
		break;
	case PM_TYPE_U32:
		jsontext_integer(j, name, atom->ul);
		break;
	case PM_TYPE_64:
		jsontext_integer(j, name, atom->ll);
		break;
	case PM_TYPE_U64:
		head(j, name);
		fprintf(j->out, "%" PRIu64, atom->ull);
		break;
	case PM_TYPE_FLOAT:
		jsontext_float(j, name, atom->f);
		break;
	case PM_TYPE_DOUBLE:
		jsontext_double(j, name, atom->d);
		break;
	default:
		jsontext_text(j, name, atom->cp);
	}
}

/* A number or a string; an error if the value is not of its type. */
static void put_atom(struct jsontext *j, const char *name, const pmValueSet *vset, int i, int type)
{
	pmAtomValue atom;
	int sts = pmExtractValue(vset->valfmt, &vset->vlist[i], type, &atom, type);

	if (sts < 0) {
		jsontext_error(j, name, sts);
		return;
	}
	jsontext_atom(j, name, &atom, type);
	if (type == PM_TYPE_STRING)
		free(atom.cp);
}

static void put_parameter(struct jsontext *j, const pmValueSet *vset)
{
	const struct event_parameter *p = event_parameter(vset->pmid);
	char id[32];

	jsontext_begin(j, NULL, '{');
	jsontext_text(j, "name", p->nnames > 0 ? p->names[0] : NULL);
	jsontext_text(j, "pmid", pmIDStr_r(p->pmid, id, sizeof(id)));
	if (p->sts < 0) {
		jsontext_failure(j, p->sts);
	} else if (vset->numval < 0) {
		jsontext_failure(j, vset->numval);
	} else {
		jsontext_begin(j, "values", '[');
		for (int i = 0; i < vset->numval; i++)
			jsontext_value(j, NULL, vset, i, p->desc.type, false);
		jsontext_end(j, ']');
	}
	jsontext_end(j, '}');
}

static void put_record(struct jsontext *j, const struct event_records *records, int r)
{
	struct event_record e;

	event_record(records, r, &e);
	jsontext_begin(j, NULL, '{');
	jsontext_time(j, &e.stamp);
	if (e.missed)
		jsontext_integer(j, "missed", e.n_missed);
	jsontext_integer(j, "flags", e.flags);
	jsontext_begin(j, "parameters", '[');
	for (int i = 0; i < e.n; i++)
		put_parameter(j, e.parameters[i]);
	jsontext_end(j, ']');
	jsontext_end(j, '}');
}

static void put_events(struct jsontext *j, const char *name, const pmValueSet *vset, int i,
		       int type, bool with_records)
{
	struct event_records records;
	int n = event_unpack(vset, i, type, &records);

	if (n < 0) {
		jsontext_error(j, name, n);
		return;
	}
	jsontext_begin(j, name, '{');
	jsontext_integer(j, "events", n);
	if (with_records) {
		jsontext_begin(j, "records", '[');
		for (int r = 0; r < n; r++)
			put_record(j, &records, r);
		jsontext_end(j, ']');
	}
	jsontext_end(j, '}');
	event_free(&records);
}

void jsontext_value(struct jsontext *j, const char *name, const pmValueSet *vset, int i, int type,
		    bool records)
{
	bool bytes = type == PM_TYPE_AGGREGATE || type == PM_TYPE_AGGREGATE_STATIC;

	if (type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT) {
		put_events(j, name, vset, i, type, records);
	} else if (bytes && vset->valfmt != PM_VAL_INSITU) {
		head(j, name);
		put_hex(j, vset, i);
	} else if (bytes || type < 0 || type > PM_TYPE_STRING) {
		jsontext_error(j, name, PM_ERR_TYPE);
	} else {
		put_atom(j, name, vset, i, type);
	}
}

void jsontext_line(struct jsontext *j)
{
	j->line = true;
}

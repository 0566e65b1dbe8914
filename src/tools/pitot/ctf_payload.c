/* ctf_payload - see ctf_payload.h. */
#include "ctf_payload.h"

#include <string.h>

static uint8_t *put(uint8_t *p, const void *data, size_t n)
{
	if (n > 0)
		memcpy(p, data, n);
	return p + n;
}

static uint8_t *put_sequence(uint8_t *p, const uint8_t *data, size_t n)
{
	const uint32_t length = (uint32_t)n;

	p = put(p, &length, sizeof(length));
	return put(p, data, n);
}

/* The ids in a set, as a sequence. */
struct ids {
	uint8_t *p;
	uint32_t n;
};

static void put_id(void *arg, trace_event_id_t id)
{
	struct ids *ids = arg;
	const uint32_t value = id;

	ids->p = put(ids->p, &value, sizeof(value));
	ids->n++;
}

static uint8_t *put_set(uint8_t *p, const struct trace_event *e, size_t i)
{
	struct ids ids = {.p = p + sizeof(uint32_t)};
	trace_event_set_t set;

	if (trace_system_set(e, i, &set) == 0)
		trace_set_walk(&set, put_id, &ids);
	memcpy(p, &ids.n, sizeof(ids.n));
	return ids.p;
}

static uint8_t *put_system(uint8_t *p, const struct trace_event *e)
{
	switch (e->info.posix_event_id) {
	case POSIX_TRACE_STOP:
	case POSIX_TRACE_ERROR:
		return trace_system(e) == TRACE_SYSTEM_INT ? put(p, e->data, sizeof(int32_t))
							   : put(p, &(int32_t){0}, sizeof(int32_t));
	case POSIX_TRACE_START:
		return put_set(p, e, 0);
	case POSIX_TRACE_FILTER:
		return put_set(put_set(p, e, 0), e, 1);
	default:
		return p;
	}
}

static uint8_t *put_field(uint8_t *p, const struct trace_event *e,
			  const struct posix_trace_field_np *f)
{
	size_t n;
	const uint8_t *data = trace_field(e, f, &n);

	if (f->type == POSIX_TRACE_FIELD_CHARS_NP)
		return put(put(p, data, n), "", 1);
	if (f->type == POSIX_TRACE_FIELD_BYTES_NP && f->size == 0)
		return put_sequence(p, data, n);
	return put(p, data, n);
}

size_t ctf_payload_max(const struct trace_event *e)
{
	if (trace_system(e) == TRACE_SYSTEM_SETS)
		return 2 * (sizeof(uint32_t) + 8 * sizeof(trace_event_set_t) * sizeof(uint32_t));
	/* Fields may overlap: each can be as long as the data. */
	return (e->type->nfield + 1) * (e->length + 2 * sizeof(uint32_t));
}

uint8_t *ctf_payload_put(uint8_t *p, const struct trace_event *e)
{
	const struct trace_type *type = e->type;
	enum trace_form form = trace_form(e);

	if (e->info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT)
		return put_system(p, e);
	if (form == TRACE_BYTES)
		return put_sequence(p, e->data, e->length);
	for (size_t i = 0; i < type->nfield; i++)
		p = put_field(p, e, &type->fields[i]);
	if (form == TRACE_REST)
		p = put_sequence(p, e->data + type->covered, e->length - type->covered);
	return p;
}

static void describe_sequence(FILE *out, const char *type, const char *name)
{
	fprintf(out, "\t\tuint32_t __%s_length;\n\t\t%s _%s[__%s_length];\n", name, type, name,
		name);
}

static void describe_system(FILE *out, trace_event_id_t id)
{
	switch (id) {
	case POSIX_TRACE_STOP:
		fputs("\t\tint32_t _auto;\n", out);
		break;
	case POSIX_TRACE_ERROR:
		fputs("\t\tint32_t _error;\n", out);
		break;
	case POSIX_TRACE_START:
		describe_sequence(out, "uint32_t", "filter");
		break;
	case POSIX_TRACE_FILTER:
		describe_sequence(out, "uint32_t", "old");
		describe_sequence(out, "uint32_t", "new");
		break;
	default:
		break;
	}
}

static void describe_field(FILE *out, const struct posix_trace_field_np *f, const char *name)
{
	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
		fprintf(out, "\t\tint%d_t _%s;\n", 8 * f->size, name);
		break;
	case POSIX_TRACE_FIELD_UINT_NP:
		fprintf(out, "\t\tuint%d_t _%s;\n", 8 * f->size, name);
		break;
	case POSIX_TRACE_FIELD_HEX_NP:
		fprintf(out, "\t\thex%d_t _%s;\n", 8 * f->size, name);
		break;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		fprintf(out, "\t\tfloat%d_t _%s;\n", 8 * f->size, name);
		break;
	case POSIX_TRACE_FIELD_CHARS_NP:
		fprintf(out, "\t\tstring _%s;\n", name);
		break;
	default:
		if (f->size == 0)
			describe_sequence(out, "uint8_t", name);
		else
			fprintf(out, "\t\tuint8_t _%s[%d];\n", name, f->size);
		break;
	}
}

/* The name of a field; one that was there before gets its number. */
static const char *unique_name(const struct trace_type *type, size_t i, char *text, size_t size)
{
	snprintf(text, size, "%s", type->fields[i].name);
	for (size_t k = 0; k < i; k++) {
		if (strcmp(type->fields[k].name, type->fields[i].name) == 0)
			snprintf(text, size, "%s__%zu", type->fields[i].name, i);
	}
	return text;
}

void ctf_payload_describe(FILE *out, const struct trace_type *type, enum trace_form form)
{
	char name[2 * sizeof(type->fields[0].name)];

	if (type->id < POSIX_TRACE_UNNAMED_USEREVENT) {
		describe_system(out, type->id);
		return;
	}
	if (form == TRACE_BYTES) {
		describe_sequence(out, "uint8_t", "data");
		return;
	}
	for (size_t i = 0; i < type->nfield; i++)
		describe_field(out, &type->fields[i], unique_name(type, i, name, sizeof(name)));
	if (form == TRACE_REST)
		describe_sequence(out, "uint8_t", "rest__");
}

/*
 * ctf_payload - the data of an event in the Common Trace Format, and the description of a trace.
 */
#include "tools/pitot/export/ctf.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/*
 * Data
 */

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

/* Writes the ids of a set as a sequence. */
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
	/* Fields may overlap: each may be as long as the data. */
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

/* The name of a field; a repeated name gets a number. */
static const char *unique_name(const struct trace_type *type, size_t i, char *text, size_t size)
{
	snprintf(text, size, "%s", type->fields[i].name);
	for (size_t k = 0; k < i; k++) {
		if (strcmp(type->fields[k].name, type->fields[i].name) == 0)
			snprintf(text, size, "%s__%zu", type->fields[i].name, i);
	}
	return text;
}

/* Writes the members of the structure, one a line. */
static void ctf_payload_describe(FILE *out, const struct trace_type *type, enum trace_form form)
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

/*
 * The description
 */

uint32_t ctf_class(trace_event_id_t id, enum trace_form form)
{
	return id * CTF_FORMS + form;
}

static void print_uuid(FILE *out, const uint8_t *uuid)
{
	for (int i = 0; i < CTF_UUID; i++)
		fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/*
 * Copies a name so that a string of the language can hold it. Returns true if it had to be changed.
 */
static bool ctf_payload_print_name(FILE *out, const char *name)
{
	bool changed = false;

	putc('"', out);
	for (const char *p = name; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\') {
			fprintf(out, "\\%c", c);
		} else if (c < ' ' || c > '~') {
			putc('?', out);
			changed = true;
		} else {
			putc(c, out);
		}
	}
	putc('"', out);
	return changed;
}

static void print_hex(FILE *out, const char *name)
{
	for (; *name != '\0'; name++)
		fprintf(out, "%02x", (unsigned char)*name);
}

static void print_integers(FILE *out)
{
	for (int size = 8; size <= 64; size *= 2) {
		fprintf(out,
			"typealias integer { size = %d; align = 8; signed = false; } := "
			"uint%d_t;\n"
			"typealias integer { size = %d; align = 8; signed = true; } := int%d_t;\n"
			"typealias integer { size = %d; align = 8; signed = false; base = hex; } "
			":= hex%d_t;\n",
			size, size, size, size, size, size);
	}
	fputs("typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := float32_t;\n"
	      "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := "
	      "float64_t;\n\n",
	      out);
}

static void print_trace(FILE *out, const struct ctf *c)
{
	const uint16_t order = 1;

	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", out);
	print_uuid(out, c->uuid);
	fprintf(out,
		"\";\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n"
		"\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n"
		"\t};\n};\n\n",
		*(const uint8_t *)&order == 1 ? "le" : "be");
}

/* Writes the original names that had to be changed, and the exact counts. */
static void print_env(FILE *out, const struct ctf *c, struct trace_source *source,
		      const struct posix_trace_counts_np *n)
{
	char name[TRACE_NAME_MAX] = "", version[TRACE_NAME_MAX] = "";
	trace_attr_t attr;

	if (posix_trace_get_attr(source->trid, &attr) == 0) {
		posix_trace_attr_getname(&attr, name);
		posix_trace_attr_getgenversion(&attr, version);
	}
	fputs("env {\n\tdomain = \"ust\";\n\ttracer_name = \"pitot\";\n\ttracer_version = ", out);
	ctf_payload_print_name(out, version);
	fputs(";\n\tstream_name = ", out);
	ctf_payload_print_name(out, name);
	fprintf(out,
		";\n\trecorded = %" PRIu64 ";\n\tlost_full = %" PRIu64
		";\n\tlost_overwritten = %" PRIu64 ";\n\tlost_attach = %" PRIu64
		";\n\tlost_log = %" PRIu64 ";\n",
		n->recorded, n->lost_full, n->lost_overwritten, n->lost_attach, n->lost_log);
	for (size_t id = 0; id < c->nclasses; id++) {
		const struct trace_type *type;
		bool plain = true;

		if (c->classes[id] == 0)
			continue;
		type = trace_source_type(source, (trace_event_id_t)id);
		for (const char *p = type->name; *p != '\0'; p++)
			plain = plain && *p >= ' ' && *p <= '~';
		if (plain)
			continue;
		fprintf(out, "\tname_of_%zu = \"", id);
		print_hex(out, type->name);
		fputs("\";\n", out);
	}
	fputs("};\n\n", out);
}

static void print_packet_and_header(FILE *out)
{
	fputs("\tpacket.context := struct {\n"
	      "\t\tclock_t timestamp_begin;\n"
	      "\t\tclock_t timestamp_end;\n"
	      "\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t events_discarded;\n"
	      "\t\tuint64_t packet_seq_num;\n"
	      "\t};\n"
	      "\tevent.header := struct {\n"
	      "\t\tuint32_t id;\n"
	      "\t\tclock_t timestamp;\n"
	      "\t};\n",
	      out);
}

static void print_clock_and_stream(FILE *out)
{
	fputs("clock {\n"
	      "\tname = \"realtime\";\n"
	      "\tdescription = \"CLOCK_REALTIME when the stream was made, then CLOCK_MONOTONIC\";\n"
	      "\tfreq = 1000000000;\n"
	      "\toffset_s = 0;\n"
	      "\toffset = 0;\n"
	      "\tabsolute = true;\n"
	      "};\n\n"
	      "typealias integer { size = 64; align = 8; signed = false; map = "
	      "clock.realtime.value; } := clock_t;\n\n"
	      "stream {\n"
	      "\tid = 0;\n",
	      out);
	print_packet_and_header(out);
	fputs("\tevent.context := struct {\n"
	      "\t\tint32_t _vpid;\n"
	      "\t\tint32_t _vtid;\n"
	      "\t\thex64_t _thread;\n"
	      "\t\thex64_t _ip;\n"
	      "\t\tuint8_t _truncated;\n"
	      "\t};\n"
	      "};\n\n",
	      out);
}

static void print_class(FILE *out, const struct trace_type *type, enum trace_form form)
{
	fputs("event {\n\tname = ", out);
	if (type->name[0] != '\0')
		ctf_payload_print_name(out, type->name);
	else
		fprintf(out, "\"#%u\"", type->id);
	fprintf(out, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		ctf_class(type->id, form));
	ctf_payload_describe(out, type, form);
	fputs("\t};\n};\n\n", out);
}

/* Metrics have a stream class of their own, because values have neither process nor thread. */
static void print_metrics(FILE *out, const struct ctf *c)
{
	if (c->nmetric == 0)
		return;
	fprintf(out, "stream {\n\tid = %d;\n", CTF_METRICS);
	print_packet_and_header(out);
	fputs("};\n\n", out);
	for (size_t i = 0; i < c->nmetric; i++) {
		const struct ctf_metric *m = &c->metrics[i];

		fputs("event {\n\tname = ", out);
		ctf_payload_print_name(out, m->name);
		fprintf(out,
			";\n\tid = %zu;\n\tstream_id = %d;\n\tfields := struct {\n"
			"%s\t\t%s _value;\n\t\tstring _units;\n\t};\n};\n\n",
			i, CTF_METRICS, m->instances ? "\t\tstring _instance;\n" : "",
			m->whole ? "int64_t" : "float64_t");
	}
}

void ctf_metadata_print(FILE *out, const struct ctf *c, struct trace_source *source,
			const struct posix_trace_counts_np *n)
{
	fputs("/* CTF 1.8 */\n\n", out);
	print_integers(out);
	print_trace(out, c);
	print_env(out, c, source, n);
	print_clock_and_stream(out);
	for (size_t id = 0; id < c->nclasses; id++) {
		for (int form = 0; form < CTF_FORMS; form++) {
			if (c->classes[id] & 1u << form)
				print_class(out, trace_source_type(source, (trace_event_id_t)id),
					    (enum trace_form)form);
		}
	}
	print_metrics(out, c);
}

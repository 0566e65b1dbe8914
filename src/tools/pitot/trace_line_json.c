/* trace_line_json - see trace_line_json.h. */
#include "trace_line_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/value.h"
#include "trace_line.h"
#include "trace_source.h"
#include "utf8.h"

void trace_json_string(FILE *out, const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n;

	putc('"', out);
	while (p < end) {
		size_t len = utf8_length(p, (size_t)(end - p));

		if (len == 0)
			fputs("\\ufffd", out);
		else if (len == 1 && (*p < ' ' || *p == 0x7f))
			fprintf(out, "\\u%04x", *p);
		else if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else
			fwrite(p, 1, len, out);
		p += len > 0 ? len : 1;
	}
	putc('"', out);
}

static void print_hex(FILE *out, const uint8_t *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	putc('"', out);
	for (size_t i = 0; i < n; i++) {
		putc(digits[data[i] >> 4], out);
		putc(digits[data[i] & 15], out);
	}
	putc('"', out);
}

/* JSON has no words for infinities and NaN. */
static void print_float(FILE *out, double v, size_t size)
{
	char number[REAL_TEXT];

	if (isnan(v))
		fputs("\"nan\"", out);
	else if (isinf(v))
		fputs(v > 0 ? "\"inf\"" : "\"-inf\"", out);
	else
		fputs(real_text(v, size, number), out);
}

static void print_field(FILE *out, const struct trace_event *e, const struct posix_trace_field_np *f)
{
	size_t n;
	const uint8_t *p = trace_field(e, f, &n);

	trace_json_string(out, f->name, strnlen(f->name, sizeof(f->name)));
	putc(':', out);
	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
		fprintf(out, "%" PRId64, trace_signed(p, n));
		break;
	case POSIX_TRACE_FIELD_UINT_NP:
	case POSIX_TRACE_FIELD_HEX_NP:
		fprintf(out, "%" PRIu64, trace_unsigned(p, n));
		break;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		print_float(out, trace_float(p, n), n);
		break;
	case POSIX_TRACE_FIELD_CHARS_NP:
		trace_json_string(out, (const char *)p, n);
		break;
	default:
		print_hex(out, p, n);
		break;
	}
}

struct ids {
	FILE *out;
	struct trace_source *source;
	const char *separator;
};

static void print_id(void *arg, trace_event_id_t id)
{
	struct ids *ids = arg;
	const struct trace_type *type = trace_source_type(ids->source, id);

	if (type->name[0] == '\0')
		return; /* an id that is not taken */
	fputs(ids->separator, ids->out);
	trace_json_string(ids->out, type->name, strlen(type->name));
	ids->separator = ",";
}

static void print_set(FILE *out, struct trace_source *s, const struct trace_event *e, size_t i)
{
	struct ids ids = {.out = out, .source = s, .separator = ""};
	trace_event_set_t set;

	putc('[', out);
	if (trace_system_set(e, i, &set) == 0)
		trace_set_walk(&set, print_id, &ids);
	putc(']', out);
}

static void print_system(FILE *out, struct trace_source *s, const struct trace_event *e)
{
	int value;

	fputs(",\"fields\":{", out);
	if (trace_system(e) == TRACE_SYSTEM_INT) {
		memcpy(&value, e->data, sizeof(value));
		fprintf(out, "\"%s\":%d",
			e->info.posix_event_id == POSIX_TRACE_STOP ? "auto" : "error", value);
	} else if (trace_system(e) == TRACE_SYSTEM_SETS) {
		bool start = e->info.posix_event_id == POSIX_TRACE_START;

		fputs(start ? "\"filter\":" : "\"old\":", out);
		print_set(out, s, e, 0);
		if (!start) {
			fputs(",\"new\":", out);
			print_set(out, s, e, 1);
		}
	}
	putc('}', out);
}

static void print_payload(FILE *out, const struct trace_event *e)
{
	enum trace_form form = trace_form(e);

	if (form != TRACE_BYTES) {
		fputs(",\"fields\":{", out);
		for (size_t i = 0; i < e->type->nfield; i++) {
			if (i > 0)
				putc(',', out);
			print_field(out, e, &e->type->fields[i]);
		}
		putc('}', out);
	}
	if (form == TRACE_BYTES) {
		fputs(",\"data\":", out);
		print_hex(out, e->data, e->length);
	} else if (form == TRACE_REST) {
		fputs(",\"rest\":", out);
		print_hex(out, e->data + e->type->covered, e->length - e->type->covered);
	}
}

void trace_line_json(struct trace_line *l, struct trace_source *s, const struct trace_event *e)
{
	FILE *out = l->out;

	trace_json_head(l, trace_event_ns(e));
	fprintf(out,
		",\"pid\":%d,\"tid\":%d,"
		"\"thread\":\"0x%" PRIx64 "\",\"address\":\"0x%" PRIxPTR "\",\"id\":%u,\"name\":",
		(int)e->info.posix_pid, (int)posix_trace_event_tid_np(&e->info),
		(uint64_t)e->info.posix_thread_id, (uintptr_t)e->info.posix_prog_address,
		e->info.posix_event_id);
	trace_json_string(out, e->type->name, strlen(e->type->name));
	fprintf(out, ",\"truncated\":%s",
		e->info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED ? "false" : "true");
	if (e->info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT)
		print_system(out, s, e);
	else
		print_payload(out, e);
	fputs("}\n", out);
}

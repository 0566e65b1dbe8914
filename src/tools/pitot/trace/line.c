/*
 * line - an event as a line of text or JSON.
 */
#include "tools/pitot/trace/line.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/utf8.h"
#include "tools/common/value.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/source.h"

/*
 * trace_line_json - an event as one JSON object on a line; the members are in pitot-trace(1).
 */

static void print_hex(FILE *out, const uint8_t *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		putc(digits[data[i] >> 4], out);
		putc(digits[data[i] & 15], out);
	}
}

static void print_hex_json(FILE *out, const uint8_t *data, size_t n)
{
	putc('"', out);
	print_hex(out, data, n);
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

static void print_field(FILE *out, const struct trace_event *e,
			const struct posix_trace_field_np *f)
{
	size_t n;
	const uint8_t *p = trace_field(e, f, &n);

	utf8_print_json(out, f->name, strnlen(f->name, sizeof(f->name)));
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
		utf8_print_json(out, (const char *)p, n);
		break;
	default:
		print_hex_json(out, p, n);
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
		return; /* an id without a type */
	fputs(ids->separator, ids->out);
	utf8_print_json(ids->out, type->name, strlen(type->name));
	ids->separator = ",";
}

static void line_print_set(FILE *out, struct trace_source *s, const struct trace_event *e, size_t i)
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
		line_print_set(out, s, e, 0);
		if (!start) {
			fputs(",\"new\":", out);
			line_print_set(out, s, e, 1);
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
		print_hex_json(out, e->data, e->length);
	} else if (form == TRACE_REST) {
		fputs(",\"rest\":", out);
		print_hex_json(out, e->data + e->type->covered, e->length - e->type->covered);
	}
}

static void trace_line_json(struct trace_line *l, struct trace_source *s,
			    const struct trace_event *e)
{
	FILE *out = l->out;

	trace_json_head(l, trace_event_ns(e));
	fprintf(out,
		",\"pid\":%d,\"tid\":%d,"
		"\"thread\":\"0x%" PRIx64 "\",\"address\":\"0x%" PRIxPTR "\",\"id\":%u,\"name\":",
		(int)e->info.posix_pid, (int)posix_trace_event_tid_np(&e->info),
		(uint64_t)e->info.posix_thread_id, (uintptr_t)e->info.posix_prog_address,
		e->info.posix_event_id);
	utf8_print_json(out, e->type->name, strlen(e->type->name));
	fprintf(out, ",\"truncated\":%s",
		e->info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED ? "false" : "true");
	if (e->info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT)
		print_system(out, s, e);
	else
		print_payload(out, e);
	fputs("}\n", out);
}

/*
 * Text
 */

void trace_line_init(struct trace_line *l, FILE *out, bool json, bool date)
{
	*l = (struct trace_line){.out = out, .json = json, .date = date, .second = -1};
}

/* Formatting a time takes longer than the rest of a line, and many events have the same second. */
static void note_second(struct trace_line *l, time_t second)
{
	struct tm tm;

	if (second == l->second)
		return;
	l->second = second;
	localtime_r(&second, &tm);
	strftime(l->day, sizeof(l->day), "%Y-%m-%d", &tm);
	strftime(l->clock, sizeof(l->clock), "%H:%M:%S", &tm);
	strftime(l->zone, sizeof(l->zone), "%z", &tm);
}

static bool printable(const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (data[i] < ' ' || data[i] > '~')
			return false;
	}
	return true;
}

/* Printable text: UTF-8 without control characters. */
static bool is_text(const uint8_t *data, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_length(data + i, n - i);
		if (len == 0 || utf8_is_control(data + i, len))
			return false;
	}
	return true;
}

static void print_escaped(FILE *out, const uint8_t *c, size_t n)
{
	if (*c == '\n')
		fputs("\\n", out);
	else
		for (size_t i = 0; i < n; i++)
			fprintf(out, "\\x%02x", c[i]);
}

/*
 * Text in quotes; bytes that a terminal would not show unchanged, or that are not UTF-8, become
 * \xNN.
 */
static void line_print_text(FILE *out, const uint8_t *text, size_t n)
{
	putc('"', out);
	for (const uint8_t *c = text, *end = text + n; c < end;) {
		size_t len = utf8_length(c, (size_t)(end - c));

		if (len == 0 || utf8_is_control(c, len)) {
			len = len > 0 ? len : 1;
			print_escaped(out, c, len);
		} else {
			if (*c == '"' || *c == '\\')
				putc('\\', out);
			fwrite(c, 1, len, out);
		}
		c += len;
	}
	putc('"', out);
}

/*
 * Data without a description: as text if it looks like text, else in hexadecimal followed by the
 * text.
 */
static void print_bytes(FILE *out, const uint8_t *data, size_t n)
{
	size_t text = n > 0 && data[n - 1] == '\0' ? n - 1 : n;

	if (n == 0)
		return;
	if (text > 0 && is_text(data, text)) {
		putc(' ', out);
		line_print_text(out, data, text);
		return;
	}
	if (n == 1 || n == 2 || n == 4 ||
	    n == 8) { /* probably a number: in the order of its digits */
		fprintf(out, " 0x%0*" PRIx64, (int)(2 * n), trace_unsigned(data, n));
		return;
	}
	fputs(" 0x", out);
	print_hex(out, data, n);
	if (n < sizeof(uint64_t))
		return;
	fputs(" |", out);
	for (size_t i = 0; i < n; i++)
		putc(data[i] >= ' ' && data[i] <= '~' ? data[i] : '.', out);
	putc('|', out);
}

static void text_print_field(FILE *out, const struct trace_event *e,
			     const struct posix_trace_field_np *f)
{
	size_t n;
	const uint8_t *p = trace_field(e, f, &n);
	char number[REAL_TEXT];

	fprintf(out, " %s=", f->name);
	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
		fprintf(out, "%" PRId64, trace_signed(p, n));
		break;
	case POSIX_TRACE_FIELD_UINT_NP:
		fprintf(out, "%" PRIu64, trace_unsigned(p, n));
		break;
	case POSIX_TRACE_FIELD_HEX_NP:
		fprintf(out, "0x%" PRIx64, trace_unsigned(p, n));
		break;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		fputs(real_text(trace_float(p, n), n, number), out);
		break;
	case POSIX_TRACE_FIELD_CHARS_NP:
		line_print_text(out, p, n);
		break;
	default:
		fputs("0x", out);
		print_hex(out, p, n);
		break;
	}
}

/* A name, unchanged unless it could be mistaken for something else. */
static void print_type(FILE *out, const struct trace_type *type)
{
	const size_t n = strlen(type->name);

	if (n == 0)
		fprintf(out, "#%u", type->id);
	else if (memchr(type->name, ' ', n) == NULL && printable((const uint8_t *)type->name, n))
		fputs(type->name, out);
	else
		line_print_text(out, (const uint8_t *)type->name, n);
}

struct names {
	FILE *out;
	struct trace_source *source;
	const char *separator;
	size_t n;
};

enum { NAMES_MAX = 16 }; /* a filter with all possible types */

static void line_print_name(void *arg, trace_event_id_t id)
{
	struct names *names = arg;
	const struct trace_type *type = trace_source_type(names->source, id);

	if (type->name[0] == '\0')
		return; /* an id without a type */
	if (names->n++ < NAMES_MAX) {
		fputs(names->separator, names->out);
		print_type(names->out, type);
	}
	names->separator = ",";
}

static void text_print_set(FILE *out, struct trace_source *s, const char *name,
			   const struct trace_event *e, size_t i)
{
	struct names names = {.out = out, .source = s, .separator = ""};
	trace_event_set_t set;

	if (trace_system_set(e, i, &set) < 0)
		return;
	fprintf(out, " %s={", name);
	trace_set_walk(&set, line_print_name, &names);
	fputs(names.n > NAMES_MAX ? ",...}" : "}", out);
}

static void text_print_system(FILE *out, struct trace_source *s, const struct trace_event *e)
{
	int value;

	switch (trace_system(e)) {
	case TRACE_SYSTEM_INT:
		memcpy(&value, e->data, sizeof(value));
		fprintf(out, " %s=%d",
			e->info.posix_event_id == POSIX_TRACE_STOP ? "auto" : "error", value);
		break;
	case TRACE_SYSTEM_SETS:
		if (e->info.posix_event_id == POSIX_TRACE_START) {
			text_print_set(out, s, "filter", e, 0);
			break;
		}
		text_print_set(out, s, "old", e, 0);
		text_print_set(out, s, "new", e, 1);
		break;
	default:
		print_bytes(out, e->data, e->length);
		break;
	}
}

static void text_print_payload(FILE *out, struct trace_source *s, const struct trace_event *e)
{
	const struct trace_type *type = e->type;
	enum trace_form form = trace_form(e);

	if (e->info.posix_event_id < POSIX_TRACE_UNNAMED_USEREVENT) {
		text_print_system(out, s, e);
		return;
	}
	for (size_t i = 0; form != TRACE_BYTES && i < type->nfield; i++)
		text_print_field(out, e, &type->fields[i]);
	if (form == TRACE_BYTES)
		print_bytes(out, e->data, e->length);
	else if (form == TRACE_REST)
		print_bytes(out, e->data + type->covered, e->length - type->covered);
}

static void print_plain(struct trace_line *l, struct trace_source *s, const struct trace_event *e)
{
	const pid_t tid = posix_trace_event_tid_np(&e->info);

	note_second(l, e->info.posix_timestamp.tv_sec);
	if (l->date)
		fprintf(l->out, "%s ", l->day);
	fprintf(l->out, "%s.%09ld ", l->clock, e->info.posix_timestamp.tv_nsec);
	if (tid != 0)
		fprintf(l->out, "%d/%d ", (int)e->info.posix_pid, (int)tid);
	else
		fprintf(l->out, "%d ", (int)e->info.posix_pid);
	print_type(l->out, e->type);
	text_print_payload(l->out, s, e);
	if (e->info.posix_truncation_status != POSIX_TRACE_NOT_TRUNCATED)
		fputs(" (truncated)", l->out);
	putc('\n', l->out);
}

void trace_json_head(struct trace_line *l, int64_t ns)
{
	note_second(l, (time_t)(ns / 1000000000));
	fprintf(l->out, "{\"ns\":%" PRId64 ",\"time\":\"%sT%s.%09ld%s\"", ns, l->day, l->clock,
		(long)(ns % 1000000000), l->zone);
}

void trace_line_print(struct trace_line *l, struct trace_source *s, const struct trace_event *e)
{
	if (l->json)
		trace_line_json(l, s, e);
	else
		print_plain(l, s, e);
}

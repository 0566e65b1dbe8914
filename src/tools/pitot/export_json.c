/*
 * export_json - an export as lines of JSON, one object each: events as `dump --json` prints them,
 *
 *     {"ns":N,"time":"...","lost":N,"from":N}                          a gap, at its end
 *     {"ns":N,"time":"...","metric":"M","instance":"I","value":V,"units":"U"}
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "export_file.h"
#include "export_sink.h"
#include "metric_track.h"
#include "tools/common/value.h"
#include "trace_line.h"

struct json {
	FILE *out;
	struct trace_line line;
};

static int open_json(void *state, const char *path, const struct export_about *about)
{
	struct json *j = state;
	int r = export_file_open(&j->out, path);

	(void)about;
	if (r < 0)
		j->out = NULL;
	else
		trace_line_init(&j->line, j->out, true, false);
	return r;
}

static int put_event(void *state, struct trace_source *source, const struct trace_event *e)
{
	struct json *j = state;

	trace_line_print(&j->line, source, e);
	return ferror(j->out) ? export_file_flush(j->out) : 0;
}

static int put_gap(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost)
{
	struct json *j = state;

	if (lost == 0)
		return 0;
	trace_json_head(&j->line, to_ns);
	fprintf(j->out, ",\"lost\":%" PRIu64 ",\"from\":%" PRId64 "}\n", lost, from_ns);
	return ferror(j->out) ? export_file_flush(j->out) : 0;
}

static void print_member(struct json *j, const char *name, const char *value)
{
	fprintf(j->out, ",\"%s\":", name);
	trace_json_string(j->out, value, strlen(value));
}

static int put_sample(void *state, const struct metric_sample *s)
{
	struct json *j = state;
	char number[REAL_TEXT];

	trace_json_head(&j->line, s->ns);
	print_member(j, "metric", s->track->metric);
	if (s->track->instance != NULL)
		print_member(j, "instance", s->track->instance);
	fputs(",\"value\":", j->out);
	if (s->track->whole)
		fprintf(j->out, "%" PRId64, s->integer);
	else if (isfinite(s->value))
		fputs(real_double(s->value, number), j->out);
	else
		fputs("null", j->out);
	if (s->track->units[0] != '\0')
		print_member(j, "units", s->track->units);
	fputs("}\n", j->out);
	return ferror(j->out) ? export_file_flush(j->out) : 0;
}

static int finish(void *state, struct trace_source *source,
		  const struct posix_trace_counts_np *counts)
{
	struct json *j = state;

	(void)source;
	(void)counts;
	return export_file_flush(j->out);
}

static void close_json(void *state)
{
	export_file_close(((struct json *)state)->out);
}

const struct export_sink json_sink = {
    .option = "json",
    .size = sizeof(struct json),
    .open = open_json,
    .event = put_event,
    .gap = put_gap,
    .sample = put_sample,
    .finish = finish,
    .close = close_json,
};

/*
 * json - an export as lines of JSON; and the output file that sinks share.
 */
#include "tools/pitot/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/utf8.h"
#include "tools/common/value.h"
#include "tools/pitot/trace/line.h"
#include "tools/pitot/trace/source.h"

/*
 * The file
 */

int export_file_open(FILE **ret_file, const char *path)
{
	int fd;

	*ret_file = stdout;
	if (strcmp(path, "-") == 0)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	*ret_file = fdopen(fd, "w");
	if (*ret_file != NULL)
		return 0;
	close(fd);
	return -ENOMEM;
}

int export_file_flush(FILE *file)
{
	errno = EIO;
	return fflush(file) != 0 || ferror(file) ? -errno : 0;
}

void export_file_close(FILE *file)
{
	if (file != NULL && file != stdout)
		fclose(file);
}

/*
 * Lines of JSON, one object each: events as `dump --json` prints them,
 *
 *     {"ns":N,"time":"...","lost":N,"from":N}                          a gap, at its end
 *     {"ns":N,"time":"...","metric":"M","instance":"I","value":V,"units":"U"}
 */

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

static int export_put_event(void *state, struct trace_source *source, const struct trace_event *e)
{
	struct json *j = state;

	trace_line_print(&j->line, source, e);
	return ferror(j->out) ? export_file_flush(j->out) : 0;
}

static int export_put_gap(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost)
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
	utf8_print_json(j->out, value, strlen(value));
}

static int export_put_sample(void *state, const struct metric_sample *s)
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

static int export_finish(void *state, struct trace_source *source,
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
    .event = export_put_event,
    .gap = export_put_gap,
    .sample = export_put_sample,
    .finish = export_finish,
    .close = close_json,
};

/*
 * dump - `pitot trace dump` and `pitot trace recover`.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/line.h"
#include "tools/pitot/trace/select.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/trace.h"

/*
 * trace_dump - `pitot trace dump`: the events of a log as lines.
 */

enum {
	DUMP_BUFFER = 1 << 20,
	DUMP_FLUSH = 256, /* events */
};

struct dump {
	pmOptions pm;
	struct trace_select select;
	const char *zone;
	bool json, date;
};

#define AT(member) offsetof(struct dump, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "json",     0, 'j', NULL, "one JSON object a line, for programs" }, CMDLINE_FLAG, AT(json) },
	{ { "date",     0, 'd', NULL, "the date before the time" }, CMDLINE_FLAG, AT(date) },
	{ { "timezone", 1, 'Z', "TZ", "times in this time zone, UTC say" }, CMDLINE_SET, AT(zone), .set = trace_set_zone },
	TRACE_SELECT_ROWS(AT(select)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "trace dump",
    .purpose = "Prints the events of a log, oldest first.",
    .rows = rows,
    .operands = "FILE",
};

static int print_events(struct dump *d, struct trace_source *source, const char *path)
{
	struct trace_event e;
	struct trace_line line;
	uint64_t n = 0;
	int r;

	setvbuf(stdout, NULL, _IOFBF, DUMP_BUFFER);
	trace_line_init(&line, stdout, d->json, d->date);
	while ((r = trace_source_next(source, NULL, &e)) > 0) {
		if (trace_select_wants(&d->select, &e))
			trace_line_print(&line, source, &e);
		/*
		 * Flushes often, so that no buffer overflows: the reason of a failure would be
		 * lost.
		 */
		if (++n % DUMP_FLUSH == 0 && !output_flush())
			return PITOT_FAILED;
	}
	if (r < 0)
		return trace_failed("dump", path, -r);
	return trace_nothing_selected("dump", source->trid, &d->select) ? PITOT_FAILED : PITOT_OK;
}

static int dump(struct dump *d, const char *path)
{
	struct timespec created = {0};
	struct trace_source source = {0};
	trace_attr_t attr;
	trace_id_t trid;
	int status = PITOT_FAILED, error;

	if (trace_open_log("dump", path, &trid) < 0)
		return PITOT_FAILED;
	error = trace_source_init(&source, trid, false);
	if (error == 0)
		error = posix_trace_get_attr(trid, &attr);
	if (error != 0)
		trace_failed("dump", path, error);
	else if (posix_trace_attr_getcreatetime(&attr, &created),
		 trace_select_times(&d->select, &created) < 0)
		status = PITOT_USAGE;
	else
		status = print_events(d, &source, path);
	trace_source_done(&source);
	posix_trace_close(trid);
	return status;
}

int trace_dump_run(int argc, char **argv)
{
	struct dump d = {0};
	int status = options_parse(&options, argc, argv, &d);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	if (argc - optind != 1) {
		pitot_complain("trace dump: expected one FILE: see pitot trace dump --help");
		return PITOT_USAGE;
	}
	trace_zone(d.zone);
	status = dump(&d, argv[optind]);
	trace_select_done(&d.select);
	return output_finish(status);
}

/*
 * trace_recover - `pitot trace recover`: makes a complete log of the intact part of an incomplete
 * one, or of the remains of a killed tracer.
 */

struct recover {
	pmOptions pm;
	const char *output;
	bool remains, keep;
};

#define RECOVER_AT(member) offsetof(struct recover, member)

/* clang-format off */
static const struct cmdline_row recover_rows[] = {
	{ { "output",  1, 'o', "FILE", "the log to write" }, CMDLINE_TEXT, RECOVER_AT(output) },
	{ { "remains", 0, 0, NULL, "from what a killed tracer left: the number of pitot trace list, or the newest" }, CMDLINE_FLAG, RECOVER_AT(remains) },
	{ { "keep",    0, 0, NULL, "do not remove the remains" }, CMDLINE_FLAG, RECOVER_AT(keep) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options recover_options = {
    .command = "trace recover",
    .purpose = "Makes a log of what is whole in one that was cut short, or of what a killed tracer "
	       "left in memory.",
    .rows = recover_rows,
    .operands = "[FILE|ID]",
};

/* Makes a new file: the result must not replace its source. Returns -1 after a message. */
static int dump_open_output(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		trace_failed("recover", path, errno);
	return fd;
}

static int recover_log(const char *path, int to)
{
	uint64_t kept = 0, dropped = 0;
	int from = open(path, O_RDONLY | O_CLOEXEC), error;

	if (from < 0)
		return trace_failed("recover", path, errno);
	error = posix_trace_log_recover_np(from, to, &kept, &dropped);
	close(from);
	if (error == EINVAL) {
		pitot_complain("trace recover: %s: not even the beginning of a trace log", path);
		return PITOT_FAILED;
	}
	if (error != 0)
		return trace_failed("recover", path, error);
	printf("%" PRIu64 " events kept, %" PRIu64 " bytes dropped\n", kept, dropped);
	return PITOT_OK;
}

static int recover_remains(const struct recover *r, const char *id, int to)
{
	uint64_t number;
	int error;

	if (trace_remains_find("recover", id, &number) < 0)
		return PITOT_FAILED;
	error = posix_trace_remains_save_np(number, to, r->keep);
	return error != 0 ? trace_failed("recover", "remains", error) : PITOT_OK;
}

int trace_recover_run(int argc, char **argv)
{
	struct recover r = {0};
	int status = options_parse(&recover_options, argc, argv, &r), fd;
	const char *operand;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	operand = argv[optind];
	if (r.output == NULL || (operand == NULL && !r.remains) ||
	    (operand != NULL && argc - optind != 1)) {
		pitot_complain("trace recover: expected -o FILE and one FILE, or --remains: see "
			       "pitot trace recover --help");
		return PITOT_USAGE;
	}
	fd = dump_open_output(r.output);
	if (fd < 0)
		return PITOT_FAILED;
	status = r.remains ? recover_remains(&r, operand, fd) : recover_log(operand, fd);
	close(fd);
	if (status != PITOT_OK)
		unlink(r.output);
	return output_finish(status);
}

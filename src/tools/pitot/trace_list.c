/* trace_list - `pitot trace list`: which processes can be traced, and what killed tracers left. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "options.h"
#include "pitot.h"
#include "portowner.h"
#include "tools/common/cmdline.h"
#include "trace_commands.h"
#include "trace_remains.h"
#include "word.h"

struct lists {
	struct posix_trace_process_np *processes;
	size_t nprocess;
	struct posix_trace_remains_np *remains;
	size_t nremains;
	bool json;
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "json", 0, 'j', NULL, "one JSON object on one line, for programs" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct lists *l = arg;

	l->json = true;
	return 0;
}

static const struct options options = {
    .command = "trace list",
    .purpose = "Lists the processes that can be traced, and what killed tracers left in memory.",
    .rows = rows,
    .take = take_option,
};

static void print_processes(const struct lists *l)
{
	char user[32], command[sizeof(l->processes[0].command) + 1];

	printf("%8s %-10s %7s %6s  %s\n", "PID", "USER", "STREAMS", "TYPES", "COMMAND");
	for (size_t i = 0; i < l->nprocess; i++) {
		const struct posix_trace_process_np *p = &l->processes[i];

		snprintf(command, sizeof(command), "%.*s", (int)sizeof(p->command), p->command);
		word_clean(command);
		printf("%8d %-10s %7u %6u  %s\n", (int)p->pid,
		       user_name(p->uid, user, sizeof(user)), p->streams, p->event_types, command);
	}
}

static void print_remains(const struct lists *l)
{
	char when[32], name[TRACE_NAME_MAX + 1];
	struct tm tm;

	printf("\n%8s %8s %8s %10s  %-19s  %s\n", "REMAINS", "PROCESS", "TRACER", "BYTES", "ENDED",
	       "NAME");
	for (size_t i = 0; i < l->nremains; i++) {
		const struct posix_trace_remains_np *r = &l->remains[i];

		localtime_r(&r->ended.tv_sec, &tm);
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(r->name), r->name);
		word_clean(name);
		printf("%8" PRIu64 " %8d %8d %10" PRIu64 "  %s  %s\n", r->id, (int)r->target,
		       (int)r->controller, r->bytes, when, name);
	}
}

/* A name of up to n bytes; NULL in JSON if it is not UTF-8. */
static json_t *text_json(const char *text, size_t n)
{
	json_t *json = json_stringn(text, strnlen(text, n));

	return json != NULL ? json : json_null();
}

static double seconds(const struct timespec *ts)
{
	return (double)ts->tv_sec + (double)ts->tv_nsec / 1e9;
}

static json_t *process_json(const struct posix_trace_process_np *p)
{
	return json_pack("{s:i, s:I, s:I, s:I, s:I, s:o}", "pid", (int)p->pid, "uid",
			 (json_int_t)p->uid, "start_time", (json_int_t)p->start_time, "streams",
			 (json_int_t)p->streams, "event_types", (json_int_t)p->event_types,
			 "command", text_json(p->command, sizeof(p->command)));
}

static json_t *remains_json(const struct posix_trace_remains_np *r)
{
	char id[24]; /* a text: many readers of JSON know no whole numbers of 64 bits */

	snprintf(id, sizeof(id), "%" PRIu64, r->id);
	return json_pack("{s:s, s:i, s:i, s:f, s:f, s:I, s:o}", "id", id, "target",
			 (int)r->target, "controller", (int)r->controller, "created",
			 seconds(&r->created), "ended", seconds(&r->ended), "bytes",
			 (json_int_t)r->bytes, "name", text_json(r->name, sizeof(r->name)));
}

static int print_json(const struct lists *l)
{
	json_t *processes = json_array(), *remains = json_array(), *all;
	int r;

	for (size_t i = 0; i < l->nprocess; i++)
		json_array_append_new(processes, process_json(&l->processes[i]));
	for (size_t i = 0; i < l->nremains; i++)
		json_array_append_new(remains, remains_json(&l->remains[i]));
	all = json_pack("{s:i, s:o, s:o}", "schema", 1, "processes", processes, "remains", remains);
	r = all != NULL ? json_dumpf(all, stdout, JSON_COMPACT) : -1;
	putchar('\n');
	json_decref(all);
	return r == 0 ? PITOT_OK : PITOT_FAILED;
}

int trace_list_run(int argc, char **argv)
{
	struct lists l = {0};
	int status = options_parse(&options, argc, argv, &l), error;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	error = trace_processes_get(&l.processes, &l.nprocess);
	if (error == 0)
		error = trace_remains_get(&l.remains, &l.nremains);
	status = PITOT_OK;
	if (error != 0) {
		status = trace_failed("list", "processes", error);
	} else if (l.json) {
		status = print_json(&l);
	} else {
		print_processes(&l);
		if (l.nremains > 0)
			print_remains(&l);
	}
	free(l.processes);
	free(l.remains);
	return output_finish(status);
}

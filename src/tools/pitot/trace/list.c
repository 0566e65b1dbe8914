/*
 * list - `pitot trace list` and `pitot trace status`.
 */
#include "tools/pitot/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cmdline.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/stream.h"

/*
 * Lists of the library
 */

static int trace_remains_get(struct posix_trace_remains_np **ret_list, size_t *ret_n)
{
	size_t n = 0, room;
	int error = posix_trace_remains_np(NULL, 0, &n);

	room = n + TRACE_SPARE;
	*ret_list = calloc(room, sizeof(**ret_list));
	if (error == 0)
		error = *ret_list != NULL ? posix_trace_remains_np(*ret_list, room, &n) : ENOMEM;
	*ret_n = n < room ? n : room;
	return error;
}

int trace_remains_find(const char *command, const char *text, uint64_t *ret_id)
{
	struct posix_trace_remains_np *list = NULL;
	size_t n = 0, i = 0;
	char *end;
	uint64_t id = text != NULL ? strtoull(text, &end, 10) : 0;
	int error = trace_remains_get(&list, &n);

	if (text != NULL && (end == text || *end != '\0'))
		n = 0;
	if (text == NULL && n > 0)
		id = list[n - 1].id;
	while (i < n && list[i].id != id)
		i++;
	free(list);
	if (error != 0) {
		trace_failed(command, "remains", error);
		return -1;
	}
	if (i == n) {
		pitot_complain("trace %s: there are no remains%s%s: see pitot trace list", command,
			       text != NULL ? " " : "", text != NULL ? text : "");
		return -1;
	}
	*ret_id = id;
	return 0;
}

/*
 * trace_list - `pitot trace list`: which processes can be traced, and what killed tracers left.
 */

struct lists {
	pmOptions pm;
	struct posix_trace_process_np *processes;
	size_t nprocess;
	struct posix_trace_remains_np *remains;
	size_t nremains;
	bool json;
};

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "json", 0, 'j', NULL, "one JSON object on one line, for programs" }, CMDLINE_FLAG, offsetof(struct lists, json) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "trace list",
    .purpose = "Lists the processes that can be traced, and what killed tracers left in memory.",
    .rows = rows,
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

static double list_seconds(const struct timespec *ts)
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
	char id[24]; /* as text: many readers of JSON cannot hold 64-bit integers */

	snprintf(id, sizeof(id), "%" PRIu64, r->id);
	return json_pack("{s:s, s:i, s:i, s:f, s:f, s:I, s:o}", "id", id, "target", (int)r->target,
			 "controller", (int)r->controller, "created", list_seconds(&r->created),
			 "ended", list_seconds(&r->ended), "bytes", (json_int_t)r->bytes, "name",
			 text_json(r->name, sizeof(r->name)));
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
	r = all != NULL ? json_dumpf(all, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) : -1;
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

/* trace_status - `pitot trace status`: the processes that are traced, or the contents of logs. */

/* The stream that wrote a log, as described in the log. */
struct log {
	const char *path;
	int64_t bytes;
	char name[TRACE_NAME_MAX], version[TRACE_NAME_MAX];
	int policy, log_policy, inherited;
	size_t size, log_size, data_size;
	struct timespec created;
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	int64_t events, first_ns, last_ns; /* events of all types */
};

struct status {
	pmOptions pm;
	bool json;
};

/* clang-format off */
static const struct cmdline_row status_rows[] = {
	{ { "json", 0, 'j', NULL, "one JSON object a line, for programs" }, CMDLINE_FLAG, offsetof(struct status, json) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options status_options = {
    .command = "trace status",
    .purpose = "Tells which processes are being traced, or what logs hold and what was lost.",
    .rows = status_rows,
    .operands = "[FILE...]",
};

static int read_attributes(trace_id_t trid, struct log *l)
{
	trace_attr_t attr;
	int error = posix_trace_get_attr(trid, &attr);

	if (error != 0)
		return error;
	posix_trace_attr_getname(&attr, l->name);
	posix_trace_attr_getgenversion(&attr, l->version);
	posix_trace_attr_getcreatetime(&attr, &l->created);
	posix_trace_attr_getstreamfullpolicy(&attr, &l->policy);
	posix_trace_attr_getlogfullpolicy(&attr, &l->log_policy);
	posix_trace_attr_getinherited(&attr, &l->inherited);
	posix_trace_attr_getstreamsize(&attr, &l->size);
	posix_trace_attr_getlogsize(&attr, &l->log_size);
	posix_trace_attr_getmaxdatasize(&attr, &l->data_size);
	error = posix_trace_get_status(trid, &l->status);
	return error != 0 ? error : posix_trace_get_counts_np(trid, &l->counts);
}

/*
 * Counts the events of the log, and finds the times of the first and the last. Returns 0 or an
 * error number.
 */
static int read_events(trace_id_t trid, struct log *l)
{
	struct trace_source source;
	struct trace_event e;
	int r = -trace_source_init(&source, trid, false);

	while (r == 0 && (r = trace_source_next(&source, NULL, &e)) > 0) {
		l->last_ns = trace_event_ns(&e);
		if (l->events++ == 0)
			l->first_ns = l->last_ns;
		r = 0;
	}
	trace_source_done(&source);
	return -r;
}

static void print_log(const struct log *l)
{
	const struct trace_account account = trace_account(&l->counts, l->log_policy);
	char text[TRACE_ACCOUNT_TEXT], name[TRACE_NAME_MAX + 1], version[TRACE_NAME_MAX + 1],
	    when[32];
	struct tm tm;

	snprintf(name, sizeof(name), "%s", l->name);
	word_clean(name);
	snprintf(version, sizeof(version), "%s", l->version);
	word_clean(version);
	localtime_r(&l->created.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	printf("%s: %" PRId64 " bytes\n", l->path, l->bytes);
	printf("  stream     %s, made %s by %s\n", name[0] != '\0' ? name : "(no name)", when,
	       version);
	printf("  events     %" PRId64 " in %.3f s\n", l->events,
	       (double)(l->last_ns - l->first_ns) / 1e9);
	printf("  accounting %s\n", trace_account_text(&account, text, sizeof(text)));
	printf("  memory     %s, %zu bytes; data up to %zu bytes%s\n", trace_policy_name(l->policy),
	       l->size, l->data_size,
	       l->inherited == POSIX_TRACE_INHERITED ? "; children, too" : "");
	if (l->log_policy == POSIX_TRACE_APPEND)
		printf("  log        append\n");
	else
		printf("  log        %s, %zu bytes%s\n", trace_policy_name(l->log_policy),
		       l->log_size,
		       l->status.posix_log_full_status == POSIX_TRACE_FULL ? ", full" : "");
}

/* The first four are the counts: kept + overwritten + lost = emitted. */
static json_t *counts_json(const struct posix_trace_counts_np *n, int log_policy)
{
	const struct trace_account a = trace_account(n, log_policy);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "emitted",
			 (json_int_t)a.emitted, "kept", (json_int_t)a.kept, "overwritten",
			 (json_int_t)a.overwritten, "lost", (json_int_t)a.lost, "recorded",
			 (json_int_t)n->recorded, "reported", (json_int_t)n->reported, "lost_full",
			 (json_int_t)n->lost_full, "lost_overwritten",
			 (json_int_t)n->lost_overwritten, "lost_attach", (json_int_t)n->lost_attach,
			 "lost_log", (json_int_t)n->lost_log, "discarded",
			 (json_int_t)n->discarded);
}

static int print_log_json(const struct log *l)
{
	json_t *json = json_pack(
	    "{s:i, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:b, s:s, s:I, s:b, s:o}",
	    "schema", 1, "file", text_json(l->path, strlen(l->path)), "bytes", (json_int_t)l->bytes,
	    "name", text_json(l->name, sizeof(l->name)), "version",
	    text_json(l->version, sizeof(l->version)), "created_ns",
	    (json_int_t)l->created.tv_sec * 1000000000 + l->created.tv_nsec, "events",
	    (json_int_t)l->events, "first_ns", (json_int_t)l->first_ns, "last_ns",
	    (json_int_t)l->last_ns, "policy", trace_policy_name(l->policy), "size",
	    (json_int_t)l->size, "data_size", (json_int_t)l->data_size, "children",
	    l->inherited == POSIX_TRACE_INHERITED, "log_policy", trace_policy_name(l->log_policy),
	    "log_size", (json_int_t)l->log_size, "log_full",
	    l->status.posix_log_full_status == POSIX_TRACE_FULL, "counts",
	    counts_json(&l->counts, l->log_policy));
	int r = json != NULL ? json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) : -1;

	putchar('\n');
	json_decref(json);
	return r == 0 ? PITOT_OK : PITOT_FAILED;
}

static int report_log(const char *path, bool json)
{
	struct log l = {.path = path};
	struct stat st;
	trace_id_t trid;
	int error;

	if (trace_open_log("status", path, &trid) < 0)
		return PITOT_FAILED;
	if (stat(path, &st) == 0)
		l.bytes = st.st_size;
	error = read_attributes(trid, &l);
	if (error == 0)
		error = read_events(trid, &l);
	posix_trace_close(trid);
	if (error != 0)
		return trace_failed("status", path, error);
	if (json)
		return print_log_json(&l);
	print_log(&l);
	return PITOT_OK;
}

static int status_print_processes(const struct posix_trace_process_np *list, size_t n,
				  size_t remains, bool json)
{
	size_t traced = 0, streams = 0;

	for (size_t i = 0; i < n; i++) {
		traced += list[i].streams > 0;
		streams += list[i].streams;
	}
	if (json) {
		printf("{\"schema\":1,\"traceable\":%zu,\"traced\":%zu,\"streams\":%zu,"
		       "\"remains\":%zu}\n",
		       n, traced, streams, remains);
		return PITOT_OK;
	}
	printf("%zu processes can be traced, %zu are, by %zu streams; %zu remains\n", n, traced,
	       streams, remains);
	for (size_t i = 0; i < n; i++) {
		char command[sizeof(list[i].command) + 1];

		if (list[i].streams == 0)
			continue;
		snprintf(command, sizeof(command), "%.*s", (int)sizeof(list[i].command),
			 list[i].command);
		word_clean(command);
		printf("  %d %s: %u stream%s, %u event types\n", (int)list[i].pid, command,
		       list[i].streams, list[i].streams == 1 ? "" : "s", list[i].event_types);
	}
	return PITOT_OK;
}

static int report_processes(bool json)
{
	struct posix_trace_process_np *processes = NULL;
	struct posix_trace_remains_np *remains = NULL;
	size_t n = 0, nremains = 0;
	int error = trace_processes_get(&processes, &n), status;

	if (error == 0)
		error = trace_remains_get(&remains, &nremains);
	status = error == 0 ? status_print_processes(processes, n, nremains, json)
			    : trace_failed("status", "processes", error);
	free(processes);
	free(remains);
	return status;
}

int trace_status_run(int argc, char **argv)
{
	struct status s = {0};
	int status = options_parse(&status_options, argc, argv, &s);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	status = PITOT_OK;
	if (optind == argc)
		status = report_processes(s.json);
	for (int i = optind; i < argc; i++) {
		if (report_log(argv[i], s.json) != PITOT_OK)
			status = PITOT_FAILED;
	}
	return output_finish(status);
}

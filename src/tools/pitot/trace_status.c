/* trace_status - `pitot trace status`: what is being traced, or what logs hold. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "pitot.h"
#include "tools/common/cmdline.h"
#include "trace_account.h"
#include "trace_commands.h"
#include "trace_remains.h"
#include "trace_source.h"
#include "trace_stream.h"
#include "word.h"

/* The stream that wrote a log, as the log describes it. */
struct log {
	const char *path;
	int64_t bytes;
	char name[TRACE_NAME_MAX], version[TRACE_NAME_MAX];
	int policy, log_policy, inherited;
	size_t size, log_size, data_size;
	struct timespec created;
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	int64_t events, first_ns, last_ns; /* of all types */
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "json", 0, 'j', NULL, "one JSON object a line, for programs" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	*(bool *)arg = true;
	return 0;
}

static const struct options options = {
    .command = "trace status",
    .purpose = "Tells which processes are being traced, or what logs hold and what was lost.",
    .rows = rows,
    .operands = "[FILE...]",
    .take = take_option,
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

/* Events in the log, and the times of the first and the last. 0 or an error number. */
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
	char text[TRACE_ACCOUNT_TEXT], name[TRACE_NAME_MAX + 1], version[TRACE_NAME_MAX + 1], when[32];
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

/* The first four are the account: kept + overwritten + lost = emitted. */
static json_t *counts_json(const struct posix_trace_counts_np *n, int log_policy)
{
	const struct trace_account a = trace_account(n, log_policy);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "emitted",
			 (json_int_t)a.emitted, "kept", (json_int_t)a.kept, "overwritten",
			 (json_int_t)a.overwritten, "lost", (json_int_t)a.lost, "recorded", (json_int_t)n->recorded,
			 "reported", (json_int_t)n->reported, "lost_full", (json_int_t)n->lost_full,
			 "lost_overwritten", (json_int_t)n->lost_overwritten, "lost_attach",
			 (json_int_t)n->lost_attach, "lost_log", (json_int_t)n->lost_log,
			 "discarded", (json_int_t)n->discarded);
}

static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);

	return json != NULL ? json : json_null(); /* no UTF-8 */
}

static int print_log_json(const struct log *l)
{
	json_t *json = json_pack(
	    "{s:i, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:b, s:s, s:I, s:b, s:o}",
	    "schema", 1, "file", text_json(l->path), "bytes", (json_int_t)l->bytes, "name",
	    text_json(l->name), "version", text_json(l->version), "created_ns",
	    (json_int_t)l->created.tv_sec * 1000000000 + l->created.tv_nsec, "events",
	    (json_int_t)l->events, "first_ns", (json_int_t)l->first_ns, "last_ns",
	    (json_int_t)l->last_ns, "policy", trace_policy_name(l->policy), "size",
	    (json_int_t)l->size, "data_size", (json_int_t)l->data_size, "children",
	    l->inherited == POSIX_TRACE_INHERITED, "log_policy", trace_policy_name(l->log_policy),
	    "log_size", (json_int_t)l->log_size, "log_full",
	    l->status.posix_log_full_status == POSIX_TRACE_FULL, "counts", counts_json(&l->counts, l->log_policy));
	int r = json != NULL ? json_dumpf(json, stdout, JSON_COMPACT) : -1;

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

static int print_processes(const struct posix_trace_process_np *list, size_t n, size_t remains,
			   bool json)
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
	status = error == 0 ? print_processes(processes, n, nremains, json)
			    : trace_failed("status", "processes", error);
	free(processes);
	free(remains);
	return status;
}

int trace_status_run(int argc, char **argv)
{
	bool json = false;
	int status = options_parse(&options, argc, argv, &json);

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	status = PITOT_OK;
	if (optind == argc)
		status = report_processes(json);
	for (int i = optind; i < argc; i++) {
		if (report_log(argv[i], json) != PITOT_OK)
			status = PITOT_FAILED;
	}
	return output_finish(status);
}

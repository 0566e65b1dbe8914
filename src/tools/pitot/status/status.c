/*
 * status - the commands `pitot status` and `pitot doctor`, and their output as JSON.
 */
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/value.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/status/doctor.h"
#include "tools/pitot/status/facts.h"

/*
 * status_json - facts and findings for programs: one object a line, its members in pitot-status(1).
 *
 * An unknown value is null, so every member is always there.
 */

enum {
	SCHEMA = 1
}; /* increases when a member is removed or changes its meaning, not when one is added */

static void set_number(json_t *o, const char *key, int64_t v)
{
	json_object_set_new(o, key, v >= 0 ? json_integer(v) : json_null());
}

/* A number with three digits after the point. */
static void set_real(json_t *o, const char *key, double v)
{
	json_object_set_new(o, key, isfinite(v) ? json_real(round(v * 1000) / 1000) : json_null());
}

/* A time in ms, in seconds. */
static void set_seconds(json_t *o, const char *key, int64_t ms)
{
	set_real(o, key, ms >= 0 ? (double)ms / 1000 : NAN);
}

/* Text that is not UTF-8 is reduced to its ASCII characters. */
static void status_set_text(json_t *o, const char *key, const char *text)
{
	char plain[1024];
	json_t *v;

	if (text == NULL) {
		json_object_set_new(o, key, json_null());
		return;
	}
	v = json_string(text);
	if (v == NULL) {
		snprintf(plain, sizeof(plain), "%s", text);
		for (char *c = plain; *c != '\0'; c++)
			*c = (*c & 0x80) != 0 ? '?' : *c;
		v = json_string(plain);
	}
	json_object_set_new(o, key, v);
}

static void set_process(json_t *o, const struct process *p)
{
	set_number(o, "rss_kib", p->rss_kb);
	set_number(o, "pss_kib", p->pss_kb);
	set_real(o, "cpu_percent", p->cpu_percent);
}

static json_t *collector_object(const struct facts *f)
{
	const struct collector *c = &f->collector;
	json_t *o = json_object();

	status_set_text(o, "hostname", c->hostname);
	status_set_text(o, "version", c->version);
	status_set_text(o, "pcp_version", c->pcp_version);
	set_number(o, "pid", c->pid);
	set_number(o, "uid", c->uid >= 0 ? c->uid : f->process.uid);
	set_real(o, "start_time", c->start_time);
	set_seconds(o, "uptime_s", c->uptime_ms);
	set_number(o, "clients", c->clients > 0 ? c->clients - 1 : c->clients);
	set_number(o, "metrics", c->metrics);
	set_number(o, "requests", c->requests);
	set_real(o, "requests_per_s", f->requests_per_s);
	set_real(o, "requests_per_s_since_start", f->requests_per_s_ever);
	set_real(o, "fetches_per_s", f->fetches_per_s);
	set_process(o, &f->process);
	set_seconds(o, "cpu_s", c->cpu_ms);
	set_number(o, "descriptors", c->fds >= 0 ? c->fds : f->process.fds);
	set_number(o, "descriptors_limit", c->fds_limit >= 0 ? c->fds_limit : f->process.fds_limit);
	status_set_text(o, "config", c->config);
	status_set_text(o, "log", c->log);
	status_set_text(o, "run_dir", c->run_dir);
	return o;
}

/* The recorder of the user's own `pitot up`; null for any other collector. */
static json_t *recording_object(const struct facts *f)
{
	const struct archives *a = &f->archives;
	json_t *o;

	if (f->target.kind != TARGET_UP)
		return json_null();
	o = json_object();
	set_number(o, "pid", a->recorder > 0 ? a->recorder : -1);
	status_set_text(o, "directory", f->target.place.archive_dir);
	set_number(o, "archives", a->count);
	set_number(o, "bytes", (int64_t)a->bytes);
	set_number(o, "bytes_limit", a->cap > 0 ? (int64_t)a->cap : -1);
	set_real(o, "since", a->since);
	set_real(o, "until", a->until);
	status_set_text(o, "oldest", a->count > 0 ? a->oldest : NULL);
	set_number(o, "oldest_bytes", a->count > 0 ? (int64_t)a->oldest_bytes : -1);
	status_set_text(o, "next", a->next[0] != '\0' ? a->next : NULL);
	set_number(o, "next_bytes", a->next[0] != '\0' ? (int64_t)a->next_bytes : -1);
	return o;
}

static json_t *listeners_array(const struct collector *c)
{
	json_t *all = json_array();

	for (int i = 0; i < c->nlistener; i++) {
		const struct collector_listener *l = &c->listeners[i];
		json_t *o = json_object();

		status_set_text(o, "host", l->spec);
		status_set_text(o, "address", l->address);
		set_number(o, "port", l->port > 0 ? l->port : -1);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *agent_object(const struct collector_agent *a)
{
	json_t *o = json_object();
	char text[64];
	const char *error = facts_agent_error(a, text, sizeof(text));

	status_set_text(o, "name", a->name);
	set_number(o, "domain", a->domain);
	status_set_text(o, "kind", facts_agent_kind(a));
	status_set_text(o, "state", facts_agent_state(a));
	set_number(o, "metrics", a->metrics);
	set_number(o, "pid", a->pid);
	set_seconds(o, "uptime_s", a->uptime_ms);
	set_number(o, "restarts", a->starts > 0 ? a->starts - 1 : a->starts);
	set_number(o, "ends", a->ends);
	set_number(o, "timeouts", a->timeouts);
	set_number(o, "late", a->late);
	set_number(o, "requests", a->requests);
	set_real(o, "requests_per_s", a->requests_per_s);
	status_set_text(o, "error", error[0] != '\0' ? error : NULL);
	set_seconds(o, "error_age_s", a->error_age_ms);
	set_process(o, &a->process);
	return o;
}

static json_t *agents_array(const struct collector *c)
{
	json_t *all = json_array();

	for (int i = 0; i < c->nagent; i++)
		json_array_append_new(all, agent_object(&c->agents[i]));
	return all;
}

static json_t *findings_array(const struct doctor *d)
{
	json_t *all = json_array();

	for (int i = 0; i < d->n; i++) {
		const struct finding *one = &d->findings[i];
		json_t *o = json_object();

		status_set_text(o, "check", one->check->id);
		status_set_text(o, "severity", severity_name(one->check->severity));
		status_set_text(o, "subject", one->subject);
		status_set_text(o, "what", one->what);
		status_set_text(o, "why", one->check->why);
		status_set_text(o, "mend", one->mend);
		json_array_append_new(all, o);
	}
	return all;
}

static void set_target(json_t *o, const struct facts *f)
{
	static const char *const kinds[] = {
	    [TARGET_UP] = "up", [TARGET_DEFAULT] = "default", [TARGET_HOST] = "host"};
	json_t *t = json_object();

	status_set_text(t, "kind", kinds[f->target.kind]);
	status_set_text(t, "host", f->target.spec);
	json_object_set_new(t, "local", json_boolean(f->here));
	set_number(t, "up_pid", f->target.up_pid > 0 ? f->target.up_pid : -1);
	json_object_set_new(o, "target", t);
}

/* The verdict in a word: well, warning, error, nothing (nothing runs). */
static const char *status_verdict(const struct doctor *d)
{
	if (doctor_found(d, "not-running") || doctor_found(d, "unreachable"))
		return "nothing";
	if (doctor_count(d, SEVERITY_ERROR) > 0)
		return "error";
	return doctor_count(d, SEVERITY_WARNING) > 0 ? "warning" : "well";
}

/* findings_only: only the findings. Returns 0 or -1 after a message. */
static int status_json_print(const struct facts *f, const struct doctor *d, bool findings_only)
{
	const struct collector *c = &f->collector;
	json_t *o = json_object();
	char *text;

	set_number(o, "schema", SCHEMA);
	status_set_text(o, "pitot", PITOT_VERSION);
	status_set_text(o, "verdict", status_verdict(d));
	set_target(o, f);
	status_set_text(o, "error", f->reach < 0 ? pmErrStr(f->reach) : NULL);
	if (!findings_only) {
		set_real(o, "window_s", f->window_s > 0 ? f->window_s : NAN);
		json_object_set_new(o, "collector",
				    f->reach == 0 ? collector_object(f) : json_null());
		json_object_set_new(o, "recording", recording_object(f));
		json_object_set_new(o, "listeners", listeners_array(c));
		json_object_set_new(o, "agents", agents_array(c));
	}
	json_object_set_new(o, "findings", findings_array(d));
	text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
	if (text == NULL) {
		pitot_complain("out of memory");
		return -1;
	}
	real_shorten_json(text);
	puts(text);
	free(text);
	return 0;
}

/*
 * The commands
 */

static const double window_max_s = 3600;

struct status {
	pmOptions pm;
	const char *host; /* NULL: the user's own */
	double window_s;
	bool json, watch;
	bool findings_only; /* only the findings: `pitot doctor` */
};

static void set_window(void *options)
{
	struct status *s = options;

	if (options_number("interval", s->pm.optarg, 0, window_max_s, &s->window_s) < 0)
		s->pm.errors++;
}

#define AT(member) offsetof(struct status, member)

/* clang-format off */
#define COMMON_ROWS \
	{ { "host",     1, 'h', "HOST", "the collector at HOST, as pminfo -h has it" }, CMDLINE_TEXT, AT(host) }, \
	{ { "interval", 1, 't', "N",    "measure for N seconds [1]; 0: do not" }, CMDLINE_CALL, .call = set_window }, \
	{ { "json",     0, 'j', NULL,   "one JSON object on one line, for programs" }, CMDLINE_FLAG, AT(json) }

static const struct cmdline_row status_rows[] = {
	COMMON_ROWS,
	{ { "watch",    0, 'w', NULL,   "again and again until interrupted" }, CMDLINE_FLAG, AT(watch) },
	{ PMAPI_OPTIONS_END },
};
static const struct cmdline_row doctor_rows[] = { COMMON_ROWS, { PMAPI_OPTIONS_END } };
/* clang-format on */

static void print_doctor(const struct doctor *d, const struct paint *p)
{
	if (d->n > 0)
		status_text_findings(d, SEVERITY_NOTE, p);
	if (doctor_count(d, SEVERITY_WARNING) == 0)
		puts(d->n > 0 ? "\nnothing is wrong" : "nothing is wrong");
}

static void print_status(const struct facts *f, const struct doctor *d, const struct paint *p)
{
	status_text_print(f, d, p);
	if (doctor_count(d, SEVERITY_WARNING) == 0)
		return;
	if (f->reach == 0)
		putchar('\n');
	status_text_findings(d, SEVERITY_WARNING, p);
}

static int exit_status(const struct doctor *d)
{
	if (strcmp(status_verdict(d), "nothing") == 0)
		return PITOT_NOTHING;
	return doctor_count(d, SEVERITY_WARNING) > 0 ? PITOT_FAILED : PITOT_OK;
}

/* Examines once and prints. Returns the exit status. */
static int status_look(const struct status *s, bool again)
{
	struct facts *f = malloc(sizeof(*f));
	struct doctor d = {0};
	struct paint p;
	int status = PITOT_FAILED;

	if (f == NULL || facts_gather(f, s->host, s->window_s) < 0) {
		free(f);
		return PITOT_FAILED;
	}
	doctor_examine(&d, f);
	paint_init(&p);
	if (s->watch && !s->json)
		paint_home(&p);
	if (again && !s->json && !p.colours)
		putchar('\n');
	if (!s->json && s->findings_only)
		print_doctor(&d, &p);
	else if (!s->json)
		print_status(f, &d, &p);
	if (!s->json || status_json_print(f, &d, s->findings_only) == 0)
		status = exit_status(&d);
	doctor_free(&d);
	facts_free(f);
	free(f);
	return status;
}

static int run(const struct options *o, struct status *s, int argc, char **argv)
{
	int status = options_parse(o, argc, argv, s);

	if (status >= 0)
		return status;
	if (s->watch && s->window_s < 0.1)
		s->window_s = 0.1;
	status = status_look(s, false);
	while (s->watch && output_flush())
		status = status_look(s, true);
	return output_finish(status);
}

int status_run(int argc, char **argv)
{
	static const struct options options = {
	    .command = "status",
	    .purpose = "Tells what runs, since when and where, what it costs, and what is wrong.",
	    .rows = status_rows,
	};
	struct status s = {.window_s = 1};

	return run(&options, &s, argc, argv);
}

int doctor_run(int argc, char **argv)
{
	static const struct options options = {
	    .command = "doctor",
	    .purpose = "Tells what is wrong, why it matters, and the command that mends it.",
	    .rows = doctor_rows,
	};
	struct status s = {.window_s = 1, .findings_only = true};

	return run(&options, &s, argc, argv);
}

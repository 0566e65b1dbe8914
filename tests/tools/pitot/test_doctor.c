/*
 * test_doctor - the limit at which each check reports a finding; tests/e2e/test_status.py tests
 * that checks work.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "tools/pitot/status/doctor.h"
#include "tools/pitot/status/facts.h"

/* A healthy collector of this host. */
static void well(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	collector_init(&f->collector);
	process_init(&f->process);
	f->target.kind = TARGET_UP;
	f->here = true;
	f->step_ever_s = NAN;
	f->window_s = 1;
	f->collector.pid = 42;
	f->process.uid = 0;
}

static struct collector_agent *one_agent(struct facts *f)
{
	static struct collector_agent a;

	memset(&a, 0, sizeof(a));
	a.name = "one";
	a.state = "ready";
	a.starts = 1;
	a.error_age_ms = -1;
	process_init(&a.process);
	f->collector.agents = &a;
	f->collector.nagent = 1;
	return &a;
}

/* Rows: a change of the facts, and the finding that follows ("" for none) */

static void set_fds(struct facts *f, long v)
{
	f->collector.fds = v;
	f->collector.fds_limit = 1000;
}

static void set_limit(struct facts *f, long v)
{
	f->collector.fds = 1;
	f->collector.fds_limit = v;
}

static void set_step_ms(struct facts *f, long v)
{
	f->step_s = (double)v / 1000;
}

static void set_step_ever_ms(struct facts *f, long v)
{
	f->step_ever_s = (double)v / 1000;
}

static void set_off_ms(struct facts *f, long v)
{
	f->clock_off_s = (double)v / 1000;
}

static void set_off_far_ms(struct facts *f, long v)
{
	f->here = false;
	f->clock_off_s = (double)v / 1000;
}

static struct folder *one_folder(struct facts *f)
{
	f->nfolder = 1;
	f->folders[0] = (struct folder){.role = "log",
					.path = "/log",
					.free_kb = INT64_C(1) << 30,
					.free_part = 1,
					.inodes_part = 1};
	return &f->folders[0];
}

static void set_free_kb(struct facts *f, long v)
{
	one_folder(f)->free_kb = v;
	f->folders[0].free_part = 0.01;
}

static void set_free_percent(struct facts *f, long v)
{
	one_folder(f)->free_kb = 10240;
	f->folders[0].free_part = (double)v / 100;
}

static void set_inodes_permille(struct facts *f, long v)
{
	one_folder(f)->inodes_part = (double)v / 1000;
}

static void set_folder_error(struct facts *f, long v)
{
	one_folder(f)->error = -(int)v;
}

static void set_folder_owner(struct facts *f, long v)
{
	one_folder(f)->uid = v;
	f->process.uid = 7;
}

static void set_nothing_runs(struct facts *f, long error)
{
	f->here = false;
	f->reach = -(int)error;
	f->target.kind = TARGET_DEFAULT;
}

static void set_missing_when_nothing_runs(struct facts *f, long error)
{
	set_nothing_runs(f, ECONNREFUSED);
	one_folder(f)->error = -(int)error;
}

static void set_ends(struct facts *f, long v)
{
	one_agent(f)->ends = v;
	f->collector.agents[0].error_age_ms = 1000;
	f->collector.agents[0].error = "ended";
}

static void set_down(struct facts *f, long starts)
{
	set_ends(f, 5);
	f->collector.agents[0].starts = starts;
	f->collector.agents[0].state = "down";
}

static void set_old_ends(struct facts *f, long age_s)
{
	set_ends(f, 5);
	f->collector.agents[0].error_age_ms = age_s * 1000;
}

static void set_timeouts_age_s(struct facts *f, long v)
{
	one_agent(f)->timeouts = 3;
	f->collector.agents[0].error_age_ms = v * 1000;
}

static void set_late_and_restarting(struct facts *f, long late)
{
	set_ends(f, 2);
	f->collector.agents[0].late = late;
}

static void set_pid_file(struct facts *f, long alive)
{
	f->pidfile.pid = 12;
	f->pidfile.alive = alive != 0;
}

/* A recorder of the user that logs every 10 s; its last record is this old. */
static void set_record_age_s(struct facts *f, long v)
{
	f->recording = true;
	f->now_s = 1e9;
	f->archives.until = f->now_s - (double)v;
	f->recorder.interval_ms = 10000;
	f->recorder.pid = f->recorder_process.pid = 9;
	strcpy(f->recorder.folder, "/");
}

static void set_fast_record_age_s(struct facts *f, long v)
{
	set_record_age_s(f, v);
	f->recorder.interval_ms = 100;
}

/* A recorder that stops logging again and again. */
static void set_once_record_age_s(struct facts *f, long v)
{
	set_record_age_s(f, v);
	f->recorder.interval_ms = 0;
}

static void set_record_age_without_collector_s(struct facts *f, long v)
{
	set_record_age_s(f, v);
	f->reach = -ECONNREFUSED;
}

static void set_recorder_ends(struct facts *f, long v)
{
	set_record_age_s(f, 0);
	f->recorder.ends = (int)v;
	f->recorder.last_end = f->now_s - 1;
	f->recorder.pid = f->recorder_process.pid = 0;
}

static void set_recorder_ended_s(struct facts *f, long v)
{
	set_recorder_ends(f, 2);
	f->recorder.last_end = f->now_s - (double)v;
}

static void set_recorder_folder_gone(struct facts *f, long v)
{
	set_recorder_ends(f, v);
	strcpy(f->recorder.folder, "/no/such/folder");
}

static void set_overlap_s(struct facts *f, long v)
{
	set_record_age_s(f, 0);
	f->archives.overlap_s = (double)v;
}

/* clang-format off */
static const struct {
	void (*set)(struct facts *f, long v);
	long v;
	const char *found; /* all findings, or "" */
} cases[] = {
	{ set_fds, 799, "" },
	{ set_fds, 800, "descriptors" },
	{ set_limit, 256, "" },
	{ set_limit, 255, "descriptors-limit" },
	{ set_step_ms, 49, "" },
	{ set_step_ms, 50, "clock-stepped" },
	{ set_step_ms, -50, "clock-stepped" },
	{ set_step_ever_ms, 499, "" },
	{ set_step_ever_ms, -501, "clock-was-stepped" },
	{ set_off_ms, -49, "" },
	{ set_off_ms, -51, "clock-differs" },
	{ set_off_far_ms, 999, "" },
	{ set_off_far_ms, 1001, "clock-differs" },
	{ set_free_kb, 1024, "disk-nearly-full" },
	{ set_free_kb, 1023, "disk-full" },
	{ set_free_kb, 1 << 20, "" },
	{ set_free_percent, 5, "" },
	{ set_free_percent, 4, "disk-nearly-full" },
	{ set_inodes_permille, 10, "" },
	{ set_inodes_permille, 9, "disk-nearly-full" },
	{ set_inodes_permille, 0, "disk-full" },
	{ set_folder_error, ENOENT, "directory" },
	{ set_missing_when_nothing_runs, ENOENT, "not-running" },
	{ set_missing_when_nothing_runs, ENOTDIR, "not-running directory" },
	{ set_folder_owner, 7, "" },
	{ set_folder_owner, 0, "" },
	{ set_folder_owner, 8, "directory-owner" },
	{ set_nothing_runs, ECONNREFUSED, "not-running" },
	{ set_nothing_runs, ETIMEDOUT, "collector-hung" },
	{ set_ends, 1, "" },
	{ set_ends, 2, "agent-restarting" },
	{ set_old_ends, 599, "agent-restarting" },
	{ set_old_ends, 600, "" },
	{ set_down, 0, "agent-down" },
	{ set_down, 1, "agent-restarting" },
	{ set_timeouts_age_s, 600, "agent-timeouts" },
	{ set_timeouts_age_s, 601, "" },
	{ set_late_and_restarting, 1, "agent-restarting" },
	{ set_record_age_s, 30, "" },
	{ set_record_age_s, 31, "recorder-stalled" },
	{ set_fast_record_age_s, 15, "" },
	{ set_fast_record_age_s, 16, "recorder-stalled" },
	{ set_once_record_age_s, 3600, "" },
	{ set_record_age_without_collector_s, 31, "collector-restarting" },
	{ set_recorder_ends, 0, "recorder-down" },
	{ set_recorder_ends, 1, "recorder-down" },
	{ set_recorder_ends, 2, "recorder-restarting" },
	{ set_recorder_ended_s, 599, "recorder-restarting" },
	{ set_recorder_ended_s, 600, "recorder-down" },
	{ set_recorder_folder_gone, 2, "recorder-folder-gone" },
	{ set_overlap_s, 0, "" },
	{ set_overlap_s, 2, "recorder-overlapping" },
	{ set_pid_file, 1, "" },
	{ set_pid_file, 0, "stale-pidfile" },
};
/* clang-format on */

static void test_cases(void **state)
{
	struct facts *f = malloc(sizeof(*f));

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doctor d = {0};
		char found[256] = "";

		well(f);
		cases[i].set(f, cases[i].v);
		doctor_examine(&d, f);
		for (int j = 0; j < d.n; j++) {
			size_t len = strlen(found);

			snprintf(found + len, sizeof(found) - len, "%s%s", len > 0 ? " " : "",
				 d.findings[j].check->id);
			assert_non_null(d.findings[j].what);
		}
		assert_string_equal(found, cases[i].found);
		doctor_free(&d);
	}
	free(f);
}

/* Commands: none of them removes existing files */

static void set_much_in_use(struct facts *f, long limit)
{
	set_fds(f, limit);
	f->collector.fds_limit = limit;
}

static void set_notready(struct facts *f, long pid)
{
	one_agent(f)->state = "notready";
	f->collector.agents[0].pid = pid;
	f->collector.log = "/log/pmcd.log";
}

static void set_timeouts_of_s(struct facts *f, long timeout_s)
{
	set_timeouts_age_s(f, 1);
	f->collector.timeout_s = timeout_s;
	snprintf(f->target.spec, sizeof(f->target.spec), "local:");
}

static struct collector_listener listeners[] = {{.spec = "127.0.0.1:44321", .port = 44321},
						{.spec = "unix:/run/pmcd.socket", .port = 0}};

static void set_fenced_by_tcp(struct facts *f, long here)
{
	one_agent(f)->state = "fenced";
	f->target.kind = TARGET_HOST;
	f->here = here != 0;
	f->collector.version = (char *)PITOT_VERSION;
	f->collector.listeners = listeners;
	f->collector.nlistener = 2;
	snprintf(f->target.spec, sizeof(f->target.spec), "%s", here ? "localhost:44321" : "far");
}

static void set_fenced_at_pcp(struct facts *f, long v)
{
	set_fenced_by_tcp(f, v);
	f->collector.version = NULL;
}

static void set_port_of(struct facts *f, long pid, const char *name)
{
	set_nothing_runs(f, ECONNREFUSED);
	f->port.taken = true;
	f->port.port = 44321;
	f->port.pid = (pid_t)pid;
	snprintf(f->port.name, sizeof(f->port.name), "%s", name);
}

static void set_port_of_pmcd(struct facts *f, long pid)
{
	set_port_of(f, pid, "pmcd");
}

static void set_port_of_another(struct facts *f, long pid)
{
	set_port_of(f, pid, "sshd");
}

static void set_missing_folder_of(struct facts *f, long uid)
{
	set_folder_error(f, ENOENT);
	f->process.uid = uid;
}

/* clang-format off */
static const struct {
	void (*set)(struct facts *f, long v);
	long v;
	const char *id, *mend; /* the beginning of the command */
} mends[] = {
	{ set_much_in_use, 1024, "descriptors", "prlimit --nofile=65536:65536 --pid 42" },
	{ set_much_in_use, 524288, "descriptors", "prlimit --nofile=1048576:1048576 --pid 42" },
	{ set_limit, 100, "descriptors-limit", "prlimit --nofile=65536:65536 --pid 42" },
	{ set_notready, 77, "agent-notready", "tail -n 50 /log/pmcd.log" },
	{ set_timeouts_of_s, 5, "agent-timeouts", "pmstore -h local: pmcd.control.timeout 10" },
	{ set_timeouts_of_s, 30, "agent-timeouts", "pmstore -h local: pmcd.control.timeout 60" },
	{ set_fenced_by_tcp, 1, "agent-fenced", "pmstore -h unix:/run/pmcd.socket -i one pmcd.agent.fenced 0" },
	{ set_fenced_by_tcp, 0, "agent-fenced", "ssh far pitot doctor" },
	{ set_fenced_at_pcp, 0, "agent-fenced", "pmstore -h far -i one pmcd.agent.fenced 0" },
	{ set_port_of_pmcd, 77, "port-taken", "kill 77" },
	{ set_port_of_another, 77, "port-taken", "pitot up --port 0" },
	{ set_missing_folder_of, 1, "directory", "install -d -m 755 -o " },
};
/* clang-format on */

static const struct finding *finding_of(const struct doctor *d, const char *id)
{
	for (int i = 0; i < d->n; i++) {
		if (strcmp(d->findings[i].check->id, id) == 0)
			return &d->findings[i];
	}
	fail_msg("%s was not found", id);
	return NULL;
}

static void test_mends(void **state)
{
	struct facts *f = malloc(sizeof(*f));

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < sizeof(mends) / sizeof(mends[0]); i++) {
		struct doctor d = {0};
		char mend[256];

		well(f);
		mends[i].set(f, mends[i].v);
		doctor_examine(&d, f);
		snprintf(mend, sizeof(mend), "%.*s", (int)strlen(mends[i].mend),
			 finding_of(&d, mends[i].id)->mend);
		assert_string_equal(mend, mends[i].mend);
		doctor_free(&d);
	}
	free(f);
}

/* Each check has its own name, and none has a finding for healthy facts. */
static void test_rows(void **state)
{
	struct facts *f = malloc(sizeof(*f));
	struct doctor d = {0};

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < doctor_nchecks; i++) {
		assert_true(strlen(doctor_checks[i].why) > 10);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(doctor_checks[i].id, doctor_checks[j].id);
	}
	well(f);
	doctor_examine(&d, f);
	assert_int_equal(d.n, 0);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cases),
	    cmocka_unit_test(test_mends),
	    cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

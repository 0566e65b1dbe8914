/*
 * doctor_collector - checks of the collector and its agents.
 */
#include "tools/pitot/status/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/status/facts.h"

/*
 * The collector
 */

static bool is_timeout(int code)
{
	return code == PM_ERR_TIMEOUT || code == -ETIMEDOUT;
}

/* As far as can be seen, the port belongs to a process that is not a collector. */
static bool port_is_foreign(const struct facts *f)
{
	return f->port.taken && strcmp(f->port.name, "pmcd") != 0;
}

/* The target is the user's own `pitot up`, which does not run. */
static bool nothing_runs(const struct facts *f)
{
	return f->reach < 0 && f->target.kind == TARGET_DEFAULT &&
	       (!is_timeout(f->reach) || (f->target.socket_pid == 0 && port_is_foreign(f)));
}

void check_not_running(struct doctor *d, const struct facts *f)
{
	if (!nothing_runs(f))
		return;
	doctor_find(d, NULL,
		    "no collector runs: there is nothing at %s, nor at port %d of this host",
		    f->target.place.socket, f->port.port);
	doctor_mend(d, f->port.taken ? "pitot up --port 0" : "pitot up");
}

void check_unreachable(struct doctor *d, const struct facts *f)
{
	if (f->reach >= 0 || f->target.kind != TARGET_HOST || is_timeout(f->reach) ||
	    f->reach == PM_ERR_CONNLIMIT)
		return;
	doctor_find(d, f->target.spec, "no collector answers at %s: %s", f->target.spec,
		    pmErrStr(f->reach));
	if (f->target.here)
		doctor_mend(d, "pitot up");
	else
		doctor_mend(d, "ssh %s pitot doctor", doctor_host_word(d, f));
}

/* A process accepts connections and does not answer. */
void check_hung(struct doctor *d, const struct facts *f)
{
	struct process p;

	if (f->reach >= 0 || !is_timeout(f->reach) || nothing_runs(f))
		return;
	if (!process_read(f->target.socket_pid, &p)) {
		doctor_find(d, NULL, "the collector at %s takes connections and does not answer",
			    f->target.spec);
		return;
	}
	doctor_find(d, NULL, "the collector (process %d) %s", (int)p.pid,
		    p.stopped ? "is stopped" : "takes connections and does not answer");
	doctor_mend(d, p.stopped ? "kill -CONT %d" : "kill -KILL %d", (int)p.pid);
}

void check_restarting(struct doctor *d, const struct facts *f)
{
	if (f->reach >= 0 || f->target.kind != TARGET_UP || is_timeout(f->reach))
		return;
	doctor_find(d, NULL, "`pitot up` (process %d) runs, but its collector does not answer: %s",
		    (int)f->target.up_pid, pmErrStr(f->reach));
	doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->target.place.pmcd_log));
}

void check_port_taken(struct doctor *d, const struct facts *f)
{
	char text[128];

	if (!nothing_runs(f) || !f->port.taken)
		return;
	doctor_find(d, NULL, "port %d is taken by %s", f->port.port,
		    portowner_text(&f->port, text, sizeof(text)));
	/* Other users may need the other program there. */
	if (f->port.pid > 0 && !port_is_foreign(f))
		doctor_mend(d, "kill %d", (int)f->port.pid);
	doctor_mend(d, "pitot up --port 0");
}

/* Our collector has another address, and a client that names no host may reach the other one. */
void check_other_collector(struct doctor *d, const struct facts *f)
{
	char text[128];

	if (f->reach < 0 || !f->here || !f->port.taken || f->target.kind != TARGET_UP)
		return;
	for (int i = 0; i < f->collector.nlistener; i++) {
		if (f->collector.listeners[i].port == f->port.port)
			return;
	}
	doctor_find(d, NULL, "port %d belongs to %s", f->port.port,
		    portowner_text(&f->port, text, sizeof(text)));
	doctor_mend(d, "export PMCD_SOCKET=%s", doctor_word(d, f->target.place.socket));
}

void check_stale_socket(struct doctor *d, const struct facts *f)
{
	if (f->target.socket_error != -ECONNREFUSED || f->target.kind == TARGET_HOST)
		return;
	doctor_find(d, f->target.place.socket, "nobody listens at the socket %s",
		    f->target.place.socket);
	doctor_mend(d, "rm %s", doctor_word(d, f->target.place.socket));
}

void check_stale_lock(struct doctor *d, const struct facts *f)
{
	if (!f->target.lock_left || f->target.kind == TARGET_HOST)
		return;
	doctor_find(d, f->target.place.lock, "the lock %s belongs to no process",
		    f->target.place.lock);
	doctor_mend(d, "rm %s", doctor_word(d, f->target.place.lock));
}

void check_stale_pidfile(struct doctor *d, const struct facts *f)
{
	if (f->pidfile.pid == 0 || f->pidfile.alive)
		return;
	if (f->pidfile.pid > 0)
		doctor_find(d, f->pidfile.path, "%s names process %d, which is no collector",
			    f->pidfile.path, (int)f->pidfile.pid);
	else
		doctor_find(d, f->pidfile.path, "%s holds no process id", f->pidfile.path);
	doctor_mend(d, "rm %s", doctor_word(d, f->pidfile.path));
}

static void mend_by_new_start(struct doctor *d, const struct facts *f)
{
	if (f->here && f->target.up_pid > 0)
		doctor_mend(d, "kill %d; sleep 1; pitot up", (int)f->target.up_pid);
	else if (f->here)
		doctor_mend(d, "kill %lld; sleep 1; pitot up", (long long)f->collector.pid);
}

void check_version(struct doctor *d, const struct facts *f)
{
	const char *version = f->collector.version;

	if (version == NULL || strcmp(version, PITOT_VERSION) == 0)
		return;
	doctor_find(d, NULL, "the collector is Pitot %s, this is %s", version, PITOT_VERSION);
	mend_by_new_start(d, f);
}

void check_program_replaced(struct doctor *d, const struct facts *f)
{
	if (!f->process.program_gone)
		return;
	doctor_find(d, NULL, "the program of process %lld was replaced or removed since it started",
		    (long long)f->collector.pid);
	mend_by_new_start(d, f);
}

/* Reports a configuration that cannot be read; the mend of a missing file shows its folder. */
static void find_unreadable(struct doctor *d, const char *path, int error)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	doctor_find(d, path, "the configuration %s can't be read: %s", path, strerror(error));
	if (error != ENOENT || slash == NULL || slash == path) {
		doctor_mend(d, "ls -l %s", doctor_word(d, path));
		return;
	}
	pmsprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	doctor_mend(d, "ls -l %s", doctor_word(d, folder));
}

/* Reports each line of the parser as a finding. */
void check_configuration(struct doctor *d, const struct facts *f)
{
	const char *line = f->config_text;
	int said = 0;

	if (f->config[0] == '\0' || (f->config_status == 0 && line[0] == '\0') ||
	    f->config_status < 0 || f->config_status >= CAPTURE_NOT_RUN)
		return;
	while (*line != '\0') {
		int len = (int)strcspn(line, "\n");

		if (strncmp(line, "pmcd config", 11) == 0 ||
		    strncmp(line, "access config", 13) == 0) {
			doctor_find(d, f->config, "%.*s", len, line);
			doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->config));
			said++;
		}
		line += len + (line[len] == '\n');
	}
	if (said > 0 || f->config_status == 0)
		return;
	if (access(f->config, R_OK) < 0)
		find_unreadable(d, f->config, errno);
	else {
		doctor_find(d, f->config, "the configuration %s is refused: %.*s", f->config,
			    (int)strcspn(f->config_text, "\n"), f->config_text);
		doctor_mend(d, "ls -l %s", doctor_word(d, f->config));
	}
}

void check_name_space(struct doctor *d, const struct facts *f)
{
	if (f->names[0] == '\0')
		return;
	doctor_find(d, f->names, "%.*s", (int)strcspn(f->names_text, "\n"),
		    f->names_text[0] != '\0' ? f->names_text : f->names);
	doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->names));
}

/*
 * Of these findings an agent has at most one, the most serious: an agent that died three times and
 * is down is "restarting", not also "down".
 */

enum {
	RESTARTS_MANY = 2,           /* this many ends within ... */
	RESTARTS_RECENT_MS = 600000, /* ... means "again and again" */
	TIMEOUTS_RECENT_MS = 600000,
	TIMEOUT_MORE_S = 10,
};

/* The first agent from index i on whose state is the word; its index or -1. */
static int next_in_state(const struct facts *f, int i, const char *state)
{
	for (; i < f->collector.nagent; i++) {
		if (strcmp(facts_agent_state(&f->collector.agents[i]), state) == 0)
			return i;
	}
	return -1;
}

static const char *agent_name(const struct collector_agent *a)
{
	return a->name != NULL ? a->name : "?";
}

/* The name of the collector's Unix socket for clients of this host; NULL: unknown. */
static const char *unix_spec(const struct facts *f)
{
	for (int i = 0; f->here && i < f->collector.nlistener; i++) {
		if (f->collector.listeners[i].port == 0)
			return f->collector.listeners[i].spec;
	}
	return strncmp(f->target.spec, "unix:", 5) == 0 || strncmp(f->target.spec, "local:", 6) == 0
		   ? f->target.spec
		   : NULL;
}

/*
 * The command that stores such a value: our collector accepts it only over the Unix socket, PCP's
 * from any host.
 */
static void mend_by_store(struct doctor *d, const struct facts *f, const char *what)
{
	const char *spec = unix_spec(f);

	if (spec == NULL && f->collector.version != NULL)
		doctor_mend(d, "ssh %s pitot doctor", doctor_host_word(d, f));
	else
		doctor_mend(d, "pmstore -h %s %s",
			    doctor_word(d, spec != NULL ? spec : f->target.spec), what);
}

/* SIGHUP makes the collector start agents that are down; on another host a store does. */
static void mend_by_restart(struct doctor *d, const struct facts *f)
{
	if (f->here)
		doctor_mend(d, "kill -HUP %lld", (long long)f->collector.pid);
	else
		mend_by_store(d, f, "pmcd.control.sighup 1");
}

static bool dies_again_and_again(const struct collector_agent *a)
{
	return a->starts > 0 && a->ends >= RESTARTS_MANY && a->error_age_ms >= 0 &&
	       a->error_age_ms < RESTARTS_RECENT_MS;
}

static const char words_protocol[] = "broke the protocol";

/* The program ran and failed: so the configuration that started it is correct. */
static bool is_at_fault(const char *error)
{
	return strstr(error, words_protocol) != NULL || strstr(error, "signal ") != NULL ||
	       strstr(error, "exit status ") != NULL;
}

static void mend_by_log(struct doctor *d, const struct facts *f)
{
	if (f->collector.log != NULL && f->here)
		doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->collector.log));
}

void check_agent_down(struct doctor *d, const struct facts *f)
{
	char text[64];

	for (int i = 0; (i = next_in_state(f, i, "down")) >= 0; i++) {
		const struct collector_agent *a = &f->collector.agents[i];
		const char *error = facts_agent_error(a, text, sizeof(text));

		if (dies_again_and_again(a))
			continue;
		doctor_find(d, agent_name(a), "agent %s does not run: it %s%s", agent_name(a),
			    error[0] != '\0' ? error : "was not started",
			    strstr(error, words_protocol) != NULL
				? "; one that prints on its standard output does that"
				: "");
		if (is_at_fault(error))
			mend_by_log(d, f);
		else if (f->here && a->starts == 0 && f->collector.config != NULL)
			doctor_mend(d, "${EDITOR:-vi} %s; kill -HUP %lld",
				    doctor_word(d, f->collector.config),
				    (long long)f->collector.pid);
		mend_by_restart(d, f);
	}
}

void check_agent_restarting(struct doctor *d, const struct facts *f)
{
	for (int i = 0; i < f->collector.nagent; i++) {
		const struct collector_agent *a = &f->collector.agents[i];

		if (!dies_again_and_again(a))
			continue;
		doctor_find(d, agent_name(a),
			    "agent %s ended %lld times, %lld s ago the last time: it %s",
			    agent_name(a), (long long)a->ends, (long long)a->error_age_ms / 1000,
			    a->error != NULL ? a->error : "");
		if (f->collector.log != NULL && f->here)
			doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->collector.log));
		mend_by_restart(d, f);
	}
}

void check_agent_late(struct doctor *d, const struct facts *f)
{
	for (int i = 0; (i = next_in_state(f, i, "late")) >= 0; i++) {
		const struct collector_agent *a = &f->collector.agents[i];

		if (dies_again_and_again(a))
			continue;
		doctor_find(d, agent_name(a),
			    "agent %s owes %lld answer%s for longer than the time-out%s",
			    agent_name(a), (long long)a->late, a->late == 1 ? "" : "s",
			    a->process.stopped ? "; its process is stopped" : "");
		if (a->process.stopped)
			doctor_mend(d, "kill -CONT %lld", (long long)a->pid);
		else if (f->here && a->pid > 0)
			doctor_mend(d, "kill %lld", (long long)a->pid);
		mend_by_restart(d, f);
	}
}

static long long more_time_s(const struct facts *f)
{
	int64_t now_s = f->collector.timeout_s;

	return now_s > TIMEOUT_MORE_S / 2 ? 2 * (long long)now_s : TIMEOUT_MORE_S;
}

void check_agent_timeouts(struct doctor *d, const struct facts *f)
{
	char text[64];

	for (int i = 0; (i = next_in_state(f, i, "ready")) >= 0; i++) {
		const struct collector_agent *a = &f->collector.agents[i];

		if (a->timeouts <= 0 || a->error_age_ms < 0 ||
		    a->error_age_ms > TIMEOUTS_RECENT_MS || dies_again_and_again(a))
			continue;
		doctor_find(d, agent_name(a),
			    "agent %s did not answer in time %lld time%s, %lld s ago the last time",
			    agent_name(a), (long long)a->timeouts, a->timeouts == 1 ? "" : "s",
			    (long long)a->error_age_ms / 1000);
		snprintf(text, sizeof(text), "pmcd.control.timeout %lld", more_time_s(f));
		mend_by_store(d, f, text);
	}
}

void check_agent_notready(struct doctor *d, const struct facts *f)
{
	for (int i = 0; (i = next_in_state(f, i, "notready")) >= 0; i++) {
		const struct collector_agent *a = &f->collector.agents[i];

		if (dies_again_and_again(a))
			continue;
		doctor_find(d, agent_name(a), "agent %s says that it is not ready yet",
			    agent_name(a));
		/* It may be reading a lot: killing it would make it start again. */
		if (f->here && f->collector.log != NULL)
			doctor_mend(d, "tail -n 50 %s", doctor_word(d, f->collector.log));
		mend_by_restart(d, f);
	}
}

void check_agent_fenced(struct doctor *d, const struct facts *f)
{
	char text[320];

	for (int i = 0; (i = next_in_state(f, i, "fenced")) >= 0; i++) {
		const struct collector_agent *a = &f->collector.agents[i];

		doctor_find(d, agent_name(a), "agent %s is fenced", agent_name(a));
		snprintf(text, sizeof(text), "-i %s pmcd.agent.fenced 0",
			 doctor_word(d, agent_name(a)));
		mend_by_store(d, f, text);
	}
}

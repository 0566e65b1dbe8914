/* doctor_collector - see doctor_collector.h. */
#include "doctor_collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "doctor.h"
#include "facts.h"

static bool is_timeout(int code)
{
	return code == PM_ERR_TIMEOUT || code == -ETIMEDOUT;
}

/* The port belongs to a process that is not a collector, as far as we can see. */
static bool port_is_foreign(const struct facts *f)
{
	return f->port.taken && strcmp(f->port.name, "pmcd") != 0;
}

/* The user's own `pitot up` is meant, and none is there. */
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
	if (f->reach >= 0 || f->target.kind != TARGET_HOST || is_timeout(f->reach) || f->reach == PM_ERR_CONNLIMIT)
		return;
	doctor_find(d, f->target.spec, "no collector answers at %s: %s", f->target.spec,
		    pmErrStr(f->reach));
	if (f->target.here)
		doctor_mend(d, "pitot up");
	else
		doctor_mend(d, "ssh %s pitot doctor", doctor_host_word(d, f));
}

/* Something takes connections and says nothing. */
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
	/* Another program may be needed there by others. */
	if (f->port.pid > 0 && !port_is_foreign(f))
		doctor_mend(d, "kill %d", (int)f->port.pid);
	doctor_mend(d, "pitot up --port 0");
}

/* Ours is elsewhere, and a client that names no host may get that one. */
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

/* Each line of what the parser said, as one finding. */
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
		doctor_find(d, f->config, "the configuration %s can't be read: %s", f->config,
			    strerror(errno));
	else
		doctor_find(d, f->config, "the configuration %s is refused: %.*s", f->config,
			    (int)strcspn(f->config_text, "\n"), f->config_text);
	doctor_mend(d, "ls -l %s", doctor_word(d, f->config));
}

void check_name_space(struct doctor *d, const struct facts *f)
{
	if (f->names[0] == '\0')
		return;
	doctor_find(d, f->names, "%.*s", (int)strcspn(f->names_text, "\n"),
		    f->names_text[0] != '\0' ? f->names_text : f->names);
	doctor_mend(d, "${EDITOR:-vi} %s", doctor_word(d, f->names));
}

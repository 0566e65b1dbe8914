/*
 * doctor_agents - see doctor_agents.h.
 *
 * An agent has one finding of these at most, the gravest: an agent that died three times and is
 * down is "restarting", not "down" as well.
 */
#include "doctor_agents.h"

#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "facts.h"

enum {
	RESTARTS_MANY = 2,           /* so many ends within ... */
	RESTARTS_RECENT_MS = 600000, /* ... is again and again */
	TIMEOUTS_RECENT_MS = 600000,
	TIMEOUT_MORE_S = 10,
};

/* The first agent at or after i whose state is the word; its index or -1. */
static int next_in_state(const struct facts *f, int i, const char *state)
{
	for (; i < f->collector.nagent; i++) {
		if (strcmp(collector_agent_state(&f->collector.agents[i]), state) == 0)
			return i;
	}
	return -1;
}

static const char *agent_name(const struct collector_agent *a)
{
	return a->name != NULL ? a->name : "?";
}

/* The name of the collector's Unix socket for clients of this host; NULL: none is known. */
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

/* A store of such a value: ours takes it from the Unix socket alone, PCP's from anywhere. */
static void mend_by_store(struct doctor *d, const struct facts *f, const char *what)
{
	const char *spec = unix_spec(f);

	if (spec == NULL && f->collector.version != NULL)
		doctor_mend(d, "ssh %s pitot doctor", doctor_host_word(d, f));
	else
		doctor_mend(d, "pmstore -h %s %s",
			    doctor_word(d, spec != NULL ? spec : f->target.spec), what);
}

/* SIGHUP makes the collector start agents that are down; from afar a store does. */
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

/* Its program ran, and failed: the configuration that started it is right. */
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
		const char *error = collector_agent_error(a, text, sizeof(text));

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
		/* It may be reading much: to kill it would be to begin again. */
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

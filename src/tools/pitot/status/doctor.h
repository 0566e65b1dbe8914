/*
 * doctor - the checks of `pitot doctor`, and the output of facts and findings.
 */
#ifndef PITOT_STATUS_DOCTOR_H
#define PITOT_STATUS_DOCTOR_H

#include <stdbool.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/status/facts.h"

struct doctor;
struct facts;

/*
 * doctor - checks facts: what is wrong, why it matters, and the command that repairs it.
 *
 * A check is a row of doctor_checks: its name (for programs, it never changes), the severity of its
 * findings, why they matter, and a function that examines the facts and reports each finding.
 */

enum severity {
	SEVERITY_NOTE,    /* a note, not a problem */
	SEVERITY_WARNING, /* does harm, or will do harm */
	SEVERITY_ERROR,   /* does harm now */
};

struct doctor_check {
	const char *id;
	enum severity severity;
	const char *why;
	void (*check)(struct doctor *d, const struct facts *f);
};

struct finding {
	const struct doctor_check *check;
	char *subject; /* an agent, a path, a variable, ...; NULL: the collector itself */
	char *what;
	char *mend; /* a shell command, or NULL if there is none */
};

struct doctor {
	const struct doctor_check *current;
	struct finding *findings;
	int n;
	char **words; /* quoted words, kept until the end */
	int nword;
};

/* The table of checks. */
extern const struct doctor_check doctor_checks[];
extern const int doctor_nchecks;

/* Runs all checks; an all-zero doctor is empty. */
void doctor_examine(struct doctor *d, const struct facts *f);
void doctor_free(struct doctor *d);

/* The number of findings of at least this severity. */
int doctor_count(const struct doctor *d, enum severity least);

/* True if that check has a finding. */
bool doctor_found(const struct doctor *d, const char *id);

const char *severity_name(enum severity severity);

/* Called by checks: a finding, then its command; a second command for a finding is ignored. */
void doctor_find(struct doctor *d, const char *subject, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_mend(struct doctor *d, const char *command, ...) __attribute__((format(printf, 2, 3)));

/* A word quoted for the shell, for commands; valid as long as the doctor. */
const char *doctor_word(struct doctor *d, const char *word);
/* The host of the target, without port and path, quoted in the same way. */
const char *doctor_host_word(struct doctor *d, const struct facts *f);

/* doctor_agents - checks of the agents. */

void check_agent_down(struct doctor *d, const struct facts *f);
void check_agent_restarting(struct doctor *d, const struct facts *f);
void check_agent_late(struct doctor *d, const struct facts *f);
void check_agent_timeouts(struct doctor *d, const struct facts *f);
void check_agent_notready(struct doctor *d, const struct facts *f);
void check_agent_fenced(struct doctor *d, const struct facts *f);

/* doctor_collector - checks of the collector: whether it runs, where, and which one. */

void check_not_running(struct doctor *d, const struct facts *f);
void check_unreachable(struct doctor *d, const struct facts *f);
void check_hung(struct doctor *d, const struct facts *f);
void check_restarting(struct doctor *d, const struct facts *f);
void check_port_taken(struct doctor *d, const struct facts *f);
void check_other_collector(struct doctor *d, const struct facts *f);
void check_stale_socket(struct doctor *d, const struct facts *f);
void check_stale_lock(struct doctor *d, const struct facts *f);
void check_stale_pidfile(struct doctor *d, const struct facts *f);
void check_version(struct doctor *d, const struct facts *f);
void check_program_replaced(struct doctor *d, const struct facts *f);
void check_configuration(struct doctor *d, const struct facts *f);
void check_name_space(struct doctor *d, const struct facts *f);

/* doctor_host - checks of the host: disk space, permissions, descriptors, time. */

void check_directory(struct doctor *d, const struct facts *f);
void check_directory_owner(struct doctor *d, const struct facts *f);
void check_disk_full(struct doctor *d, const struct facts *f);
void check_disk_nearly_full(struct doctor *d, const struct facts *f);
void check_descriptors(struct doctor *d, const struct facts *f);
void check_descriptors_gone(struct doctor *d, const struct facts *f);
void check_descriptors_limit(struct doctor *d, const struct facts *f);
void check_clock_stepped(struct doctor *d, const struct facts *f);
void check_clock_was_stepped(struct doctor *d, const struct facts *f);
void check_clock_differs(struct doctor *d, const struct facts *f);
void check_clock_free_running(struct doctor *d, const struct facts *f);
void check_environment(struct doctor *d, const struct facts *f);

/*
 * status_text - facts and findings for people.
 */

/* Prints the collector and its agents. */
void status_text_print(const struct facts *f, const struct doctor *d, const struct paint *p);

/* Prints the findings of at least this severity, or that there are none. */
void status_text_findings(const struct doctor *d, enum severity least, const struct paint *p);

#endif

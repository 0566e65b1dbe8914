/*
 * doctor - judges facts: what is wrong, why it matters, and the command that mends it.
 *
 * A check is a row of doctor_checks: its name (for programs, it never changes), how bad it is what
 * it finds, why that matters, and a function that looks at the facts and reports each finding.
 */
#ifndef PITOT_DOCTOR_H
#define PITOT_DOCTOR_H

#include <stdbool.h>

struct facts;

enum severity {
	SEVERITY_NOTE,    /* good to know; all is well with it */
	SEVERITY_WARNING, /* will do harm, or does */
	SEVERITY_ERROR,   /* hurts now */
};

struct doctor;

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
	char *mend; /* a command of a shell, or NULL where there is none */
};

struct doctor {
	const struct doctor_check *current;
	struct finding *findings;
	int n;
	char **words; /* quoted ones, until the end */
	int nword;
};

/* The rows. */
extern const struct doctor_check doctor_checks[];
extern const int doctor_nchecks;

/* Runs all checks; all zero is an empty doctor. */
void doctor_examine(struct doctor *d, const struct facts *f);
void doctor_free(struct doctor *d);

/* How many findings are at least so bad. */
int doctor_count(const struct doctor *d, enum severity least);

/* True if that check has found something. */
bool doctor_found(const struct doctor *d, const char *id);

const char *severity_name(enum severity severity);

/* For the checks: one finding, then the command; a second command for it is ignored. */
void doctor_find(struct doctor *d, const char *subject, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_mend(struct doctor *d, const char *command, ...) __attribute__((format(printf, 2, 3)));

/* A word quoted for the shell, for commands; lives as long as the doctor. */
const char *doctor_word(struct doctor *d, const char *word);
/* The host of the target alone, without port and path, the same way. */
const char *doctor_host_word(struct doctor *d, const struct facts *f);

#endif

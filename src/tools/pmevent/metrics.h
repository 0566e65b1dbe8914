/* metrics - the event metrics that are watched, and their instances. */
#ifndef PMEVENT_METRICS_H
#define PMEVENT_METRICS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct command;

/* Watched where no metric is named: docs/spec/trace-agent.md. */
#define METRICS_DEFAULT "tracing.stream.events"

struct metric {
	char *name;
	pmDesc desc;
	int *chosen;  /* instances that were asked for by name */
	int n_chosen; /* none: all are wanted */
	int error;    /* of its last value; what is told once is not told again */
};

/* All zero is none. */
struct metrics {
	int n;
	struct metric *list;
	pmID *pmids;
};

/*
 * Finds in the current context what the command asks for: an event metric, or all of them below a
 * node. 0, or an error; it is reported unless quiet.
 */
int metrics_find(struct metrics *m, const struct command *c, bool quiet);

/* NULL: none of ours. */
struct metric *metrics_by_pmid(const struct metrics *m, pmID pmid);

bool metrics_wants(const struct metric *metric, int inst);

void metrics_done(struct metrics *m);

#endif

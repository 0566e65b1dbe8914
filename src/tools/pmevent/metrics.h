/* metrics - the event metrics that are watched, and their instances. */
#ifndef PMEVENT_METRICS_H
#define PMEVENT_METRICS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct command;

/* The default if no metric is named: docs/spec/trace-agent.md. */
#define METRICS_DEFAULT "tracing.stream.events"

struct metric {
	char *name;
	pmDesc desc;
	int *chosen;  /* instances that the command line names */
	int n_chosen; /* none: all are wanted */
	int error;    /* the error of its last value, so that it is reported once */
};

/* An all-zero struct is empty. */
struct metrics {
	int n;
	struct metric *list;
	pmID *pmids;
};

/*
 * Finds the command's metrics in the current context: an event metric, or all event metrics below a
 * node. Returns 0 or an error, which has been reported unless quiet.
 */
int metrics_find(struct metrics *m, const struct command *c, bool quiet);

/* NULL: not one of ours. */
struct metric *metrics_by_pmid(const struct metrics *m, pmID pmid);

bool metrics_wants(const struct metric *metric, int inst);

void metrics_done(struct metrics *m);

#endif

/*
 * metrics - the metrics and instances of a command, as the recorder's collector knows them.
 */
#ifndef PMLC_METRICS_H
#define PMLC_METRICS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/pmlc/command.h"

struct session;

struct metric {
	pmID pmid;
	char *name; /* the name under which it was found first */
	pmDesc desc;
	bool all; /* all instances, or a metric without instances */
	int *insts;
	int ninst;
};

/* The current instances of a domain. */
struct domain {
	pmInDom indom;
	int n; /* or an error */
	int *insts;
	char **names;
};

struct metrics {
	struct metric *list;
	int n, room;
	struct domain *domains;
	int ndomain;
	bool failed; /* an error was reported, and the command is not carried out */
};

/*
 * Finds the metrics that a command names, in a new context that stays the current one. Returns 0,
 * or -1 after reporting an error; the caller calls metrics_done in both cases.
 */
int metrics_find(struct metrics *m, struct session *s, const struct metric_spec *specs);
void metrics_done(struct metrics *m);

/*
 * The request for the recorder, which the caller frees with pmFreeResult. Exits if out of memory.
 */
pmResult *metrics_request(const struct metrics *m);

/* The current name of an instance of a domain, or NULL. */
const char *metrics_inst_name(struct metrics *m, pmInDom indom, int inst);

#endif

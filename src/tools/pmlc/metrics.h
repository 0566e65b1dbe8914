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
	char *name; /* as it was found first */
	pmDesc desc;
	bool all; /* instances; or it has none */
	int *insts;
	int ninst;
};

/* The instances that a domain has now. */
struct domain {
	pmInDom indom;
	int n; /* or the error */
	int *insts;
	char **names;
};

struct metrics {
	struct metric *list;
	int n, room;
	struct domain *domains;
	int ndomain;
	bool failed; /* something was said that makes the command void */
};

/*
 * Finds what a command names, in a context of its own that stays the current one. 0, or -1 when it
 * has been said why not; metrics_done is called in any case.
 */
int metrics_find(struct metrics *m, struct session *s, const struct metric_spec *specs);
void metrics_done(struct metrics *m);

/* The request for the recorder; pmFreeResult frees it. Out of memory: exits. */
pmResult *metrics_request(const struct metrics *m);

/* The name of an instance of a domain; NULL: it has none now. */
const char *metrics_inst_name(struct metrics *m, pmInDom indom, int inst);

#endif

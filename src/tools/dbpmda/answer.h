/*
 * answer - an agent's answer to a question, in host form, for every kind of agent.
 *
 * All of it is valid until answer_done. Parts are in the answer's arena, parts are allocations of
 * an agent in this process, and a text may be in the agent's own memory.
 */
#ifndef DBPMDA_ANSWER_H
#define DBPMDA_ANSWER_H

#include <pcp/pmapi.h>

#include "libbase/arena.h"

struct answer {
	struct arena mem;
	pmDesc desc;
	pmID pmid;
	const char *text;
	pmResult *result; /* freed by the agent that made it */
	int n;            /* entries of the lists, NULL: not answered */
	const int *insts;
	char *const *names;
	const int *status;
	const pmLabelSet *sets;

	/* Allocations of an agent in this process. */
	pmInResult *owned_in;
	char **owned_names;
	int *owned_status;
	pmLabelSet *owned_sets;
};

void answer_init(struct answer *a);
void answer_done(struct answer *a);

#endif

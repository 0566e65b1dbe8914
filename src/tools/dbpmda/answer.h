/*
 * answer - what an agent says to a question, in the host's form, whoever carried it.
 *
 * Everything lives until answer_done: parts of it are in the answer's arena, parts are the agent's
 * own allocations (an agent in this process), and a text may be the agent's own memory.
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
	pmResult *result; /* freed by the agent that gave it */
	int n;            /* entries of the lists, NULL: not told */
	const int *insts;
	char *const *names;
	const int *status;
	const pmLabelSet *sets;

	/* What an agent in this process allocated. */
	pmInResult *owned_in;
	char **owned_names;
	int *owned_status;
	pmLabelSet *owned_sets;
};

void answer_init(struct answer *a);
void answer_done(struct answer *a);

#endif

/*
 * agent_names - the names of the rows: for a dynamic root, and as a name-space fragment.
 *
 * Below a dynamic root ("LABEL 60:*:*") a row is called LABEL.name, where LABEL is the first
 * component of whatever name was asked last, at first the agent's name. Rows whose names begin with
 * the agent's own name are not given it twice. If the agent has the hook "names", the tree that it
 * makes is what requests are answered from; agent_insert_names() and agent_names_changed()
 * (<pitot/agent.h>) are here.
 */
#ifndef LIBPCP_PMDA_AGENT_NAMES_H
#define LIBPCP_PMDA_AGENT_NAMES_H

#include <pitot/agent.h>

struct agent_state;

/* 0, or PM_ERR_NAME. */
int agent_names_pmid(struct agent_state *s, const char *name, pmID *ret_pmid);

/* 1 and one block of memory to free: the pointers, then the strings. PM_ERR_PMID, -ENOMEM. */
int agent_names_of(struct agent_state *s, pmID pmid, char ***ret_names);

/* Count of children (traverse 0: last components; else full names of all leaves) and, if there are
 * any, a block as above and their status, each to be freed. PM_ERR_NAME, -ENOMEM. */
int agent_names_children(struct agent_state *s, const char *name, int traverse, char ***ret_names,
			 int **ret_status);

/* The fragment root_NAME. 0 or -errno. */
int agent_names_print(const struct agent_state *s, FILE *out);

#endif

/*
 * tree - the names of an agent that makes its names itself (docs/spec/pmda.md 17.2).
 *
 * The structures are known to agents, which walk them; so they are what they are: lists of
 * siblings, and chains of leaves by PMID. Agents' trees are small; the collector's name space is
 * libpmns.
 */
#ifndef LIBPCP_PMDA_TREE_H
#define LIBPCP_PMDA_TREE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

typedef struct __pmnsNode {
	struct __pmnsNode *parent;
	struct __pmnsNode *next;  /* sibling */
	struct __pmnsNode *first; /* child */
	struct __pmnsNode *hash;  /* next of the chain */
	char *name;               /* one component, owned */
	pmID pmid;                /* PM_ID_NULL: not a leaf */
} __pmnsNode;

struct __pmnsTree {
	__pmnsNode *root;
	__pmnsNode **htab;
	int htabsize;
	int mark_state;
};

_Static_assert(sizeof(__pmnsNode) == 48 && sizeof(struct __pmnsTree) == 24,
	       "layouts known to agents");

/* Exported, though no installed header declares it: the node of a name among siblings. */
__attribute__((visibility("default"))) __pmnsNode *pmdaNodeLookup(__pmnsNode *node,
								  const char *name);

#endif

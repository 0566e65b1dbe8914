/* tree.h - see tree.c. */
#ifndef SAMPLE_TREE_H
#define SAMPLE_TREE_H

#include <pcp/pmapi.h>

enum { TREE_NAME = 48 };

int tree_size(void);

/* A leaf's metric and its name below a root; 0 <= leaf < tree_size(). */
pmID tree_pmid(int domain, int leaf);
void tree_name(int leaf, const char *root, char ret_name[TREE_NAME]);

/* A metric that may be a leaf: 0 or PMDA_FETCH_STATIC, or PM_ERR_PMID. */
int tree_desc(pmID pmid, pmDesc *ret_desc);
int tree_value(pmID pmid, pmAtomValue *ret_atom);

#endif

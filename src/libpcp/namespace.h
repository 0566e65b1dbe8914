/*
 * namespace - the name space that the program itself has loaded (docs/spec/pmapi.md 5.1).
 *
 * While one is loaded, or after a load was tried, it is that of every context, and its questions
 * are answered by the name operations of one more row. Contexts without a collector have their
 * names from here too: for them the name space of the installation is loaded, which other contexts
 * do not use.
 */
#ifndef LIBPCP_NAMESPACE_H
#define LIBPCP_NAMESPACE_H

#include "libpcp/context.h"

/* The operations for names once a load was tried; NULL before. They use no context. */
const struct context_ops *namespace_ops(void);

/* Loads the name space of the installation, if there is none yet. 0 or PM_ERR_NOPMNS. */
int namespace_need(void);

/* Gives a domain without names the dynamic root "label". 0, PM_ERR_NOPMNS, or as pmns_add. */
int namespace_give_root(const char *label, unsigned int domain);

/*
 * A name: its id and 0; PM_ERR_NONLEAF; PM_ERR_NAME. For a dynamic root or a name below one: the
 * domain that knows it, and 1.
 */
int namespace_lookup(const char *name, pmID *ret_pmid, unsigned int *ret_domain);

/*
 * The names at and below a node as one block (name_list.h), dynamic roots among them: their ids are
 * in *ret_pmids, malloc'd. How many, PM_ERR_NAME, -ENOMEM.
 */
int namespace_leaves(const char *name, char ***ret_names, pmID **ret_pmids);

/* Shows all names again; then, if keep is not NULL, hides those whose metrics it does not keep. */
typedef bool namespace_keep(void *arg, pmID pmid);
void namespace_trim(namespace_keep *keep, void *arg);

/* As the operations name_all and children of a context, without what only agents know. */
int namespace_names(pmID pmid, char ***ret_names);
int namespace_children(const char *name, char ***ret_names, int **ret_status);

#endif

/*
 * fragment - a part of a name space in a file of its own, whose first node has its full path as its
 * name.
 */
#ifndef PMNS_TOOLS_FRAGMENT_H
#define PMNS_TOOLS_FRAGMENT_H

struct pmns;

/*
 * Loads a fragment. If its first node is not "root", adds a root and the nodes between the root and
 * the first node. An empty fragment is an empty name space. Errors are printed on standard error.
 * Returns 0 or an error.
 */
int fragment_load(const char *path, struct pmns **ret_ns);

#endif

/*
 * fragment - a part of a name space in a file of its own: its first node hangs where its path says.
 */
#ifndef PMNS_TOOLS_FRAGMENT_H
#define PMNS_TOOLS_FRAGMENT_H

struct pmns;

/*
 * Loads a fragment. If it has no node "root" at its beginning it gets one, and the nodes between
 * that and its first node; an empty one is an empty name space. What is wrong with it is said on
 * standard error. 0 or an error.
 */
int fragment_load(const char *path, struct pmns **ret_ns);

#endif

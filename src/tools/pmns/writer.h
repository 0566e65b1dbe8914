/*
 * writer - a name space as a file in the plain form: no directives, each branch a node.
 */
#ifndef PMNS_TOOLS_WRITER_H
#define PMNS_TOOLS_WRITER_H

struct pmns;

/*
 * Writes the name space to path: to a new file beside it, which then takes its place and its mode,
 * so that a reader finds the old name space or the new one, whole. 0 or -errno.
 */
int writer_write(const struct pmns *ns, const char *path);

#endif

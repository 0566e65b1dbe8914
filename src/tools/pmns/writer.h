/*
 * writer - writes a name space in the plain form: no directives, each branch a node.
 */
#ifndef PMNS_TOOLS_WRITER_H
#define PMNS_TOOLS_WRITER_H

struct pmns;

/*
 * Writes the name space to a temporary file next to path, which then replaces path and gets its
 * mode, so that readers find either the complete old name space or the complete new one. Returns 0
 * or -errno.
 */
int writer_write(const struct pmns *ns, const char *path);

#endif

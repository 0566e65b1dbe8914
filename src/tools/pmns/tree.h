/*
 * tree - a name space: loaded from files, merged, and written to a file.
 */
#ifndef PMNS_TREE_H
#define PMNS_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct pmns;

/*
 * tree - name spaces loaded from files, and merging one into another.
 */

/* The default name-space file; the caller frees the path. */
char *tree_default_path(void);

/*
 * Loads a file (duplicates: a PMID may have several names), or a text that has been preprocessed
 * and is called `path` in messages. Errors are printed on standard error. Returns 0 or an error.
 */
int tree_load(const char *path, bool duplicates, struct pmns **ret_ns);
int tree_load_text(const char *text, size_t len, const char *path, struct pmns **ret_ns);

/*
 * Adds the names of `from` to `to`: at each branch first its metrics, then the branches below it,
 * as Debian's pmnsmerge does. A name that has another PMID is reported on standard error and not
 * changed. Returns 0 or an error.
 */
int tree_merge(struct pmns *to, const struct pmns *from);

/*
 * writer - writes a name space in the plain form: no directives, each branch a node.
 */

/*
 * Writes the name space to a temporary file next to path, which then replaces path and gets its
 * mode, so that readers find either the complete old name space or the complete new one. Returns 0
 * or -errno.
 */
int writer_write(const struct pmns *ns, const char *path);

#endif

/*
 * tree - name spaces loaded from files, and merging one into another.
 */
#ifndef PMNS_TOOLS_TREE_H
#define PMNS_TOOLS_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct pmns;

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

#endif

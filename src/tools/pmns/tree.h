/*
 * tree - name spaces as files give them, and one merged into another.
 */
#ifndef PMNS_TOOLS_TREE_H
#define PMNS_TOOLS_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct pmns;

/* The file of the name space where none is named: the caller frees it. */
char *tree_default_path(void);

/*
 * Loads a file (duplicates: whether a PMID may have several names), or a text that is preprocessed
 * already and that messages call by the name `path`. What is wrong with it is said on standard
 * error. 0 or an error.
 */
int tree_load(const char *path, bool duplicates, struct pmns **ret_ns);
int tree_load_text(const char *text, size_t len, const char *path, struct pmns **ret_ns);

/*
 * Adds the names of `from` to `to`: at each branch first its metrics, then the branches below it,
 * as Debian's pmnsmerge does. A name that has another PMID is reported on standard error and left
 * as it is. 0 or an error.
 */
int tree_merge(struct pmns *to, const struct pmns *from);

#endif

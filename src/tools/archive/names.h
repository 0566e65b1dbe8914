/*
 * names - the name space of an archive, chosen instances, and values of one type.
 */
#ifndef ARCHIVE_NAMES_H
#define ARCHIVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct archive_meta;
struct name_tree;

/*
 * name_tree - the names in an archive as a tree, walked in the order of PCP's tools:
 * the newest names of the archive come first.
 */

/* Called for a metric; the name is valid as long as the metadata. */
typedef void (*name_tree_leaf)(const char *name, pmID pmid, void *arg);

/* Exits if out of memory. */
struct name_tree *name_tree_new(const struct archive_meta *meta);
void name_tree_free(struct name_tree *tree);

/*
 * Calls leaf for the metric of this name, or for every metric below it ("" means all). Returns
 * their number, or PM_ERR_NAME.
 */
int name_tree_walk(const struct name_tree *tree, const char *name, name_tree_leaf leaf, void *arg);

/* inst_set - the instances of one metric that the user named. */

/* An all-zero set is empty. */
struct inst_set {
	bool all;
	int *list; /* owned; in the order of the request, each once */
	size_t n;
};

bool inst_set_has(const struct inst_set *s, int inst);

/*
 * Adds each instance that had the name (or the number, if name is NULL) at any time in the archive.
 * Returns false if no instance of the domain had it. Exits if out of memory.
 */
bool inst_set_add_name(struct inst_set *s, struct archive_meta *meta, pmInDom indom,
		       const char *name, int inst);
void inst_set_done(struct inst_set *s);

/*
 * number - values of one numeric type.
 */

/* True if a is less than b; both have the type. */
bool number_less(int type, const pmAtomValue *a, const pmAtomValue *b);

#endif

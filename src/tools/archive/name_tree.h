/*
 * name_tree - the names in an archive as a tree, walked in the order in which PCP's tools walk it:
 * what came last in the archive comes first.
 */
#ifndef TOOLS_ARCHIVE_NAME_TREE_H
#define TOOLS_ARCHIVE_NAME_TREE_H

#include <pcp/pmapi.h>

struct archive_meta;
struct name_tree;

/* Told of a metric; the name lives as long as the metadata. */
typedef void (*name_tree_leaf)(const char *name, pmID pmid, void *arg);

/* Out of memory: exits. */
struct name_tree *name_tree_new(const struct archive_meta *meta);
void name_tree_free(struct name_tree *tree);

/* Calls leaf for the metric of this name, or for every one below it ("" is all). Returns how many,
 * or PM_ERR_NAME. */
int name_tree_walk(const struct name_tree *tree, const char *name, name_tree_leaf leaf, void *arg);

#endif

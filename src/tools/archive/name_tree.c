#include "tools/archive/name_tree.h"

#include <stdlib.h>
#include <string.h>

#include "libbase/arena.h"
#include "libstore/archive_meta.h"

struct node {
	const char *word; /* of the archive's names: up to a point or the end */
	size_t len;
	struct node *children; /* newest first */
	struct node *next;
	const char *name; /* of the metric here, whole; NULL: there is none */
	pmID pmid;
};

struct name_tree {
	struct arena mem;
	struct node root;
};

static struct node *find_child(const struct node *parent, const char *word, size_t len)
{
	struct node *n = parent->children;

	while (n != NULL && (n->len != len || memcmp(n->word, word, len) != 0))
		n = n->next;
	return n;
}

static struct node *get_child(struct name_tree *tree, struct node *parent, const char *word,
			      size_t len)
{
	struct node *n = find_child(parent, word, len);

	if (n != NULL)
		return n;
	n = arena_calloc(&tree->mem, 1, sizeof(*n));
	if (n == NULL)
		pmNoMem("names", sizeof(*n), PM_FATAL_ERR);
	n->word = word;
	n->len = len;
	n->next = parent->children;
	parent->children = n;
	return n;
}

static void add(struct name_tree *tree, const char *name, pmID pmid)
{
	const char *whole = name;
	struct node *n = &tree->root;

	for (;;) {
		size_t len = strcspn(name, ".");

		n = get_child(tree, n, name, len);
		if (name[len] == '\0')
			break;
		name += len + 1;
	}
	if (n->name == NULL)
		n->pmid = pmid;
	n->name = whole;
}

struct name_tree *name_tree_new(const struct archive_meta *meta)
{
	struct name_tree *tree = calloc(1, sizeof(*tree));
	const struct archive_metric *const *list;
	size_t n;

	if (tree == NULL)
		pmNoMem("names", sizeof(*tree), PM_FATAL_ERR);
	list = archive_meta_metrics(meta, &n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < list[i]->nnames; j++)
			add(tree, list[i]->names[j], list[i]->desc.pmid);
	return tree;
}

void name_tree_free(struct name_tree *tree)
{
	if (tree != NULL)
		arena_done(&tree->mem);
	free(tree);
}

/* Everything below a node, without recursion: names may be as deep as they are long. */
static int walk(const struct node *top, name_tree_leaf leaf, void *arg)
{
	const struct node **stack = NULL;
	size_t depth = 0, room = 0;
	const struct node *n = top;
	int found = 0;

	while (n != NULL) {
		if (n->name != NULL) {
			leaf(n->name, n->pmid, arg);
			found++;
		}
		if (n != top && n->next != NULL && n->children != NULL) {
			if (depth == room) {
				room = room * 2 + 32;
				stack = reallocarray(stack, room, sizeof(stack[0]));
				if (stack == NULL)
					pmNoMem("names", room, PM_FATAL_ERR);
			}
			stack[depth++] = n->next;
		}
		if (n->children != NULL)
			n = n->children;
		else if (n != top && n->next != NULL)
			n = n->next;
		else
			n = depth > 0 ? stack[--depth] : NULL;
	}
	free(stack);
	return found;
}

int name_tree_walk(const struct name_tree *tree, const char *name, name_tree_leaf leaf, void *arg)
{
	const struct node *n = &tree->root;
	int found;

	while (n != NULL && *name != '\0') {
		size_t len = strcspn(name, ".");

		n = find_child(n, name, len);
		name += len;
		if (*name == '.' && *++name == '\0')
			n = NULL;
	}
	found = n != NULL ? walk(n, leaf, arg) : 0;
	return found > 0 ? found : PM_ERR_NAME;
}

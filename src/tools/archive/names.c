/*
 * names - the name space of an archive, chosen instances, and values of one type.
 */
#include "tools/archive/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libstore/archive_meta.h"

/*
 * The name space
 */

struct node {
	const struct node *parent;
	const char *word; /* points into the archive's names; ends at a dot or at the end */
	size_t len;
	struct node *children; /* newest first */
	struct node *next;
	const char *name; /* full name of the metric at this node; NULL: none */
	pmID pmid;
};

struct name_tree {
	struct arena mem;
	struct hash
	    nodes; /* keyed by parent and word, because a parent may have very many children */
	struct node root;
};

static bool same_node(const void *entry, const void *key)
{
	const struct node *a = entry, *b = key;

	return a->parent == b->parent && a->len == b->len && memcmp(a->word, b->word, a->len) == 0;
}

static uint64_t node_hash(const struct node *key)
{
	return hash_bytes(key->word, key->len) ^ hash_u64((uint64_t)(uintptr_t)key->parent);
}

static struct node *find_child(const struct name_tree *tree, const struct node *parent,
			       const char *word, size_t len)
{
	const struct node key = {.parent = parent, .word = word, .len = len};

	return hash_find(&tree->nodes, node_hash(&key), same_node, &key);
}

static struct node *get_child(struct name_tree *tree, struct node *parent, const char *word,
			      size_t len)
{
	struct node *n = find_child(tree, parent, word, len);

	if (n != NULL)
		return n;
	n = arena_calloc(&tree->mem, 1, sizeof(*n));
	if (n != NULL)
		*n = (struct node){
		    .parent = parent, .word = word, .len = len, .next = parent->children};
	if (n == NULL || hash_add(&tree->nodes, node_hash(n), n) < 0)
		pmNoMem("names", sizeof(*n), PM_FATAL_ERR);
	parent->children = n;
	return n;
}

static void names_add(struct name_tree *tree, const char *name, pmID pmid)
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
			names_add(tree, list[i]->names[j], list[i]->desc.pmid);
	return tree;
}

void name_tree_free(struct name_tree *tree)
{
	if (tree != NULL) {
		hash_done(&tree->nodes);
		arena_done(&tree->mem);
	}
	free(tree);
}

/*
 * Visits everything below a node without recursion, because a tree may be as deep as a name is
 * long.
 */
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

		n = find_child(tree, n, name, len);
		name += len;
		if (*name == '.' && *++name == '\0')
			n = NULL;
	}
	found = n != NULL ? walk(n, leaf, arg) : 0;
	return found > 0 ? found : PM_ERR_NAME;
}

/*
 * Chosen instances
 */

bool inst_set_has(const struct inst_set *s, int inst)
{
	for (size_t i = 0; !s->all && i < s->n; i++)
		if (s->list[i] == inst)
			return true;
	return s->all;
}

static void inst_set_add(struct inst_set *s, int inst)
{
	int *list;

	if (inst_set_has(s, inst))
		return;
	list = reallocarray(s->list, s->n + 1, sizeof(*list));
	if (list == NULL)
		pmNoMem("instances", sizeof(*list), PM_FATAL_ERR);
	s->list = list;
	list[s->n++] = inst;
}

bool inst_set_add_name(struct inst_set *s, struct archive_meta *meta, pmInDom indom,
		       const char *name, int inst)
{
	const struct archive_indom *const *seen;
	int n = archive_meta_indom(meta, indom, &seen);
	bool found = false;

	for (int i = 0; i < n; i++) {
		int id;

		if (name != NULL)
			id = archive_indom_lookup(seen[i], name);
		else
			id = archive_indom_inst(seen[i], inst) != NULL ? inst : -1;
		if (id < 0)
			continue;
		inst_set_add(s, id);
		found = true;
	}
	return found;
}

void inst_set_done(struct inst_set *s)
{
	free(s->list);
	*s = (struct inst_set){0};
}

/*
 * Numbers
 */

bool number_less(int type, const pmAtomValue *a, const pmAtomValue *b)
{
	switch (type) {
	case PM_TYPE_32:
		return a->l < b->l;
	case PM_TYPE_U32:
		return a->ul < b->ul;
	case PM_TYPE_64:
		return a->ll < b->ll;
	case PM_TYPE_U64:
		return a->ull < b->ull;
	case PM_TYPE_FLOAT:
		return a->f < b->f;
	default:
		return a->d < b->d;
	}
}

/*
 * tree - the names of an agent that makes its names itself (docs/spec/pmda.md 17.2).
 *
 * Agents walk these structures (<pcp/libpcp.h>), so their form is fixed: lists of siblings, and
 * chains of leaves by PMID. Agents' trees are small; the collector's name space is libpmns.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmda.h>

#include "libbase/buffer.h"

enum { DYNAMIC_DOMAIN = 511 };

_Static_assert(sizeof(__pmnsNode) == 48 && sizeof(__pmnsTree) == 24, "layouts known to agents");

static bool is_nonleaf(const __pmnsNode *node)
{
	bool dynamic = (node->pmid >> 22 & 0x1ff) == DYNAMIC_DOMAIN && (node->pmid & 0x3ff) == 0;

	return node->pmid == PM_ID_NULL || dynamic;
}

/* ---- building ------------------------------------------------------------------------------- */

static __pmnsNode *node_new(const char *name, size_t len)
{
	__pmnsNode *node = calloc(1, sizeof(*node));

	if (node == NULL)
		return NULL;
	node->pmid = PM_ID_NULL;
	node->name = strndup(name, len);
	if (node->name == NULL) {
		free(node);
		return NULL;
	}
	return node;
}

int pmdaTreeCreate(pmdaNameSpace **tree)
{
	pmdaNameSpace *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	t->root = node_new("root", 4);
	if (t->root == NULL) {
		free(t);
		return -ENOMEM;
	}
	*tree = t;
	return 0;
}

/* Frees a node and all below it; goes back up by the parent links, so any depth is possible. */
static void nodes_free(__pmnsNode *node)
{
	while (node != NULL) {
		__pmnsNode *next = node->first;

		if (next != NULL) {
			node->first = NULL;
			for (__pmnsNode *n = next; n != NULL; n = n->next)
				n->parent = node;
		} else {
			next = node->next != NULL ? node->next : node->parent;
			free(node->name);
			free(node);
		}
		node = next;
	}
}

void pmdaTreeRelease(pmdaNameSpace *tree)
{
	if (tree == NULL)
		return;
	nodes_free(tree->root);
	free(tree->htab);
	free(tree);
}

static __pmnsNode *child_of(const __pmnsNode *node, const char *name, size_t len)
{
	for (__pmnsNode *n = node->first; n != NULL; n = n->next) {
		if (strncmp(n->name, name, len) == 0 && n->name[len] == '\0')
			return n;
	}
	return NULL;
}

int pmdaTreeInsert(pmdaNameSpace *tree, pmID pmid, const char *name)
{
	__pmnsNode *node = tree->root;

	for (;;) {
		size_t len = strcspn(name, ".");
		__pmnsNode *child = child_of(node, name, len);
		bool last = name[len] == '\0';

		if (len == 0)
			return PM_ERR_NAME;
		if (child != NULL && (last || !is_nonleaf(child)))
			return last && child->pmid == pmid ? 0 : PM_ERR_PMID;
		if (child == NULL) {
			child = node_new(name, len);
			if (child == NULL)
				return -ENOMEM;
			child->parent = node;
			child->next = node->first; /* the newest comes first (17.2) */
			node->first = child;
		}
		if (last) {
			child->pmid = pmid;
			return 0;
		}
		node = child;
		name += len + 1;
	}
}

/* ---- walking -------------------------------------------------------------------------------- */

/* The node after this one, depth first, below top; NULL at the end. */
static __pmnsNode *walk_next(__pmnsNode *node, const __pmnsNode *top)
{
	if (node->first != NULL) {
		node->first->parent = node;
		return node->first;
	}
	while (node != top) {
		if (node->next != NULL) {
			node->next->parent = node->parent;
			return node->next;
		}
		node = node->parent;
	}
	return NULL;
}

static int chains_size(int n)
{
	int size = n / 5;

	if (size % 2 == 0)
		size++;
	if (size % 3 == 0)
		size += 2;
	if (size % 5 == 0)
		size += 2;
	return size;
}

void pmdaTreeRebuildHash(pmdaNameSpace *tree, int numpmid)
{
	int size = chains_size(numpmid > 0 ? numpmid : 0);

	if (tree == NULL)
		return;
	free(tree->htab);
	tree->htab = calloc((size_t)size, sizeof(*tree->htab));
	tree->htabsize = tree->htab == NULL ? 0 : size;
	if (tree->htab == NULL)
		return;
	for (__pmnsNode *n = tree->root; n != NULL; n = walk_next(n, tree->root)) {
		__pmnsNode **chain = &tree->htab[n->pmid % (unsigned int)size];

		if (n->pmid == PM_ID_NULL)
			continue;
		n->hash = *chain;
		*chain = n;
	}
}

int pmdaTreeSize(pmdaNameSpace *tree)
{
	int n = 0;

	if (tree == NULL)
		return 0;
	for (__pmnsNode *node = tree->root; node != NULL; node = walk_next(node, tree->root))
		n += node->pmid != PM_ID_NULL;
	return n;
}

__pmnsNode *pmdaNodeLookup(__pmnsNode *node, const char *name)
{
	while (node != NULL) {
		size_t len = strlen(node->name);

		if (strncmp(name, node->name, len) != 0) {
			node = node->next;
		} else if (name[len] == '\0') {
			return node;
		} else if (name[len] == '.' && is_nonleaf(node)) {
			name += len + 1;
			node = node->first;
		} else {
			node = node->next;
		}
	}
	return NULL;
}

static __pmnsNode *tree_lookup(const pmdaNameSpace *tree, const char *name)
{
	return tree == NULL ? NULL : pmdaNodeLookup(tree->root->first, name);
}

int pmdaTreePMID(pmdaNameSpace *tree, const char *name, pmID *pmid)
{
	const __pmnsNode *node = tree_lookup(tree, name);

	if (node == NULL || is_nonleaf(node))
		return PM_ERR_NAME;
	*pmid = node->pmid;
	return 0;
}

/* ---- lists of names ------------------------------------------------------------------------- */

/* Contiguous names, each with its NUL, and their number. */
struct names {
	struct buffer text;
	int n;
};

/* Adds the full name of a node. The walk goes from the leaf to the root, so the name is written
 * from its end. */
static void names_add_full(struct names *names, const __pmnsNode *node)
{
	size_t len = 0;
	uint8_t *end;

	for (const __pmnsNode *n = node; n->parent != NULL; n = n->parent)
		len += strlen(n->name) + 1;
	names->n++; /* without memory too: then names_finish says so */
	end = buffer_reserve(&names->text, len);
	if (end == NULL)
		return;
	buffer_commit(&names->text, len);
	end += len;
	for (const __pmnsNode *n = node; n->parent != NULL; n = n->parent) {
		size_t part = strlen(n->name);

		*--end = n == node ? '\0' : '.';
		end -= part;
		memcpy(end, n->name, part);
	}
}

static void names_add(struct names *names, const char *name)
{
	buffer_put(&names->text, name, strlen(name) + 1);
	names->n++;
}

/* One malloc'd block of pointers and strings, as callers free it; the buffer is done with. */
static int names_finish(struct names *names, char ***ret_list)
{
	size_t pointers = (size_t)names->n * sizeof(char *), len = buffer_pending(&names->text);
	char **list = names->text.err < 0 ? NULL : malloc(pointers + len);
	char *p;

	if (list != NULL) {
		p = (char *)list + pointers;
		memcpy(p, buffer_head(&names->text), len);
		for (int i = 0; i < names->n; i++, p += strlen(p) + 1)
			list[i] = p;
		*ret_list = list;
	}
	buffer_done(&names->text);
	return list == NULL ? -ENOMEM : names->n;
}

int pmdaTreeName(pmdaNameSpace *tree, pmID pmid, char ***nameset)
{
	struct names names = {.text = BUFFER_INIT};

	if (tree == NULL || tree->htabsize == 0)
		return PM_ERR_PMID;
	for (const __pmnsNode *n = tree->htab[pmid % (unsigned int)tree->htabsize]; n != NULL;
	     n = n->hash) {
		if (n->pmid == pmid)
			names_add_full(&names, n);
	}
	return names.n == 0 ? PM_ERR_PMID : names_finish(&names, nameset);
}

/* The names and, for each, PMNS_LEAF_STATUS or PMNS_NONLEAF_STATUS. */
static int finish_children(struct names *names, struct buffer *status, char ***ret_names,
			   int **ret_status)
{
	int r;

	if (status->err < 0)
		names->text.err = status->err;
	r = names_finish(names, ret_names);
	if (r < 0) {
		buffer_done(status);
		return r;
	}
	*ret_status = (int *)status->data; /* malloc'd, and never consumed from */
	return r;
}

static int direct_children(const __pmnsNode *node, char ***offspring, int **statuses)
{
	struct names names = {.text = BUFFER_INIT};
	struct buffer status = BUFFER_INIT;

	if (node->first == NULL)
		return 0;
	for (const __pmnsNode *n = node->first; n != NULL; n = n->next) {
		int leaf = is_nonleaf(n) ? PMNS_NONLEAF_STATUS : PMNS_LEAF_STATUS;

		names_add(&names, n->name);
		buffer_put(&status, &leaf, sizeof(leaf));
	}
	return finish_children(&names, &status, offspring, statuses);
}

static int all_leaves(__pmnsNode *top, char ***offspring, int **statuses)
{
	const int leaf = PMNS_LEAF_STATUS;
	struct names names = {.text = BUFFER_INIT};
	struct buffer status = BUFFER_INIT;

	for (__pmnsNode *n = top; n != NULL; n = walk_next(n, top)) {
		if (is_nonleaf(n))
			continue;
		names_add_full(&names, n);
		buffer_put(&status, &leaf, sizeof(leaf));
	}
	if (names.n == 0)
		return 0;
	return finish_children(&names, &status, offspring, statuses);
}

int pmdaTreeChildren(pmdaNameSpace *tree, const char *name, int traverse, char ***offspring,
		     int **status)
{
	__pmnsNode *node = tree_lookup(tree, name);

	if (node == NULL)
		return PM_ERR_NAME;
	return traverse ? all_leaves(node, offspring, status)
			: direct_children(node, offspring, status);
}

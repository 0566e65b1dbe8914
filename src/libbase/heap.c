/* heap - see heap.h. */
#include "libbase/heap.h"

static bool comes_before(const struct heap_node *a, const struct heap_node *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

/* Two trees become one; either may be NULL. */
static struct heap_node *join(struct heap_node *a, struct heap_node *b)
{
	struct heap_node *first, *second;

	if (a == NULL || b == NULL)
		return a != NULL ? a : b;
	first = comes_before(b, a) ? b : a;
	second = first == a ? b : a;
	second->prev = first;
	second->next = first->child;
	if (second->next != NULL)
		second->next->prev = second;
	first->child = second;
	return first;
}

static struct heap_node *detach(struct heap_node *node)
{
	node->next = NULL;
	node->prev = NULL;
	return node;
}

/* The trees of a list of siblings become one: joined in pairs, then the pairs from the last on. */
static struct heap_node *join_siblings(struct heap_node *list)
{
	struct heap_node *pairs = NULL, *all = NULL;

	while (list != NULL) {
		struct heap_node *a = list, *b = a->next;

		list = b != NULL ? b->next : NULL;
		detach(a);
		a = join(a, b != NULL ? detach(b) : NULL);
		a->next = pairs;
		pairs = a;
	}
	while (pairs != NULL) {
		struct heap_node *rest = pairs->next;

		all = join(all, detach(pairs));
		pairs = rest;
	}
	return all;
}

void heap_add(struct heap *h, struct heap_node *node, uint64_t key)
{
	*node = (struct heap_node){.key = key, .order = h->coming++, .queued = true};
	h->root = join(h->root, node);
}

void heap_del(struct heap *h, struct heap_node *node)
{
	struct heap_node *rest;

	if (!node->queued)
		return;
	if (node == h->root) {
		h->root = NULL;
	} else {
		if (node->prev->child == node)
			node->prev->child = node->next;
		else
			node->prev->next = node->next;
		if (node->next != NULL)
			node->next->prev = node->prev;
	}
	rest = join_siblings(node->child);
	node->child = NULL;
	detach(node);
	node->queued = false;
	h->root = join(h->root, rest);
}

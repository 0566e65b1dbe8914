/*
 * heap - an intrusive priority queue: the least key first, equal keys in the order of their coming.
 *
 * A pairing heap: adding and looking at the first take constant time, removing takes O(log n) on
 * average. Nothing is allocated. A zeroed struct heap is empty; a zeroed node is in no heap. A node
 * belongs to at most one heap, which the owner must know.
 */
#ifndef LIBBASE_HEAP_H
#define LIBBASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/cleanup.h"

struct heap_node {
	struct heap_node *child; /* its first child */
	struct heap_node *next;  /* its next sibling */
	struct heap_node *
	    prev; /* its previous sibling, or its parent if it is the first child; NULL: the root */
	uint64_t key;
	uint64_t order; /* of its coming */
	bool queued;
};

struct heap {
	struct heap_node *root;
	uint64_t coming;
};

static inline bool heap_empty(const struct heap *h)
{
	return h->root == NULL;
}

/* The node with the least key; NULL if there is none. */
static inline struct heap_node *heap_first(const struct heap *h)
{
	return h->root;
}

/* Adds a node that is in no heap. */
void heap_add(struct heap *h, struct heap_node *node, uint64_t key);

/* Removes a node from its heap; a node that is in none is left alone. */
void heap_del(struct heap *h, struct heap_node *node);

#define HEAP_ENTRY(ptr, type, member) CONTAINER_OF(ptr, type, member)

#endif

/*
 * list - an intrusive, circular, doubly linked list.
 *
 * A head is a struct list that was list_init'ed; a node belongs to at most one list. list_del
 * leaves a node that may be deleted again.
 */
#ifndef LIBBASE_LIST_H
#define LIBBASE_LIST_H

#include <stdbool.h>

#include "libbase/cleanup.h"

struct list {
	struct list *next;
	struct list *prev;
};

static inline void list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list *head, struct list *node)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_del(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define LIST_ENTRY(ptr, type, member) CONTAINER_OF(ptr, type, member)

/* pos is a struct list *; the node at pos may be deleted inside the loop. */
#define LIST_FOR_EACH(pos, head)                                                                   \
	for (struct list *pos = (head)->next, *pos##_next = pos->next; pos != (head);              \
	     pos = pos##_next, pos##_next = pos->next)

#endif

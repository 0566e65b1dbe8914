/*
 * hashctl - the hash tables that agents and tools of PCP keep by these functions:
 * docs/spec/pmapi.md
 * 24. A key may be there several times; what came last is found first.
 */
#include <errno.h>
#include <stdlib.h>

#include <pcp/libpcp.h>

enum {
	FILL_MAX = 4, /* nodes a chain, on average, before there are more chains */
	GROWTH = 4,
};

static __pmHashNode **chain(const __pmHashCtl *table, unsigned int key)
{
	return &table->hash[key % (unsigned int)table->hsize];
}

/* Moves a chain to the new table, the oldest node first, so that it is found last again. */
static void move_chain(__pmHashNode *node, const __pmHashCtl *to)
{
	__pmHashNode *oldest_first = NULL;

	while (node != NULL) {
		__pmHashNode *next = node->next;

		node->next = oldest_first;
		oldest_first = node;
		node = next;
	}
	while (oldest_first != NULL) {
		__pmHashNode *next = oldest_first->next;
		__pmHashNode **at = chain(to, oldest_first->key);

		oldest_first->next = *at;
		*at = oldest_first;
		oldest_first = next;
	}
}

/* More chains. -ENOMEM leaves the table as it was. */
static int grow(__pmHashCtl *table)
{
	int size = table->hsize == 0 ? 1 : table->hsize * GROWTH + 1;
	__pmHashCtl bigger = {.hsize = size};

	bigger.hash = calloc((size_t)size, sizeof(bigger.hash[0]));
	if (bigger.hash == NULL)
		return -ENOMEM;
	for (int i = 0; i < table->hsize; i++)
		move_chain(table->hash[i], &bigger);
	free(table->hash);
	table->hash = bigger.hash;
	table->hsize = size;
	return 0;
}

int __pmHashAdd(unsigned int key, void *data, __pmHashCtl *table)
{
	__pmHashNode *node;

	if (table->nodes >= table->hsize * FILL_MAX && grow(table) < 0 && table->hsize == 0)
		return -ENOMEM;
	node = malloc(sizeof(*node));
	if (node == NULL)
		return -ENOMEM;
	*node = (__pmHashNode){.next = *chain(table, key), .key = key, .data = data};
	*chain(table, key) = node;
	table->nodes++;
	return 1;
}

__pmHashNode *__pmHashSearch(unsigned int key, __pmHashCtl *table)
{
	__pmHashNode *node = table->hsize == 0 ? NULL : *chain(table, key);

	while (node != NULL && node->key != key)
		node = node->next;
	return node;
}

int __pmHashDel(unsigned int key, void *data, __pmHashCtl *table)
{
	__pmHashNode **at = table->hsize == 0 ? NULL : chain(table, key);

	for (; at != NULL && *at != NULL; at = &(*at)->next) {
		__pmHashNode *node = *at;

		if (node->key != key || node->data != data)
			continue;
		*at = node->next;
		free(node);
		table->nodes--;
		return 1;
	}
	return 0;
}

void __pmHashInit(__pmHashCtl *table)
{
	*table = (__pmHashCtl){0};
}

void __pmHashClear(__pmHashCtl *table)
{
	for (int i = 0; i < table->hsize; i++) {
		while (table->hash[i] != NULL) {
			__pmHashNode *node = table->hash[i];

			table->hash[i] = node->next;
			free(node);
		}
	}
	free(table->hash);
	__pmHashInit(table);
}

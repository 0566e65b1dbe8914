/*
 * hash - hash tables by number, for agents: docs/spec/pmapi.md 24.
 *
 * Chains of nodes, four to a chain on average before the table grows. Entries of one key stay in
 * the order in which they were added, the last one first.
 */
#include <pcp/libpcp.h>

enum {
	HASH_CHAINS = 7, /* at first */
	HASH_FULL = 4,   /* nodes a chain */
};

static __pmHashNode **chain_of(const __pmHashCtl *table, unsigned int key)
{
	return &table->hash[key % (unsigned int)table->hsize];
}

/* Takes the nodes of a chain from its end, so that those of one key keep their order. */
static void move_chain(__pmHashNode *node, __pmHashCtl *to)
{
	__pmHashNode *back = NULL;

	while (node != NULL) {
		__pmHashNode *next = node->next;

		node->next = back;
		back = node;
		node = next;
	}
	while (back != NULL) {
		__pmHashNode *next = back->next;
		__pmHashNode **chain = chain_of(to, back->key);

		back->next = *chain;
		*chain = back;
		back = next;
	}
}

static int resize(__pmHashCtl *table, int hsize)
{
	__pmHashCtl old = *table;

	table->hash = calloc((size_t)hsize, sizeof(table->hash[0]));
	if (table->hash == NULL) {
		*table = old;
		return -ENOMEM;
	}
	table->hsize = hsize;
	for (int i = 0; i < old.hsize; i++)
		move_chain(old.hash[i], table);
	free(old.hash);
	return 0;
}

void __pmHashInit(__pmHashCtl *table)
{
	memset(table, 0, sizeof(*table));
}

int __pmHashPreAlloc(int n, __pmHashCtl *table)
{
	if (n <= 0)
		return n == 0 ? 0 : -ENOMEM;
	return n > table->hsize ? resize(table, n) : 0;
}

int __pmHashAdd(unsigned int key, void *data, __pmHashCtl *table)
{
	__pmHashNode *node = malloc(sizeof(*node));
	__pmHashNode **chain;

	if (node == NULL)
		return -ENOMEM;
	if (table->hsize == 0 && resize(table, HASH_CHAINS) < 0) {
		free(node);
		return -ENOMEM;
	}
	if (table->nodes / HASH_FULL >= table->hsize && table->hsize < INT_MAX / 4)
		resize(table, table->hsize * 2 + 1); /* without memory the chains only get longer */
	chain = chain_of(table, key);
	*node = (__pmHashNode){.next = *chain, .key = key, .data = data};
	*chain = node;
	table->nodes++;
	return 1;
}

__pmHashNode *__pmHashSearch(unsigned int key, __pmHashCtl *table)
{
	__pmHashNode *node = table->hsize > 0 ? *chain_of(table, key) : NULL;

	while (node != NULL && node->key != key)
		node = node->next;
	return node;
}

int __pmHashDel(unsigned int key, void *data, __pmHashCtl *table)
{
	__pmHashNode **at;

	if (table->hsize == 0)
		return 0;
	for (at = chain_of(table, key); *at != NULL; at = &(*at)->next) {
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

void __pmHashWalkCB(__pmHashWalkCallback callback, void *arg, const __pmHashCtl *table)
{
	/* A callback may ask for deletion, although the table is declared constant. */
	__pmHashCtl *changed = (__pmHashCtl *)table;

	for (int i = 0; i < table->hsize; i++) {
		__pmHashNode **at = &table->hash[i];

		while (*at != NULL) {
			__pmHashNode *node = *at;
			__pmHashWalkState state = callback(node, arg);

			if (state == PM_HASH_WALK_DELETE_NEXT ||
			    state == PM_HASH_WALK_DELETE_STOP) {
				*at = node->next;
				free(node);
				changed->nodes--;
			} else {
				at = &node->next;
			}
			if (state == PM_HASH_WALK_STOP || state == PM_HASH_WALK_DELETE_STOP)
				return;
		}
	}
}

__pmHashNode *__pmHashWalk(__pmHashCtl *table, __pmHashWalkState state)
{
	__pmHashNode *node;

	if (state == PM_HASH_WALK_START) {
		table->index = 0;
		table->next = table->hsize > 0 ? table->hash[0] : NULL;
	}
	while (table->next == NULL) {
		if (table->index + 1 >= (unsigned int)table->hsize)
			return NULL;
		table->next = table->hash[++table->index];
	}
	node = table->next;
	table->next = node->next; /* the caller may delete this one */
	return node;
}

void __pmHashClear(__pmHashCtl *table)
{
	for (int i = 0; i < table->hsize; i++) {
		__pmHashNode *node = table->hash[i];

		while (node != NULL) {
			__pmHashNode *next = node->next;

			free(node);
			node = next;
		}
	}
	free(table->hash);
	__pmHashInit(table);
}

void __pmHashFree(__pmHashCtl *table)
{
	__pmHashClear(table);
}

#include "keys.h"

#include <stdlib.h>
#include <string.h>

static unsigned int key_hash(const char *name, size_t len)
{
	unsigned int h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h ^ (h >> 15);
}

static void key_insert(struct keys *k, unsigned int i)
{
	unsigned int at = key_hash(k->table[i].name, strlen(k->table[i].name)) & k->mask;

	while (k->slots[at] != 0)
		at = (at + 1) & k->mask;
	k->slots[at] = (unsigned short)(i + 1);
}

void keys_done(struct keys *k)
{
	free(k->table);
	free(k->slots);
	*k = (struct keys){0};
}

bool keys_init(struct keys *k, const struct key *table, unsigned int n)
{
	unsigned int size = 8;

	if (k->slots != NULL)
		return true;
	while (size < 4 * n)
		size *= 2;
	k->table = calloc(n, sizeof(*k->table));
	k->slots = calloc(size, sizeof(*k->slots));
	if (k->table == NULL || k->slots == NULL) {
		keys_done(k);
		return false;
	}
	memcpy(k->table, table, n * sizeof(*table));
	k->n = n;
	k->mask = size - 1;
	for (unsigned int i = 0; i < n; i++)
		key_insert(k, i);
	return true;
}

bool keys_init_rows(struct keys *k, const char *prefix, const struct agent_metric *rows,
		    unsigned int n)
{
	size_t len = strlen(prefix);
	struct key *table;
	unsigned int used = 0;
	bool done;

	if (k->slots != NULL)
		return true;
	table = calloc(n, sizeof(*table));
	if (table == NULL)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (strncmp(rows[i].name, prefix, len) == 0)
			table[used++] = (struct key){rows[i].name + len, rows[i].value.offset};
	done = keys_init(k, table, used);
	free(table);
	return done;
}

uint64_t *keys_find(const struct keys *k, void *base, const char *name, size_t len)
{
	unsigned int at = key_hash(name, len) & k->mask;

	for (; k->slots[at] != 0; at = (at + 1) & k->mask) {
		const struct key *key = &k->table[k->slots[at] - 1];

		if (strncmp(key->name, name, len) == 0 && key->name[len] == '\0')
			return (uint64_t *)(void *)((char *)base + key->offset);
	}
	return NULL;
}

void keys_line(const struct keys *k, void *base, struct scan *s)
{
	const char *name;
	uint64_t *at;

	scan_blanks(s);
	name = s->p;
	while (*s->p != '\0' && *s->p != ' ' && *s->p != '\t' && *s->p != '\n' && *s->p != ':')
		s->p++;
	at = keys_find(k, base, name, (size_t)(s->p - name));
	if (*s->p == ':')
		s->p++;
	if (at != NULL)
		scan_u64(s, at);
}

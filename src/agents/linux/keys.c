/* keys - see keys.h: files of lines, of keys and numbers, of pairs of lines. */
#include "keys.h"

#include <errno.h>
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

/* ---- two lines a group ---- */

/* "Name:" at the line's start; false if there is none. */
static bool group_name(struct scan *s, const char **ret_name, size_t *ret_len)
{
	if (!scan_word(s, ret_name, ret_len) || (*ret_name)[*ret_len - 1] != ':')
		return false;
	(*ret_len)--;
	return true;
}

static struct pairs_group *find_group(struct pairs_group *groups, unsigned int n, const char *name,
				      size_t len)
{
	for (unsigned int i = 0; i < n; i++)
		if (strncmp(groups[i].name, name, len) == 0 && groups[i].name[len] == '\0')
			return &groups[i];
	return NULL;
}

static void read_group(const struct keys *keys, void *base, struct scan *names,
		       struct scan *numbers)
{
	const char *name, *number;
	size_t name_len, number_len;

	while (scan_word(names, &name, &name_len) && scan_word(numbers, &number, &number_len)) {
		uint64_t *at = keys_find(keys, base, name, name_len);
		struct scan s = {number};

		if (at != NULL)
			scan_u64(&s, at);
	}
}

int pairs_read(struct pairs_group *groups, unsigned int n, pairs_other *other, void *base,
	       const char *text)
{
	struct scan names = {text};

	do {
		struct scan numbers = names;
		struct pairs_group *group;
		const char *name, *again;
		size_t len, again_len;

		if (!group_name(&names, &name, &len) || !scan_next_line(&numbers) ||
		    !group_name(&numbers, &again, &again_len) || again_len != len ||
		    memcmp(name, again, len) != 0)
			continue;
		group = find_group(groups, n, name, len);
		if (group != NULL && !keys_init(&group->keys, group->table, group->n))
			return -ENOMEM;
		if (group != NULL)
			read_group(&group->keys, base, &names, &numbers);
		else if (other != NULL)
			other(base, name, len, &names, &numbers);
		names = numbers;
	} while (scan_next_line(&names));
	return 0;
}

/* ---- lines ---- */

int lines_read(struct agent_refresh *r, const char *path, line_reader read_line)
{
	struct scan s;
	long n = agent_read(r, path, &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		status = read_line(r, &s);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

#include "pairs.h"

#include <errno.h>
#include <string.h>

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

/* name_list - see name_list.h. */
#include "libpcp/name_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

int str_block_new(const struct wire_str *strs, size_t n, char ***ret_block)
{
	size_t size = n * sizeof(char *);
	char **block;
	char *p;

	if (n == 0) {
		*ret_block = NULL;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		size += (size_t)strs[i].len + 1;
	block = malloc(size);
	if (block == NULL)
		return -ENOMEM;
	p = (char *)(block + n);
	for (size_t i = 0; i < n; i++) {
		block[i] = p;
		memcpy(p, strs[i].s, strs[i].len);
		p[strs[i].len] = '\0';
		p += strs[i].len + 1;
	}
	*ret_block = block;
	return 0;
}

/* The arrays double within the arena and leave the old ones there; a walk is short. */
static int grow(struct name_list *list)
{
	size_t cap = list->cap == 0 ? 64 : list->cap * 2;
	struct wire_str *names = arena_calloc(&list->mem, cap, sizeof(names[0]));
	int *status = arena_calloc(&list->mem, cap, sizeof(status[0]));

	if (names == NULL || status == NULL)
		return -ENOMEM;
	if (list->n > 0) {
		memcpy(names, list->names, list->n * sizeof(names[0]));
		memcpy(status, list->status, list->n * sizeof(status[0]));
	}
	list->names = names;
	list->status = status;
	list->cap = cap;
	return 0;
}

int name_list_add(struct name_list *list, const char *name, uint32_t len, int status)
{
	if (list->n == list->cap && grow(list) < 0)
		return -ENOMEM;
	list->names[list->n] = (struct wire_str){.s = name, .len = len};
	list->status[list->n++] = status;
	return 0;
}

int name_list_done(struct name_list *list, int r, char ***ret_names, int **ret_status)
{
	int *status = NULL;

	if (r >= 0 && ret_status != NULL && list->n > 0) {
		status = malloc(list->n * sizeof(status[0]));
		if (status == NULL)
			r = -ENOMEM;
		else
			memcpy(status, list->status, list->n * sizeof(status[0]));
	}
	if (r >= 0)
		r = str_block_new(list->names, list->n, ret_names);
	if (r >= 0 && ret_status != NULL)
		*ret_status = TAKE(status);
	free(status);
	arena_done(&list->mem);
	return r < 0 ? r : (int)list->n;
}

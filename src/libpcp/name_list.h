/* name_list - a list of names that a walk over a name space collects, on its way to a caller. */
#ifndef LIBPCP_NAME_LIST_H
#define LIBPCP_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libvalue/wire_form.h"

/* A zeroed one is empty; released by name_list_done. */
struct name_list {
	struct arena mem;
	struct wire_str *names; /* borrowed */
	int *status;
	size_t n;
	size_t cap;
};

/* Adds a name, which must live until name_list_done, and a number. 0 or -ENOMEM. */
int name_list_add(struct name_list *list, const char *name, uint32_t len, int status);

/*
 * Hands a list over as one block (str_block.h), the numbers as a malloc'd array unless ret_status
 * is NULL; both are NULL where there is nothing. r is what the walk returned: a failure gives out
 * nothing. How many names, or the failure.
 */
int name_list_done(struct name_list *list, int r, char ***ret_names, int **ret_status);

/* Releases a list that is not given to a caller. */
static inline void name_list_drop(struct name_list *list)
{
	arena_done(&list->mem);
}

#endif

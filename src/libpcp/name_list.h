/*
 * name_list - lists of names for a caller.
 *
 * A block is a list of strings in one malloc'd block: the pointers, then the bytes. In this form
 * the API gives out names, so that the caller frees them all with one free. A name_list collects
 * the names of a walk over a name space, and ends as such a block.
 */
#ifndef LIBPCP_NAME_LIST_H
#define LIBPCP_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libvalue/wire_form.h"
#include "libwire/pdu.h"

/* Copies n strings. *ret_block is NULL if n is 0. 0 or -ENOMEM. */
int str_block_new(const struct wire_str *strs, size_t n, char ***ret_block);

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
 * Hands a list over as one block, the numbers as a malloc'd array unless ret_status
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

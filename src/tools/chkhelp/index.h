/*
 * index - the identifiers that a compiled help file has texts of (docs/spec/pmda.md 15.1).
 */
#ifndef CHKHELP_INDEX_H
#define CHKHELP_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Flag in the identifier of an instance domain. */
#define INDEX_INDOM (1u << 31)

/*
 * Reads the identifiers of BASE.dir in their order; the caller frees them. Returns 0, -EINVAL if
 * the file is truncated or not an index, or -errno.
 */
int index_read(const char *base, uint32_t **ret_ids, size_t *ret_n);

#endif

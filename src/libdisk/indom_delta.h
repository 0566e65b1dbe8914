/*
 * indom_delta - what changed in an instance domain, and the domain after the change
 * (docs/spec/archive.md 7.2).
 *
 * Lists are in ascending order of instance, each once; names are borrowed. Everything is one walk
 * along two lists.
 */
#ifndef LIBDISK_INDOM_DELTA_H
#define LIBDISK_INDOM_DELTA_H

#include <stdbool.h>
#include <stddef.h>

#include "libvalue/wire_form.h"

/* How a writer of version 3 records a change; version 2 knows no deltas. */
enum indom_change {
	INDOM_SAME,
	INDOM_FULL,    /* a name changed, or the delta would not be shorter */
	INDOM_CHANGES, /* as a delta */
};

/* True if the instances are in ascending order, each once. */
bool indom_sorted(const struct wire_inst *insts, size_t n);

/*
 * Compares a domain of n_old instances with what it is now. For INDOM_CHANGES delta holds
 * *ret_changes entries: additions, and deletions without a name; it has room for n_new of them.
 */
enum indom_change indom_compare(const struct wire_inst *old, size_t n_old,
				const struct wire_inst *now, size_t n_new, struct wire_inst *delta,
				size_t *ret_changes);

/*
 * Applies a delta. now has room for n_old + n_delta instances, *ret_n is how many there are. 0, or
 * PM_ERR_LOGREC: one of the lists is out of order, or what is deleted is not there. An addition of
 * what is there gives it the new name.
 */
int indom_apply(const struct wire_inst *old, size_t n_old, const struct wire_inst *delta,
		size_t n_delta, struct wire_inst *now, size_t *ret_n);

#endif

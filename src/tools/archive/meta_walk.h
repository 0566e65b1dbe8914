/*
 * meta_walk - the records of a .meta in the order of the file.
 */
#ifndef TOOLS_ARCHIVE_META_WALK_H
#define TOOLS_ARCHIVE_META_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libdisk/meta.h"

struct member;

struct meta_walk {
	struct member *member;
	uint64_t offset; /* of the next record */
	uint64_t at;     /* of the record that was given out last */
	struct arena mem;
};

/* Begins after the label of a .meta of this version. */
void meta_walk_begin(struct meta_walk *w, struct member *member, int version);
void meta_walk_end(struct meta_walk *w);

/*
 * The next record: 1, and its body is valid until the next call; 0 at the end, that of a torn last
 * record too; PM_ERR_LOGREC, PM_ERR_RECTYPE, -ENOMEM. Only types that are wanted (bits 1 << type)
 * are decoded, the others are passed over.
 */
int meta_walk_next(struct meta_walk *w, unsigned int wanted, enum meta_type *ret_type,
		   union meta_body *ret_body);

/* The record at an offset that a walk gave out (its field at); the walk itself stays where it is.
 * 0, or a negative error. */
int meta_walk_at(struct meta_walk *w, uint64_t offset, enum meta_type *ret_type,
		 union meta_body *ret_body);

#endif

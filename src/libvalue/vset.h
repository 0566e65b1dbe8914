/*
 * vset - value sets of a RESULT or a record of an archive, written from wire or host form.
 *
 *     header, stamp, numpmid | set | set | … | block | block | …
 *
 * A set has the positions of its blocks, so writing takes two passes: the lengths of all sets and
 * blocks, then one reservation with two cursors, one for the sets and one for the blocks.
 */
#ifndef LIBVALUE_VSET_H
#define LIBVALUE_VSET_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/endian_be.h"
#include "libvalue/wire_form.h"

enum {
	VSET_HEAD = 8,         /* pmid and numval: all of a set without values */
	VSET_HEAD_VALUES = 12, /* and valfmt */
	VSET_VALUE_LEN = 8,
};

/*
 * The length of the set that begins at p, of which left bytes are there, and how many values it has
 * (0 or an error: none). 0 if it is not whole: nothing but pmid and numval may be read of it then,
 * and these only if left has room for them.
 */
static inline size_t vset_whole(const uint8_t *p, size_t left, int32_t *ret_numval)
{
	int32_t numval;

	if (left < VSET_HEAD)
		return 0;
	numval = (int32_t)load_be32(p + 4);
	*ret_numval = numval;
	if (numval <= 0)
		return VSET_HEAD;
	if (left < VSET_HEAD_VALUES || (size_t)numval > (left - VSET_HEAD_VALUES) / VSET_VALUE_LEN)
		return 0;
	return VSET_HEAD_VALUES + (size_t)numval * VSET_VALUE_LEN;
}

struct vset_len {
	uint64_t sets;
	uint64_t blocks;
};

struct vset_cursor {
	const uint8_t *first; /* the first set */
	size_t at;            /* its position; the positions of blocks have the same origin */
	uint8_t *set;
	uint8_t *block;
};

/* Writes sets to p, which is at bytes after the origin of positions, and blocks sets_len later. */
static inline void vset_cursor_begin(struct vset_cursor *c, uint8_t *p, size_t at, size_t sets_len)
{
	*c = (struct vset_cursor){p, at, p, p + sets_len};
}

/* A set without values: code is 0 or an error. */
void vset_put_error(struct vset_cursor *c, pmID pmid, int32_t code);

/* Add a set's lengths to total. False, and total as it was, for a set that can't be carried. */
bool vset_wire_len(const struct wire_vset *set, struct vset_len *total);
bool vset_host_len(const pmValueSet *set, struct vset_len *total);

/* Write a set that was measured. */
void vset_wire_put(struct vset_cursor *c, pmID pmid, const struct wire_vset *set);
void vset_host_put(struct vset_cursor *c, pmID pmid, const pmValueSet *set);

/* Adds by to the positions of the blocks of n whole sets. */
void vset_shift_positions(uint8_t *sets, uint32_t n, uint32_t by);

/* inst and the next word, big-endian: the beginning of every value of a set. */
static inline uint64_t vset_value_word(int32_t inst, uint32_t word)
{
	return (uint64_t)(uint32_t)inst << 32 | word;
}

/*
 * The position of a block: words from the first byte of the PDU. A record of an archive counts from
 * 8 bytes before it (docs/spec/archive.md 6.1), which gives the same positions.
 */
static inline uint32_t vset_word_of(const struct vset_cursor *c, const uint8_t *block)
{
	return (uint32_t)(((size_t)(block - c->first) + c->at) / 4);
}

/*
 * Writes what comes before the values of a set that has some; returns where the first one goes.
 * The caller moves c->set: a pointer of its own is what keeps the loop over values tight.
 */
static inline uint8_t *vset_put_head(const struct vset_cursor *c, pmID pmid, int32_t numval,
				     int32_t valfmt)
{
	uint8_t *at = c->set;

	store_be32(at, pmid);
	store_be32(at + 4, (uint32_t)numval);
	store_be32(at + 8, (uint32_t)valfmt);
	return at + VSET_HEAD_VALUES;
}

#endif

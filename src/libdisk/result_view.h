/*
 * result_view - a data record read in place, without allocation (docs/spec/archive.md 6.1).
 *
 *     N stamp numpmid | set | set | … | block | block | … | N
 *                     ^ sets                              ^ end
 *
 * Each step checks the bytes that it reads, so a view of any bytes is safe. A reader of one metric
 * pays for passing the sets before it and for its own values. result_view_check checks a whole
 * record once. The view borrows the record.
 */
#ifndef LIBDISK_RESULT_VIEW_H
#define LIBDISK_RESULT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libdisk/limits.h"
#include "libvalue/value_block.h"
#include "libvalue/vset.h"
#include "libvalue/wire_form.h"

struct result_view {
	struct timespec stamp;
	uint32_t numpmid; /* 0: a mark record */
	uint32_t at;      /* position of the first set, from where those of blocks count too */
	const uint8_t *sets;
	const uint8_t *end;
};

/* A value set of a view. */
struct vset_view {
	pmID pmid;
	int32_t numval; /* < 0: an error code */
	int32_t valfmt; /* PM_VAL_INSITU or PM_VAL_DPTR; INSITU without values */
	const uint8_t *values;
};

/* A place between the sets of a view. */
struct result_walk {
	const uint8_t *next;
	uint32_t left; /* sets */
};

/*
 * Reads the head of one whole record (frame included). 0; PM_ERR_LOGREC if its frame, its head or
 * the number of its sets is impossible, or if it is a mark that is followed by anything.
 */
int result_view_init(struct result_view *view, int version, const void *record, size_t len);

/* 0 if all sets, values and blocks are well formed and fill the record, else PM_ERR_LOGREC. */
int result_view_check(const struct result_view *view);

static inline bool result_view_is_mark(const struct result_view *view)
{
	return view->numpmid == 0;
}

static inline struct result_walk result_walk_begin(const struct result_view *view)
{
	return (struct result_walk){view->sets, view->numpmid};
}

/* The next set: 1; 0 after the last; PM_ERR_LOGREC for one that is not whole. */
static inline int result_walk_next(const struct result_view *view, struct result_walk *walk,
				   struct vset_view *ret_set)
{
	const uint8_t *p = walk->next;
	int32_t numval;
	size_t len;

	if (walk->left == 0)
		return 0;
	len = vset_whole(p, (size_t)(view->end - p), &numval);
	if (len == 0)
		return PM_ERR_LOGREC;
	ret_set->pmid = load_be32(p);
	ret_set->numval = numval;
	ret_set->valfmt = PM_VAL_INSITU;
	ret_set->values = NULL;
	walk->left--;
	walk->next = p + len;
	if (numval <= 0)
		return 1;
	if (load_be32(p + VSET_HEAD) > PM_VAL_SPTR)
		return PM_ERR_LOGREC;
	if (load_be32(p + VSET_HEAD) != PM_VAL_INSITU)
		ret_set->valfmt = PM_VAL_DPTR;
	ret_set->values = p + VSET_HEAD_VALUES;
	return 1;
}

/* The set of a metric: 1; 0 if there is none; PM_ERR_LOGREC. */
int result_view_find(const struct result_view *view, pmID pmid, struct vset_view *ret_set);

static inline int32_t vset_view_inst(const struct vset_view *set, int32_t i)
{
	return (int32_t)load_be32(set->values + (size_t)i * VSET_VALUE_LEN);
}

/*
 * Value i of a set, 0 to numval - 1; a block of it points into the record. 0; PM_ERR_LOGREC if the
 * block is not inside or too short for its type.
 */
static inline int vset_view_value(const struct result_view *view, const struct vset_view *set,
				  int32_t i, struct wire_value *ret_value)
{
	const uint8_t *p = set->values + (size_t)i * VSET_VALUE_LEN;
	uint32_t word = load_be32(p + 4);
	size_t end = view->at + (size_t)(view->end - view->sets);
	size_t at = (size_t)word * 4;
	const uint8_t *block;
	uint32_t vlen;

	ret_value->inst = (int32_t)load_be32(p);
	if (set->valfmt == PM_VAL_INSITU) {
		ret_value->block_len = 0;
		ret_value->insitu = word;
		return 0;
	}
	if (at < view->at || at + VALUE_BLOCK_HEADER > end)
		return PM_ERR_LOGREC;
	block = view->sets + (at - view->at);
	vlen = load_be32(block) & VALUE_BLOCK_MAX;
	if (vlen > end - at || !value_block_fits(block[0], vlen))
		return PM_ERR_LOGREC;
	ret_value->block_len = vlen;
	ret_value->block = block;
	return 0;
}

/*
 * A value as a number of the metric's type: 32, U32, FLOAT (in a word or a block), 64, U64, DOUBLE.
 * 0; PM_ERR_CONV for another type, or a value that is none of it.
 */
int wire_value_number(const struct wire_value *value, int type, pmAtomValue *ret_atom);

#endif

/* host_result - see host_result.h. */
#include "libvalue/host_result.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/endian_be.h"
#include "libvalue/host_form.h"
#include "libvalue/vset.h"

/* The sum of all block sizes. */
struct blocks {
	size_t lowest; /* position of the first; SIZE_MAX: there is none */
	size_t total;  /* bytes, padding included */
};

/* A header word of a block in wire order, and what it says of each block that has it. */
struct block_kind {
	uint32_t head;
	size_t len;  /* padding included */
	size_t host; /* in memory */
	bool event;
};

/* False for a word that no block has. */
static bool get_kind(uint32_t head, struct block_kind *ret_kind)
{
	uint32_t type = head >> 24, vlen = head & VALUE_BLOCK_MAX;

	if (vlen < VALUE_BLOCK_HEADER || !value_block_fits(type, vlen))
		return false;
	*ret_kind = (struct block_kind){head, pad4(vlen), host_block_len(type, vlen),
					value_type_is_event(type)};
	return true;
}

/*
 * The blocks of one set, whose n values begin at p. Most have the same header word as the one
 * before: it is looked at when it changes.
 */
static bool measure_blocks(struct host_result *s, struct blocks *blocks, const uint8_t *p, size_t n)
{
	const size_t first = s->at, end = s->at + s->len;
	size_t lowest = blocks->lowest, total = 0, host = 0;
	struct block_kind kind = {.len = 0}; /* none yet */

	if (s->len < VALUE_BLOCK_HEADER)
		return n == 0;
	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		size_t at = (size_t)load_be32(p + 4) * 4;
		const uint8_t *block;
		uint32_t head;

		if (at < first || at > end - VALUE_BLOCK_HEADER)
			return false;
		block = s->sets + (at - first);
		head = load_be32(block);
		if ((head != kind.head || kind.len == 0) && !get_kind(head, &kind))
			return false;
		if ((head & VALUE_BLOCK_MAX) > end - at)
			return false;
		if (kind.event && !value_block_valid_wire(block, head & VALUE_BLOCK_MAX))
			return false;
		lowest = at < lowest ? at : lowest;
		total += kind.len;
		host += kind.host;
	}
	blocks->lowest = lowest;
	blocks->total += total;
	s->host_blocks += host;
	return true;
}

/* The values of a set that has some, which is whole. */
static bool measure_values(struct host_result *s, struct blocks *blocks, const uint8_t *p, size_t n)
{
	uint32_t valfmt = load_be32(p + VSET_HEAD);

	if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR)
		return measure_blocks(s, blocks, p + VSET_HEAD_VALUES, n);
	return valfmt == PM_VAL_INSITU;
}

bool host_result_measure(struct host_result *s)
{
	struct blocks blocks = {SIZE_MAX, 0};
	const uint8_t *p = s->sets;
	const uint8_t *end = s->sets + s->len;

	s->host_sets = s->host_blocks = 0;
	if (s->numpmid > s->len / VSET_HEAD)
		return false;
	for (uint32_t i = 0; i < s->numpmid; i++) {
		int32_t numval;
		size_t len = vset_whole(p, (size_t)(end - p), &numval);

		if (len == 0)
			return false;
		s->host_sets += host_set_len(numval);
		if (numval > 0 && !measure_values(s, &blocks, p, (size_t)numval))
			return false;
		p += len;
	}
	s->sets_len = (size_t)(p - s->sets);
	if (blocks.total > 0 && blocks.lowest != s->at + s->sets_len)
		return false;
	return blocks.total == s->len - s->sets_len;
}

/* Writes n values from p; the blocks of values that are not in place go to block. */
static uint8_t *put_values(const struct host_result *s, const uint8_t *p, pmValueSet *set,
			   uint8_t *block)
{
	for (int32_t i = 0; i < set->numval; i++, p += VSET_VALUE_LEN) {
		pmValue *value = &set->vlist[i];
		const uint8_t *src;

		value->inst = (int32_t)load_be32(p);
		if (set->valfmt == PM_VAL_INSITU) {
			value->value.lval = (int32_t)load_be32(p + 4);
			continue;
		}
		src = s->sets + ((size_t)load_be32(p + 4) * 4 - s->at);
		value->value.pval = (pmValueBlock *)(void *)block;
		block += host_block_put(value->value.pval, src, load_be32(src) & VALUE_BLOCK_MAX);
	}
	return block;
}

static void put_sets(const struct host_result *s, pmHighResResult *out)
{
	const uint8_t *p = s->sets;
	uint8_t *next = (uint8_t *)out + host_head_len(s->numpmid);
	uint8_t *block = next + s->host_sets;

	for (uint32_t i = 0; i < s->numpmid; i++) {
		pmValueSet *set = (pmValueSet *)(void *)next;

		out->vset[i] = set;
		set->pmid = load_be32(p);
		set->numval = (int32_t)load_be32(p + 4);
		set->valfmt = PM_VAL_INSITU;
		next += host_set_len(set->numval);
		p += VSET_HEAD;
		if (set->numval <= 0)
			continue;
		if (load_be32(p) != PM_VAL_INSITU)
			set->valfmt = PM_VAL_DPTR;
		p += VSET_HEAD_VALUES - VSET_HEAD;
		block = put_values(s, p, set, block);
		p += (size_t)set->numval * VSET_VALUE_LEN;
	}
}

int host_result_new(const struct host_result *s, const struct timespec *stamp,
		    pmHighResResult **ret_result)
{
	pmHighResResult *out;

	out = malloc(host_head_len(s->numpmid) + s->host_sets + s->host_blocks);
	if (out == NULL)
		return -ENOMEM;
	out->timestamp = *stamp;
	out->numpmid = (int)s->numpmid;
	put_sets(s, out);
	*ret_result = out;
	return 0;
}

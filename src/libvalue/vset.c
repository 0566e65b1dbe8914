/* vset - see vset.h. */
#include "libvalue/vset.h"

#include "libbase/endian_be.h"
#include "libvalue/value_block.h"

/* ---- sets in host form ---- */

/* Bytes of the blocks from i on, padding included; 0 if one of them can't be carried. */
static __attribute__((noinline)) uint64_t any_blocks_len(const pmValueSet *set, int i)
{
	uint64_t total = 0;

	for (; i < set->numval; i++) {
		const pmValueBlock *block = set->vlist[i].value.pval;
		uint32_t word, type;

		if (block == NULL)
			return 0;
		word = value_block_word(block);
		type = word >> 24;
		if (!value_block_fits(type, word & VALUE_BLOCK_MAX))
			return 0;
		if (value_type_is_event(type) && !value_block_valid_host(block))
			return 0;
		total += pad4(word & VALUE_BLOCK_MAX);
	}
	return total;
}

/* As any_blocks_len for all of a set. */
static uint64_t blocks_len(const pmValueSet *set)
{
	int n = set->numval;
	uint64_t rest;

	for (int i = 0; i < n; i++) {
		const pmValueBlock *block = set->vlist[i].value.pval;

		if (block != NULL && value_word_is_64(value_block_word(block)))
			continue;
		rest = any_blocks_len(set, i);
		return rest > 0 ? rest + (uint64_t)i * VALUE_BLOCK_64 : 0;
	}
	return (uint64_t)n * VALUE_BLOCK_64;
}

bool vset_host_len(const pmValueSet *set, struct vset_len *total)
{
	uint64_t blocks = 0;

	if (set->numval <= 0) {
		total->sets += VSET_HEAD;
		return true;
	}
	if (set->valfmt != PM_VAL_INSITU) {
		if (set->valfmt == PM_VAL_DPTR || set->valfmt == PM_VAL_SPTR)
			blocks = blocks_len(set);
		if (blocks == 0)
			return false;
	}
	total->sets += VSET_HEAD_VALUES + (uint64_t)set->numval * VSET_VALUE_LEN;
	total->blocks += blocks;
	return true;
}

/* Values from i on, whatever their blocks are; the first goes to at. */
static __attribute__((noinline)) void put_any_blocks(struct vset_cursor *c, const pmValueSet *set,
						     int i, uint8_t *at)
{
	uint8_t *out = c->block;

	for (; i < set->numval; i++, at += VSET_VALUE_LEN) {
		const pmValueBlock *block = set->vlist[i].value.pval;
		size_t vlen = value_block_word(block) & VALUE_BLOCK_MAX;

		store_be64(at, vset_value_word(set->vlist[i].inst, vset_word_of(c, out)));
		value_block_swap_to_wire(block, out);
		memset(out + vlen, VALUE_PAD_BYTE, -vlen & 3);
		out += pad4(vlen);
	}
	c->block = out;
	c->set = at;
}

static void put_blocks(struct vset_cursor *c, const pmValueSet *set, uint8_t *at)
{
	uint32_t at_word = vset_word_of(c, c->block);
	uint8_t *out = c->block;
	int n = set->numval;

	for (int i = 0; i < n; i++, at += VSET_VALUE_LEN, out += VALUE_BLOCK_64) {
		const pmValueBlock *block = set->vlist[i].value.pval;
		uint32_t word = value_block_word(block);
		uint64_t v;

		if (!value_word_is_64(word)) {
			c->block = out;
			put_any_blocks(c, set, i, at);
			return;
		}
		memcpy(&v, block->vbuf, sizeof(v));
		store_be64(at, vset_value_word(set->vlist[i].inst, at_word));
		at_word += VALUE_BLOCK_64 / 4;
		store_be32(out, word);
		store_be64(out + VALUE_BLOCK_HEADER, v);
	}
	c->block = out;
	c->set = at;
}

void vset_host_put(struct vset_cursor *c, pmID pmid, const pmValueSet *set)
{
	int n = set->numval;
	uint8_t *at;

	if (n <= 0) {
		vset_put_error(c, pmid, n);
		return;
	}
	at = vset_put_head(c, pmid, n, set->valfmt);
	if (set->valfmt != PM_VAL_INSITU) {
		put_blocks(c, set, at);
		return;
	}
	for (int i = 0; i < n; i++, at += VSET_VALUE_LEN) {
		const pmValue *value = &set->vlist[i];

		store_be64(at, vset_value_word(value->inst, (uint32_t)value->value.lval));
	}
	c->set = at;
}

/* ---- sets that are in wire form already ---- */

void vset_put_error(struct vset_cursor *c, pmID pmid, int32_t code)
{
	store_be32(c->set, pmid);
	store_be32(c->set + 4, (uint32_t)code);
	c->set += VSET_HEAD;
}

static bool block_len_fits(uint32_t len)
{
	return len - VALUE_BLOCK_HEADER <= VALUE_BLOCK_MAX - VALUE_BLOCK_HEADER;
}

bool vset_wire_len(const struct wire_vset *set, struct vset_len *total)
{
	uint64_t blocks = 0;
	bool fit = true;

	if (set->numval <= 0) {
		total->sets += VSET_HEAD;
		return true;
	}
	if (set->valfmt == PM_VAL_DPTR || set->valfmt == PM_VAL_SPTR) {
		for (int32_t i = 0; i < set->numval; i++) {
			fit &= block_len_fits(set->values[i].block_len);
			blocks += pad4(set->values[i].block_len);
		}
	} else if (set->valfmt != PM_VAL_INSITU) {
		return false;
	}
	if (!fit)
		return false;
	total->sets += VSET_HEAD_VALUES + (uint64_t)set->numval * VSET_VALUE_LEN;
	total->blocks += blocks;
	return true;
}

/* The padding of n blocks that were copied to dst as one piece. */
static void put_block_padding(uint8_t *dst, const struct wire_value *values, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		size_t len = values[i].block_len;

		memset(dst + len, VALUE_PAD_BYTE, -len & 3);
		dst += pad4(len);
	}
}

/*
 * Writes the first values whose blocks are adjacent in their source, which in a decoded PDU is all
 * of them, with one copy. Returns the number of these values.
 */
static int32_t put_run(struct vset_cursor *c, const struct wire_value *values, int32_t n)
{
	uint32_t at_word = vset_word_of(c, c->block);
	const uint8_t *src = values[0].block;
	const uint8_t *next = src;
	uint8_t *at = c->set;
	size_t lengths = 0;
	int32_t i = 0;
	size_t len;

	do {
		len = values[i].block_len;
		store_be64(at, vset_value_word(values[i].inst, at_word));
		at += VSET_VALUE_LEN;
		at_word += (uint32_t)(pad4(len) / 4);
		next += pad4(len);
		lengths |= len;
		i++;
	} while (i < n && values[i].block == next);
	memcpy(c->block, src, (size_t)(next - src) - (-len & 3));
	if (lengths & 3)
		put_block_padding(c->block, values, i);
	c->block += next - src;
	c->set = at;
	return i;
}

/* The one value of a set that is one number of 64 bits: the commonest of all sets. */
static void put_single_64(struct vset_cursor *c, const struct wire_value *value, uint8_t *at)
{
	store_be64(at, vset_value_word(value->inst, vset_word_of(c, c->block)));
	memcpy(c->block, value->block, VALUE_BLOCK_64);
	c->block += VALUE_BLOCK_64;
	c->set = at + VSET_VALUE_LEN;
}

void vset_wire_put(struct vset_cursor *c, pmID pmid, const struct wire_vset *set)
{
	const struct wire_value *values = set->values;
	int32_t n = set->numval;
	uint8_t *at;

	if (n <= 0) {
		vset_put_error(c, pmid, n);
		return;
	}
	at = vset_put_head(c, pmid, n, set->valfmt);
	if (set->valfmt != PM_VAL_INSITU) {
		if (n == 1 && values[0].block_len == VALUE_BLOCK_64) {
			put_single_64(c, values, at);
			return;
		}
		c->set = at;
		for (int32_t i = 0; i < n;)
			i += put_run(c, values + i, n - i);
		return;
	}
	for (int32_t i = 0; i < n; i++, at += VSET_VALUE_LEN)
		store_be64(at, vset_value_word(values[i].inst, values[i].insitu));
	c->set = at;
}

void vset_shift_positions(uint8_t *sets, uint32_t n, uint32_t by)
{
	uint8_t *p = sets;

	for (uint32_t i = 0; i < n; i++) {
		int32_t numval = (int32_t)load_be32(p + 4);
		bool insitu;

		if (numval <= 0) {
			p += VSET_HEAD;
			continue;
		}
		insitu = load_be32(p + 8) == PM_VAL_INSITU;
		p += VSET_HEAD_VALUES;
		for (int32_t j = 0; j < numval && !insitu; j++) {
			uint8_t *position = p + (size_t)j * VSET_VALUE_LEN + 4;

			store_be32(position, load_be32(position) + by);
		}
		p += (size_t)numval * VSET_VALUE_LEN;
	}
}

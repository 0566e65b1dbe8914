/* vset_host - see vset.h: sets in host form. */
#include "libvalue/vset.h"

#include "libbase/pad.h"
#include "libvalue/value_block.h"

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

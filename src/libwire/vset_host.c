/* vset_host - see vset.h: sets in host form into a PDU. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_out.h"
#include "libwire/value_block.h"
#include "libwire/vset.h"

/* Bytes of all blocks of a set, padding included; 0 if one of them can't be carried. */
static uint64_t blocks_len(const pmValueSet *set)
{
	uint64_t total = 0;

	for (int i = 0; i < set->numval; i++) {
		const pmValueBlock *block = set->vlist[i].value.pval;
		uint32_t word, type, vlen;

		if (block == NULL)
			return 0;
		word = value_block_word(block);
		type = word >> 24;
		vlen = word & VALUE_BLOCK_MAX;
		if (!value_block_fits(type, vlen))
			return 0;
		if (value_type_is_event(type) && !value_block_valid_host(block))
			return 0;
		total += pdu_pad4(vlen);
	}
	return total;
}

bool vset_host_len(const pmValueSet *set, struct vset_len *total)
{
	uint64_t blocks = 0;

	if (set->numval <= 0) {
		total->sets += VSET_HEAD;
		return true;
	}
	if (set->valfmt == PM_VAL_DPTR || set->valfmt == PM_VAL_SPTR) {
		blocks = blocks_len(set);
		if (blocks == 0)
			return false;
	} else if (set->valfmt != PM_VAL_INSITU) {
		return false;
	}
	total->sets += VSET_HEAD_VALUES + (uint64_t)set->numval * VSET_VALUE_LEN;
	total->blocks += blocks;
	return true;
}

/* One block at dst; returns its length with padding. */
static size_t put_block(uint8_t *dst, const pmValueBlock *block)
{
	uint32_t word = value_block_word(block);
	size_t vlen = word & VALUE_BLOCK_MAX;

	if (vlen == VALUE_BLOCK_HEADER + 8 && value_type_is_64(word >> 24)) {
		uint64_t v;

		memcpy(&v, block->vbuf, sizeof(v));
		store_be32(dst, word);
		store_be64(dst + VALUE_BLOCK_HEADER, v);
		return VALUE_BLOCK_HEADER + 8;
	}
	value_block_swap_to_wire(block, dst);
	memset(dst + vlen, PDU_PAD_BYTE, -vlen & 3);
	return pdu_pad4(vlen);
}

static void put_blocks(struct vset_cursor *c, const pmValueSet *set)
{
	uint8_t *block = c->block;
	uint8_t *at = c->set;

	for (int i = 0; i < set->numval; i++, at += VSET_VALUE_LEN) {
		uint32_t at_word = (uint32_t)((block - c->pdu) / 4);

		store_be64(at, vset_value_word(set->vlist[i].inst, at_word));
		block += put_block(block, set->vlist[i].value.pval);
	}
	c->block = block;
	c->set = at;
}

void vset_host_put(struct vset_cursor *c, pmID pmid, const pmValueSet *set)
{
	if (set->numval <= 0) {
		vset_put_error(c, pmid, set->numval);
		return;
	}
	store_be32(c->set, pmid);
	store_be32(c->set + 4, (uint32_t)set->numval);
	store_be32(c->set + 8, set->valfmt == PM_VAL_INSITU ? PM_VAL_INSITU : PM_VAL_DPTR);
	c->set += VSET_HEAD_VALUES;
	if (set->valfmt != PM_VAL_INSITU) {
		put_blocks(c, set);
		return;
	}
	for (int i = 0; i < set->numval; i++, c->set += VSET_VALUE_LEN) {
		const pmValue *value = &set->vlist[i];

		store_be64(c->set, vset_value_word(value->inst, (uint32_t)value->value.lval));
	}
}

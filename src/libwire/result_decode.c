/*
 * result_decode - see result.h: from the bytes of a PDU to the host's form.
 *
 * Two passes over the sets. The first checks everything that docs/spec/pdu.md 5.2 demands and
 * measures what the result will take; the second writes it, and has nothing left to check.
 */
#include "libwire/result.h"

#include <errno.h>
#include <stdlib.h>

#include "libwire/host_form.h"
#include "libwire/vset.h"

enum {
	AT_TYPE = 4,
	AT_SETS = 24, /* in a RESULT */
	AT_SETS_HIGHRES = 32,
};

/* A PDU, and what was learnt of it. */
struct source {
	const uint8_t *pdu;
	size_t len;
	const uint8_t *sets;
	uint32_t numpmid;
	struct timespec stamp;

	size_t lowest;      /* offset of the first block; SIZE_MAX: there is none */
	size_t wire_blocks; /* bytes of all blocks there */
	size_t host_sets;   /* bytes of sets and blocks here */
	size_t host_blocks;
};

static bool read_head(struct source *s)
{
	const uint8_t *p = s->pdu + PDU_HEADER_LEN;
	bool highres = load_be32(s->pdu + AT_TYPE) == PDU_HIGHRES_RESULT;
	size_t at_sets = highres ? AT_SETS_HIGHRES : AT_SETS;

	if (s->len < at_sets)
		return false;
	if (highres) {
		s->numpmid = load_be32(p);
		s->stamp.tv_sec = (int64_t)load_be64(p + 4);
		s->stamp.tv_nsec = (int64_t)load_be64(p + 12);
	} else {
		s->stamp.tv_sec = (int32_t)load_be32(p);
		s->stamp.tv_nsec = (int64_t)(int32_t)load_be32(p + 4) * NSEC_PER_USEC;
		s->numpmid = load_be32(p + 8);
	}
	s->sets = s->pdu + at_sets;
	return s->numpmid <= (s->len - at_sets) / VSET_HEAD;
}

/* The blocks of one set, whose n values begin at p. */
static bool measure_blocks(struct source *s, const uint8_t *p, size_t n)
{
	size_t last_word = s->len / 4 - 1;

	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		size_t at_word = load_be32(p + 4);
		const uint8_t *block = s->pdu + at_word * 4;
		uint32_t vlen;

		if (at_word > last_word)
			return false;
		vlen = load_be32(block) & VALUE_BLOCK_MAX;
		if (vlen < VALUE_BLOCK_HEADER || vlen > s->len - at_word * 4)
			return false;
		if (!value_block_fits(block[0], vlen))
			return false;
		if (value_type_is_event(block[0]) && !value_block_valid_wire(block, vlen))
			return false;
		s->lowest = at_word * 4 < s->lowest ? at_word * 4 : s->lowest;
		s->wire_blocks += pdu_pad4(vlen);
		s->host_blocks += host_block_len(block[0], vlen);
	}
	return true;
}

static bool measure(struct source *s)
{
	const uint8_t *p = s->sets;
	const uint8_t *end = s->pdu + s->len;

	for (uint32_t i = 0; i < s->numpmid; i++) {
		size_t left = (size_t)(end - p);
		int32_t numval;
		int32_t valfmt;

		if (left < VSET_HEAD)
			return false;
		numval = (int32_t)load_be32(p + 4);
		p += VSET_HEAD;
		s->host_sets += host_set_len(numval);
		if (numval <= 0)
			continue;
		if (left < VSET_HEAD_VALUES ||
		    (size_t)numval > (left - VSET_HEAD_VALUES) / VSET_VALUE_LEN)
			return false;
		valfmt = (int32_t)load_be32(p);
		p += VSET_HEAD_VALUES - VSET_HEAD;
		if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR) {
			if (!measure_blocks(s, p, (size_t)numval))
				return false;
		} else if (valfmt != PM_VAL_INSITU) {
			return false;
		}
		p += (size_t)numval * VSET_VALUE_LEN;
	}
	if (s->wire_blocks > 0 && s->lowest != (size_t)(p - s->pdu))
		return false;
	return s->wire_blocks == (size_t)(end - p);
}

/* n values that stand at p; the blocks of those that are not in place go to block. */
static uint8_t *put_values(const struct source *s, const uint8_t *p, pmValueSet *set,
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
		src = s->pdu + (size_t)load_be32(p + 4) * 4;
		value->value.pval = (pmValueBlock *)(void *)block;
		block += host_block_put(value->value.pval, src, load_be32(src) & VALUE_BLOCK_MAX);
	}
	return block;
}

static void put_sets(const struct source *s, pmHighResResult *out)
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

int result_decode(const void *pdu, size_t len, pmHighResResult **ret_result)
{
	struct source s = {.pdu = pdu, .len = len, .lowest = SIZE_MAX};
	pmHighResResult *out;
	uint32_t type;

	if (len < PDU_HEADER_LEN)
		return PM_ERR_IPC;
	type = load_be32(s.pdu + AT_TYPE);
	if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
		return -EINVAL;
	if (!read_head(&s) || !measure(&s))
		return PM_ERR_IPC;
	out = malloc(host_head_len(s.numpmid) + s.host_sets + s.host_blocks);
	if (out == NULL)
		return -ENOMEM;
	out->timestamp = s.stamp;
	out->numpmid = (int)s.numpmid;
	put_sets(&s, out);
	*ret_result = out;
	return 0;
}

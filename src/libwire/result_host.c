/* result_host - result_to_host of result.h. */
#include "libwire/result.h"

#include <errno.h>
#include <stdlib.h>

#include "libvalue/host_form.h"

struct host_cursor {
	uint8_t *set;
	uint8_t *block;
};

/* Adds the blocks of a set to *total; false if one of them is malformed. */
static bool host_blocks_len(const struct wire_vset *set, size_t *total)
{
	if (set->valfmt == PM_VAL_INSITU)
		return true;
	for (int32_t i = 0; i < set->numval; i++) {
		const struct wire_value *value = &set->values[i];
		uint32_t type = value->block[0];

		if (!value_block_fits(type, value->block_len))
			return false;
		if (value_type_is_event(type) &&
		    !value_block_valid_wire(value->block, value->block_len))
			return false;
		*total += host_block_len(type, value->block_len);
	}
	return true;
}

static pmValueSet *host_set_put(struct host_cursor *c, const struct wire_vset *set)
{
	pmValueSet *out = (pmValueSet *)(void *)c->set;

	c->set += host_set_len(set->numval);
	out->pmid = set->pmid;
	out->numval = set->numval;
	/* This library decides the owner of a block's memory. */
	out->valfmt = set->numval > 0 && set->valfmt != PM_VAL_INSITU ? PM_VAL_DPTR : PM_VAL_INSITU;
	if (out->valfmt == PM_VAL_INSITU) {
		for (int32_t i = 0; i < set->numval; i++) {
			out->vlist[i].inst = set->values[i].inst;
			out->vlist[i].value.lval = (int)set->values[i].insitu;
		}
		return out;
	}
	for (int32_t i = 0; i < set->numval; i++) {
		pmValueBlock *block = (pmValueBlock *)(void *)c->block;

		out->vlist[i].inst = set->values[i].inst;
		out->vlist[i].value.pval = block;
		c->block += host_block_put(block, set->values[i].block, set->values[i].block_len);
	}
	return out;
}

int result_to_host(const struct pdu_result *result, bool highres, pmHighResResult **ret_result)
{
	size_t head = host_head_len(result->numpmid);
	size_t sets = 0, blocks = 0;
	struct host_cursor cursor;
	pmHighResResult *out;

	for (uint32_t i = 0; i < result->numpmid; i++) {
		sets += host_set_len(result->vsets[i].numval);
		if (!host_blocks_len(&result->vsets[i], &blocks))
			return PM_ERR_IPC;
	}
	out = malloc(head + sets + blocks);
	if (out == NULL)
		return -ENOMEM;
	cursor.set = (uint8_t *)out + head;
	cursor.block = cursor.set + sets;
	out->timestamp.tv_sec = result->sec;
	out->timestamp.tv_nsec = highres ? result->frac : result->frac * NSEC_PER_USEC;
	out->numpmid = (int)result->numpmid;
	for (uint32_t i = 0; i < result->numpmid; i++)
		out->vset[i] = host_set_put(&cursor, &result->vsets[i]);
	*ret_result = out;
	return 0;
}

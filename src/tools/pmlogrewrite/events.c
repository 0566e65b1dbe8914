/* events - see events.h. */
#include "tools/pmlogrewrite/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libbase/pad.h"
#include "libvalue/value_block.h"
#include "tools/pmlogrewrite/plan.h"
#include "tools/pmlogrewrite/values.h"

enum {
	TIME_LEN = 8,
	TIME_LEN_HIGHRES = 16,
	GROWTH = 2, /* a parameter's 12 bytes become 16 at most */
	TYPE_SHIFT = 24,
};

/*
 * The block that is read and the one that is written. The input was checked when the record was
 * read.
 */
struct copy {
	struct values *v;
	const uint8_t *from;
	uint8_t *to;
};

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put_word(struct copy *c, uint32_t w)
{
	memcpy(c->to, &w, sizeof(w));
	c->to += sizeof(w);
}

static void put_bytes(struct copy *c, const uint8_t *bytes, size_t n)
{
	memcpy(c->to, bytes, n);
	c->to += n;
}

static size_t number_len(int type)
{
	return value_type_is_64((uint32_t)type) ? 8 : 4;
}

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

/* Converts the number at `from` from the metric's old type to its new type. */
static int put_number(struct copy *c, const struct plan_metric *m, const uint8_t *from)
{
	int type = m->now.type, sts;
	pmAtomValue in = {0}, out = {0};

	memcpy(&in, from, number_len(m->old->desc.type));
	sts = values_number(c->v, m, &in, &out);
	if (sts < 0)
		return sts;
	put_word(c, (uint32_t)type << TYPE_SHIFT |
			(uint32_t)(VALUE_BLOCK_HEADER + number_len(type)));
	put_bytes(c, (const uint8_t *)&out, number_len(type));
	return 0;
}

/* Returns 1 if a parameter was written, 0 if it is deleted. */
static int one_param(struct copy *c)
{
	const struct plan_metric *m = plan_metric(c->v->plan, word(c->from));
	const uint8_t *block = c->from + sizeof(pmID);
	int type = (int)(word(block) >> TYPE_SHIFT);
	size_t len = pad4(word(block) & VALUE_BLOCK_MAX);
	pmID pmid = word(c->from);

	c->from = block + len;
	if (m != NULL && (m->flags & PLAN_DELETE))
		return 0;
	put_word(c, m != NULL ? m->now.pmid : pmid);
	if (m != NULL && (m->flags & (PLAN_TYPE | PLAN_RESCALE)) && is_number(type) &&
	    type == m->old->desc.type) {
		int sts = put_number(c, m, block + VALUE_BLOCK_HEADER);

		return sts < 0 ? sts : 1;
	}
	put_bytes(c, block, len);
	return 1;
}

static int one_record(struct copy *c, bool highres)
{
	size_t head = highres ? TIME_LEN_HIGHRES : TIME_LEN;
	uint32_t flags = word(c->from + head), n = word(c->from + head + 4), left = 0;
	uint8_t *count;

	put_bytes(c, c->from, head + 8);
	c->from += head + 8;
	count = c->to - 4;
	if (flags & PM_EVENT_FLAG_MISSED) /* n is the number of missed events */
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		int sts = one_param(c);

		if (sts < 0)
			return sts;
		left += (uint32_t)sts;
	}
	memcpy(count, &left, sizeof(left));
	return 0;
}

static int one_block(struct values *v, bool highres, pmValueBlock **block)
{
	const pmValueBlock *in = *block;
	pmValueBlock *out = arena_calloc(&v->mem, GROWTH, in->vlen);
	struct copy c = {v, (const uint8_t *)in->vbuf, NULL};
	uint32_t n = word(c.from);
	int sts = 0;

	if (out == NULL)
		return -ENOMEM;
	c.to = (uint8_t *)out->vbuf;
	put_word(&c, n);
	c.from += sizeof(n);
	for (uint32_t i = 0; i < n && sts >= 0; i++)
		sts = one_record(&c, highres);
	if (sts >= 0 && c.to - (uint8_t *)out > VALUE_BLOCK_MAX)
		sts = PM_ERR_TOOBIG;
	out->vtype = in->vtype;
	out->vlen = (unsigned int)(c.to - (uint8_t *)out) & VALUE_BLOCK_MAX;
	*block = out;
	return sts;
}

int events_rewrite(struct values *v, pmValueSet *set)
{
	int sts = 0;

	for (int i = 0; i < set->numval && sts >= 0; i++) {
		pmValueBlock *block = set->vlist[i].value.pval;

		if (!value_type_is_event(block->vtype) ||
		    block->vlen < VALUE_BLOCK_HEADER + sizeof(uint32_t))
			continue;
		sts = one_block(v, block->vtype == PM_TYPE_HIGHRES_EVENT, &block);
		set->vlist[i].value.pval = block;
	}
	return sts;
}

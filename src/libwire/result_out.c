/* result_out - see result_out.h. */
#include "libwire/result_out.h"

#include <errno.h>

void result_out_open(struct result_out *o, struct result_sink *sink)
{
	*o = (struct result_out){.sink = sink};
	sink->open(sink, &o->a);
	o->first = o->head = o->a.set;
}

int result_out_close(struct result_out *o)
{
	o->sink->close(o->sink, &o->a);
	return o->err;
}

/* The sink may have moved the memory: our own places are found by their distance to `set`. */
static void follow(struct result_out *o, size_t from_first, size_t from_head, int r)
{
	if (r < 0) {
		if (o->err == 0)
			o->err = r;
		return; /* nothing was moved */
	}
	o->first = o->a.set - from_first;
	o->head = o->a.set - from_head;
}

int result_out_more(struct result_out *o, size_t sets, size_t blocks)
{
	size_t from_first = (size_t)(o->a.set - o->first);
	size_t from_head = (size_t)(o->a.set - o->head);
	int r = o->sink->more(o->sink, &o->a, sets, blocks);

	follow(o, from_first, from_head, r);
	return r;
}

void result_out_expect(struct result_out *o, size_t sets_len)
{
	size_t from_first = (size_t)(o->a.set - o->first);
	size_t from_head = (size_t)(o->a.set - o->head);

	follow(o, from_first, from_head, o->sink->expect(o->sink, &o->a, sets_len));
}

int result_out_bytes(struct result_out *o, int32_t inst, uint32_t type, const void *bytes, size_t n)
{
	uint8_t *p = result_out_block(o, inst, type, (uint32_t)(VALUE_BLOCK_HEADER + n));

	if (p == NULL)
		return o->err;
	memcpy(p, bytes, n);
	return 0;
}

int result_out_host_block(struct result_out *o, int32_t inst, const pmValueBlock *block)
{
	uint32_t word;
	uint8_t *p;

	if (!value_block_valid_host(block))
		return PM_ERR_CONV;
	word = value_block_word(block);
	p = result_out_block(o, inst, word >> 24, word & VALUE_BLOCK_MAX);
	if (p == NULL)
		return o->err;
	value_block_swap_to_wire(block, p - VALUE_BLOCK_HEADER);
	return 0;
}

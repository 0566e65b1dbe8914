/* result_out - see result_out.h. */
#include "libwire/result_out.h"

#include <errno.h>

enum {
	ROOM_MIN = 256,
	OFFSET_SEC = 12, /* of RESULT; HIGHRES_RESULT has numpmid there */
	OFFSET_NUMPMID = 20,
	OFFSET_SEC_HIGHRES = 16,
	HEAD_LEN = 24,
	HEAD_LEN_HIGHRES = 32,
};

static bool is_highres(const struct result_out *o)
{
	return o->type == PDU_HIGHRES_RESULT;
}

static int out_fail(struct result_out *o, int err)
{
	if (o->err == 0)
		o->err = err;
	/* After a failure there is no room left, so every call comes here. */
	o->blocks = o->set;
	o->end = o->block;
	return o->err;
}

/* Bytes that the PDU would have if it ended here. */
static uint64_t content(const struct result_out *o)
{
	return (uint64_t)(o->set - o->pdu) + (uint64_t)(o->block - o->blocks);
}

/* The buffer's memory may move, and so may its beginning. */
static int reserve(struct result_out *o, size_t n)
{
	struct buffer *b = o->b;
	size_t used = (size_t)(o->block - o->pdu);
	ptrdiff_t moved;
	uint8_t *p;

	b->len += used; /* what is to be kept when it moves */
	p = buffer_reserve(b, n);
	b->len -= used;
	if (p == NULL) {
		b->err = o->buffer_err;
		return -ENOMEM;
	}
	moved = (intptr_t)(b->data + b->len) - (intptr_t)o->pdu;
	o->pdu += moved;
	o->head += moved;
	o->set += moved;
	o->blocks += moved;
	o->block += moved;
	o->end = b->data + b->cap;
	return 0;
}

/* Moves the blocks to make the room for sets larger; there is room after them. */
static void widen(struct result_out *o, size_t by)
{
	memmove(o->blocks + by, o->blocks, (size_t)(o->block - o->blocks));
	o->blocks += by;
	o->block += by;
	o->counted -= (ptrdiff_t)by; /* positions that were returned stay valid until the end */
}

int result_out_more(struct result_out *o, size_t sets, size_t blocks)
{
	size_t have = (size_t)(o->blocks - o->set), by = 0;
	int r;

	if (o->err != 0)
		return o->err;
	if (content(o) + sets + blocks > PDU_PEER_MAX)
		return out_fail(o, PM_ERR_TOOBIG);
	if (sets > have)
		by = (sets - have + (size_t)(o->set - o->pdu) + 3) & ~(size_t)3;
	if (by + blocks > (size_t)(o->end - o->block)) {
		r = reserve(o, by + blocks);
		if (r < 0)
			return out_fail(o, r);
	}
	if (by > 0)
		widen(o, by);
	return 0;
}

void result_out_begin(struct result_out *o, struct buffer *b, enum pdu_type type, int32_t from,
		      uint32_t n)
{
	size_t head = type == PDU_RESULT ? HEAD_LEN : HEAD_LEN_HIGHRES;
	uint8_t *p;

	*o = (struct result_out){.layout = RESULT_OUT_LAYOUT,
				 .type = type,
				 .b = b,
				 .n = (int32_t)n,
				 .buffer_err = b->err};
	p = buffer_reserve(b, head + ROOM_MIN);
	if (p == NULL) {
		o->err = b->err;
		return;
	}
	memset(p, 0, head);
	store_be32(p + 4, type);
	store_be32(p + 8, (uint32_t)from);
	store_be32(p + (is_highres(o) ? OFFSET_SEC : OFFSET_NUMPMID), n);
	o->pdu = p;
	o->head = o->set = o->blocks = o->block = p + head;
	o->word = (uint32_t)head / 4;
	o->end = b->data + b->cap;
}

void result_out_expect(struct result_out *o, size_t sets_len)
{
	size_t have = (size_t)(o->blocks - o->set);

	if (o->err != 0 || sets_len <= have || sets_len > PDU_PEER_MAX || o->block != o->blocks)
		return;
	if (sets_len > (size_t)(o->end - o->set) && reserve(o, sets_len) < 0) {
		out_fail(o, -ENOMEM);
		return;
	}
	o->blocks = o->block = o->set + (sets_len & ~(size_t)3);
	o->word = (uint32_t)((o->blocks - o->pdu) / 4);
	o->counted = 0; /* no position was returned yet that a widening had to keep valid */
}

/* Lets the blocks begin where the sets end. */
static void close_gap(struct result_out *o)
{
	uint32_t word = (uint32_t)((o->set - o->pdu) / 4);
	size_t len = (size_t)(o->block - o->blocks);

	if (len > 0 && word != o->word)
		vset_shift_positions(o->pdu + (is_highres(o) ? HEAD_LEN_HIGHRES : HEAD_LEN),
				     (uint32_t)o->n, word - o->word);
	if (o->blocks != o->set)
		memmove(o->set, o->blocks, len);
	o->blocks = o->set;
	o->block = o->set + len;
}

int result_out_end(struct result_out *o, int64_t sec, int64_t frac)
{
	size_t len;

	/* Room that was there for other reasons was used without asking. */
	if (o->err == 0 && content(o) > PDU_PEER_MAX)
		o->err = PM_ERR_TOOBIG;
	if (o->err != 0) {
		result_out_cancel(o);
		return o->err;
	}
	close_gap(o);
	len = (size_t)(o->block - o->pdu);
	store_be32(o->pdu, (uint32_t)len);
	if (is_highres(o)) {
		store_be64(o->pdu + OFFSET_SEC_HIGHRES, (uint64_t)sec);
		store_be64(o->pdu + OFFSET_SEC_HIGHRES + 8, (uint64_t)frac);
	} else {
		store_be32(o->pdu + OFFSET_SEC, (uint32_t)(uint64_t)sec);
		store_be32(o->pdu + OFFSET_SEC + 4, (uint32_t)(uint64_t)frac);
	}
	buffer_commit(o->b, len);
	return 0;
}

void result_out_cancel(struct result_out *o)
{
	o->b->err = o->buffer_err;
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

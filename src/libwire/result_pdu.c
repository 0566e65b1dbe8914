/* result_pdu - see result_pdu.h. */
#include "libwire/result_pdu.h"

#include <errno.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libvalue/vset.h"

enum {
	ROOM_MIN = 256,
	OFFSET_SEC = 12, /* of RESULT; HIGHRES_RESULT has numpmid there */
	OFFSET_NUMPMID = 20,
	OFFSET_SEC_HIGHRES = 16,
	HEAD_LEN = 24,
	HEAD_LEN_HIGHRES = 32,
};

static bool is_highres(const struct result_pdu *p)
{
	return p->type == PDU_HIGHRES_RESULT;
}

static int pdu_fail(struct result_pdu *p, struct result_area *a, int err)
{
	if (p->err == 0)
		p->err = err;
	/* After a failure there is no room left, so every writer comes here. */
	a->blocks = a->set;
	a->end = a->block;
	return p->err;
}

/* Bytes that the PDU would have if it ended here. */
static uint64_t content(const struct result_pdu *p, const struct result_area *a)
{
	return (uint64_t)(a->set - p->pdu) + (uint64_t)(a->block - a->blocks);
}

/* The buffer's memory may move, and so may its beginning. */
static int reserve(struct result_pdu *p, struct result_area *a, size_t n)
{
	struct buffer *b = p->b;
	size_t used = (size_t)(a->block - p->pdu);
	ptrdiff_t moved;
	uint8_t *room;

	b->len += used; /* what is to be kept when it moves */
	room = buffer_reserve(b, n);
	b->len -= used;
	if (room == NULL) {
		b->err = p->buffer_err;
		return -ENOMEM;
	}
	moved = (intptr_t)(b->data + b->len) - (intptr_t)p->pdu;
	p->pdu += moved;
	a->set += moved;
	a->blocks += moved;
	a->block += moved;
	a->origin += moved;
	a->end = b->data + b->cap;
	return 0;
}

/* Moves the blocks to make the room for sets larger; there is room after them. */
static void widen(struct result_area *a, size_t by)
{
	memmove(a->blocks + by, a->blocks, (size_t)(a->block - a->blocks));
	a->blocks += by;
	a->block += by;
	a->origin += by; /* positions that were given stay valid until the end */
}

static struct result_pdu *owner(struct result_sink *sink)
{
	return CONTAINER_OF(sink, struct result_pdu, sink);
}

static void sink_open(struct result_sink *sink, struct result_area *ret_area)
{
	*ret_area = owner(sink)->area;
}

static void sink_close(struct result_sink *sink, const struct result_area *area)
{
	owner(sink)->area = *area;
}

static int sink_more(struct result_sink *sink, struct result_area *a, size_t sets, size_t blocks)
{
	struct result_pdu *p = owner(sink);
	size_t have = (size_t)(a->blocks - a->set), by = 0;
	int r;

	if (p->err != 0)
		return p->err;
	if (content(p, a) + sets + blocks > PDU_PEER_MAX)
		return pdu_fail(p, a, PM_ERR_TOOBIG);
	if (sets > have)
		by = (sets - have + (size_t)(a->set - p->pdu) + 3) & ~(size_t)3;
	if (by + blocks > (size_t)(a->end - a->block)) {
		r = reserve(p, a, by + blocks);
		if (r < 0)
			return pdu_fail(p, a, r);
	}
	if (by > 0)
		widen(a, by);
	return 0;
}

static int sink_expect(struct result_sink *sink, struct result_area *a, size_t sets_len)
{
	struct result_pdu *p = owner(sink);
	size_t have = (size_t)(a->blocks - a->set);

	if (p->err != 0 || sets_len <= have || sets_len > PDU_PEER_MAX || a->block != a->blocks)
		return p->err;
	if (sets_len > (size_t)(a->end - a->set) && reserve(p, a, sets_len) < 0)
		return pdu_fail(p, a, -ENOMEM);
	a->blocks = a->block = a->set + (sets_len & ~(size_t)3);
	p->word = (uint32_t)((a->blocks - p->pdu) / 4);
	a->origin = p->pdu; /* no position was given yet that a widening had to keep valid */
	return 0;
}

static const struct result_sink pdu_sink = {
    .version = RESULT_SINK_VERSION,
    .open = sink_open,
    .expect = sink_expect,
    .more = sink_more,
    .close = sink_close,
};

void result_pdu_begin(struct result_pdu *p, struct buffer *b, enum pdu_type type, int32_t from,
		      uint32_t n)
{
	size_t head = type == PDU_RESULT ? HEAD_LEN : HEAD_LEN_HIGHRES;
	uint8_t *start;

	*p = (struct result_pdu){
	    .sink = pdu_sink, .type = type, .b = b, .n = (int32_t)n, .buffer_err = b->err};
	start = buffer_reserve(b, head + ROOM_MIN);
	if (start == NULL) {
		p->err = b->err;
		return;
	}
	memset(start, 0, head);
	store_be32(start + 4, type);
	store_be32(start + 8, (uint32_t)from);
	store_be32(start + (is_highres(p) ? OFFSET_SEC : OFFSET_NUMPMID), n);
	p->pdu = start;
	p->area.set = p->area.blocks = p->area.block = start + head;
	p->area.end = b->data + b->cap;
	p->area.origin = start;
	p->word = (uint32_t)head / 4;
}

/* Lets the blocks begin where the sets end. */
static void close_gap(struct result_pdu *p)
{
	struct result_area *a = &p->area;
	uint32_t word = (uint32_t)((a->set - p->pdu) / 4);
	size_t len = (size_t)(a->block - a->blocks);

	if (len > 0 && word != p->word)
		vset_shift_positions(p->pdu + (is_highres(p) ? HEAD_LEN_HIGHRES : HEAD_LEN),
				     (uint32_t)p->n, word - p->word);
	if (a->blocks != a->set)
		memmove(a->set, a->blocks, len);
	a->blocks = a->set;
	a->block = a->set + len;
}

int result_pdu_end(struct result_pdu *p, int64_t sec, int64_t frac)
{
	size_t len;

	/* Room that was there for other reasons was used without asking. */
	if (p->err == 0 && content(p, &p->area) > PDU_PEER_MAX)
		p->err = PM_ERR_TOOBIG;
	if (p->err != 0) {
		result_pdu_cancel(p);
		return p->err;
	}
	close_gap(p);
	len = (size_t)(p->area.block - p->pdu);
	store_be32(p->pdu, (uint32_t)len);
	if (is_highres(p)) {
		store_be64(p->pdu + OFFSET_SEC_HIGHRES, (uint64_t)sec);
		store_be64(p->pdu + OFFSET_SEC_HIGHRES + 8, (uint64_t)frac);
	} else {
		store_be32(p->pdu + OFFSET_SEC, (uint32_t)(uint64_t)sec);
		store_be32(p->pdu + OFFSET_SEC + 4, (uint32_t)(uint64_t)frac);
	}
	buffer_commit(p->b, len);
	return 0;
}

void result_pdu_cancel(struct result_pdu *p)
{
	p->b->err = p->buffer_err;
}

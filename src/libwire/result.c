/*
 * result - see result.h: encoding, decoding, the host's form, and an agent's answer that becomes
 * the reply.
 */
#include "libwire/result.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/endian_be.h"
#include "libbase/timespec.h"
#include "libvalue/host_form.h"
#include "libvalue/host_result.h"
#include "libvalue/vset.h"
#include "libwire/pdu_inner.h"

/* ---- encoding ---- */

enum {
	RESULT_HEAD = 24,
	RESULT_HEAD_HIGHRES = 32,
};

static bool source_len(const struct result_source *source, struct vset_len *total)
{
	switch (source->kind) {
	case RESULT_WIRE:
		return vset_wire_len(source->wire, total);
	case RESULT_HOST:
		return vset_host_len(source->host, total);
	case RESULT_ERROR:
		if (source->error > 0)
			return false;
		total->sets += VSET_HEAD;
		return true;
	}
	return false;
}

/* Lengths of all sources; returns how many can't be carried: they become sets without values. */
static size_t result_measure(const struct result_source *sources, size_t n, struct vset_len *total)
{
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		if (!source_len(&sources[i], total)) {
			total->sets += VSET_HEAD;
			bad++;
		}
	}
	return bad;
}

static void source_put(struct vset_cursor *c, const struct result_source *source)
{
	if (source->kind == RESULT_WIRE)
		vset_wire_put(c, source->pmid, source->wire);
	else if (source->kind == RESULT_HOST)
		vset_host_put(c, source->pmid, source->host);
	else
		vset_put_error(c, source->pmid, source->error);
}

/* Which sources were found bad is asked again, and only when there are any. */
static void put_sources(struct vset_cursor *c, const struct result_source *sources, size_t n,
			size_t bad)
{
	for (size_t i = 0; i < n && bad == 0; i++)
		source_put(c, &sources[i]);
	for (size_t i = 0; i < n && bad > 0; i++) {
		struct vset_len ignored = {0, 0};

		if (source_len(&sources[i], &ignored))
			source_put(c, &sources[i]);
		else
			vset_put_error(c, sources[i].pmid, PM_ERR_CONV);
	}
}

static void put_head(struct frame_out *out, enum pdu_type type, int64_t sec, int64_t frac, size_t n)
{
	if (type == PDU_HIGHRES_RESULT) {
		frame_put_u32(out, (uint32_t)n);
		put_i64(out, sec);
		put_i64(out, frac);
		return;
	}
	put_low32(out, sec);
	put_low32(out, frac);
	frame_put_u32(out, (uint32_t)n);
}

int result_encode(struct buffer *out, enum pdu_type type, int32_t from, int64_t sec, int64_t frac,
		  const struct result_source *sources, size_t n)
{
	size_t head = type == PDU_RESULT ? RESULT_HEAD : RESULT_HEAD_HIGHRES;
	struct vset_len total = {0, 0};
	struct vset_cursor cursor;
	struct frame_out pdu;
	size_t bad;

	if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
		return -EINVAL;
	bad = result_measure(sources, n, &total);
	if (head + total.sets + total.blocks > PDU_PEER_MAX)
		return PM_ERR_TOOBIG;
	pdu_out_begin(&pdu, out, type, from);
	put_head(&pdu, type, sec, frac, n);
	if (vset_cursor_init(&cursor, &pdu, &total))
		put_sources(&cursor, sources, n, bad);
	return frame_out_end(&pdu);
}

/* ---- from the bytes of a PDU to the host's form ---- */

enum {
	AT_TYPE = 4,
	AT_SETS = 24, /* in a RESULT */
	AT_SETS_HIGHRES = 32,
};

static bool read_head(const uint8_t *pdu, size_t len, struct host_result *s, struct timespec *stamp)
{
	const uint8_t *p = pdu + PDU_HEADER_LEN;
	bool highres = load_be32(pdu + AT_TYPE) == PDU_HIGHRES_RESULT;

	s->at = highres ? AT_SETS_HIGHRES : AT_SETS;
	if (len < s->at)
		return false;
	if (highres) {
		s->numpmid = load_be32(p);
		stamp->tv_sec = (int64_t)load_be64(p + 4);
		stamp->tv_nsec = (int64_t)load_be64(p + 12);
	} else {
		stamp->tv_sec = (int32_t)load_be32(p);
		stamp->tv_nsec = (int64_t)(int32_t)load_be32(p + 4) * TIMESPEC_NSEC_PER_USEC;
		s->numpmid = load_be32(p + 8);
	}
	s->sets = pdu + s->at;
	s->len = len - s->at;
	return true;
}

int result_decode(const void *pdu, size_t len, pmHighResResult **ret_result)
{
	struct host_result s;
	struct timespec stamp;
	uint32_t type;

	if (len < PDU_HEADER_LEN)
		return PM_ERR_IPC;
	type = load_be32((const uint8_t *)pdu + AT_TYPE);
	if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
		return -EINVAL;
	if (!read_head(pdu, len, &s, &stamp) || !host_result_measure(&s))
		return PM_ERR_IPC;
	return host_result_new(&s, &stamp, ret_result);
}

/* ---- to the host's form ---- */

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
	out->timestamp.tv_nsec = highres ? result->frac : result->frac * TIMESPEC_NSEC_PER_USEC;
	out->numpmid = (int)result->numpmid;
	for (uint32_t i = 0; i < result->numpmid; i++)
		out->vset[i] = host_set_put(&cursor, &result->vsets[i]);
	*ret_result = out;
	return 0;
}

/* ---- relaying: an agent's answer becomes the reply without being taken apart ---- */

enum {
	RELAY_HEAD = 24, /* of a RESULT: header, time, numpmid */
	RELAY_HEAD_HIGHRES = 32,
	/* Words by which positions differ between the two kinds of results. */
	RELAY_HIGHRES_WORDS = (RELAY_HEAD_HIGHRES - RELAY_HEAD) / 4,
};

/* Finds the end of n sets, which are for these PMIDs; NULL if they are not, or not whole. */
static const uint8_t *sets_end(const uint8_t *p, const uint8_t *end, const pmID *pmids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int32_t numval;
		size_t len = vset_whole(p, (size_t)(end - p), &numval);

		if (len == 0 || load_be32(p) != pmids[i])
			return NULL;
		p += len;
	}
	return p;
}

/* Blocks of numval values, the first at offset at: the offset after the last one, or 0. */
static size_t blocks_end(const uint8_t *pdu, size_t len, const uint8_t *values, int32_t numval,
			 size_t at)
{
	for (int32_t i = 0; i < numval; i++, values += VSET_VALUE_LEN) {
		uint32_t vlen;

		if (load_be32(values + 4) != at / 4 || len - at < VALUE_BLOCK_HEADER)
			return 0;
		vlen = load_be32(pdu + at) & VALUE_BLOCK_MAX;
		if (vlen < VALUE_BLOCK_HEADER || pad4(vlen) > len - at)
			return 0;
		at += pad4(vlen);
	}
	return at;
}

bool result_relay_fits(const void *pdu, size_t len, const pmID *pmids, size_t n)
{
	const uint8_t *bytes = pdu, *p = bytes + RELAY_HEAD, *sets;
	size_t at;

	if (len < RELAY_HEAD || len % 4 != 0 || load_be32(bytes + 20) != n)
		return false;
	sets = sets_end(p, bytes + len, pmids, n);
	if (sets == NULL)
		return false;
	at = (size_t)(sets - bytes);
	while (p < sets && at > 0) {
		int32_t numval = (int32_t)load_be32(p + 4);
		uint32_t valfmt;

		p += VSET_HEAD;
		if (numval <= 0)
			continue;
		valfmt = load_be32(p);
		p += VSET_HEAD_VALUES - VSET_HEAD;
		if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR)
			at = blocks_end(bytes, len, p, numval, at);
		else if (valfmt != PM_VAL_INSITU)
			return false;
		p += (size_t)numval * VSET_VALUE_LEN;
	}
	return at == len;
}

int result_relay_put(struct buffer *out, enum pdu_type type, int64_t sec, int64_t frac,
		     const void *pdu, size_t len)
{
	const uint8_t *bytes = pdu;
	uint32_t n = load_be32(bytes + 20);
	struct frame_out head;
	uint8_t *p;

	if (len > PDU_PEER_MAX - (RELAY_HEAD_HIGHRES - RELAY_HEAD))
		return PM_ERR_TOOBIG;
	pdu_out_begin(&head, out, type, 0);
	if (type == PDU_HIGHRES_RESULT) {
		frame_put_u32(&head, n);
		put_i64(&head, sec);
		put_i64(&head, frac);
	} else {
		put_low32(&head, sec);
		put_low32(&head, frac);
		frame_put_u32(&head, n);
	}
	p = frame_out_room(&head, len - RELAY_HEAD);
	if (p != NULL) {
		memcpy(p, bytes + RELAY_HEAD, len - RELAY_HEAD);
		if (type == PDU_HIGHRES_RESULT)
			vset_shift_positions(p, n, RELAY_HIGHRES_WORDS);
	}
	return frame_out_end(&head);
}

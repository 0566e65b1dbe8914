/* value_block - see value_block.h. */
#include "libvalue/value_block.h"

#include <stddef.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"

/* ---- event arrays ---- */

enum {
	ARRAY_HEAD = 8, /* header word and number of records */
	RECORD_HEAD = 16,
	RECORD_HEAD_HIGHRES = 24,
	PARAM_HEAD = 8, /* pmid, type and length; the length counts all but the pmid */
	PMID_LEN = 4,
};

/* A word of the array as a number, whatever order it is in. */
static uint32_t word_at(const uint8_t *p, enum event_order order)
{
	uint32_t v;

	if (order == EVENT_FROM_WIRE)
		return load_be32(p);
	memcpy(&v, p, sizeof(v));
	return v;
}

/* Parameters of a record: those of a MISSED one are a count of what is not there. */
static uint32_t record_params(const uint8_t *record, size_t head, enum event_order order)
{
	uint32_t flags = word_at(record + head - 8, order);

	return flags & PM_EVENT_FLAG_MISSED ? 0 : word_at(record + head - 4, order);
}

/* Bytes at the start of a parameter's value that are one number, and are swapped: 32 and U32 too,
 * unlike in plain blocks. */
static uint32_t param_number_len(uint32_t type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32 ? 4 : value_need[type];
}

/* Bytes of the parameter at p, padding included; 0 if it is not whole in the n that are left. */
static size_t param_len(const uint8_t *p, size_t n, enum event_order order)
{
	uint32_t word, type, len;

	if (n < PARAM_HEAD)
		return 0;
	word = word_at(p + PMID_LEN, order);
	type = word >> 24;
	len = word & VALUE_BLOCK_MAX;
	if (value_type_is_event(type))
		return 0; /* arrays don't nest */
	if (len < VALUE_BLOCK_HEADER + param_number_len(type) || pad4(len) > n - PMID_LEN)
		return 0;
	return PMID_LEN + pad4(len);
}

bool event_array_valid(const uint8_t *block, uint32_t vlen, bool highres, enum event_order order)
{
	size_t head = highres ? RECORD_HEAD_HIGHRES : RECORD_HEAD;
	const uint8_t *end = block + vlen;
	const uint8_t *p = block + ARRAY_HEAD;
	int32_t nrecords;

	if (vlen < ARRAY_HEAD)
		return false;
	nrecords = (int32_t)word_at(block + 4, order);
	if (nrecords < 0)
		return false;
	for (int32_t i = 0; i < nrecords; i++) {
		uint32_t nparams;

		if ((size_t)(end - p) < head)
			return false;
		nparams = record_params(p, head, order);
		p += head;
		for (uint32_t j = 0; j < nparams; j++) {
			size_t len = param_len(p, (size_t)(end - p), order);

			if (len == 0)
				return false;
			p += len;
		}
	}
	return true;
}

static void swap32(const uint8_t *src, uint8_t *dst)
{
	uint32_t v;

	memcpy(&v, src, sizeof(v));
	v = htobe32(v);
	memcpy(dst, &v, sizeof(v));
}

static void swap64(const uint8_t *src, uint8_t *dst)
{
	uint64_t v;

	memcpy(&v, src, sizeof(v));
	v = htobe64(v);
	memcpy(dst, &v, sizeof(v));
}

static void swap_record_head(const uint8_t *src, uint8_t *dst, bool highres)
{
	if (highres) {
		swap64(src, dst);
		swap64(src + 8, dst + 8);
		swap32(src + 16, dst + 16);
		swap32(src + 20, dst + 20);
		return;
	}
	for (size_t at = 0; at < RECORD_HEAD; at += 4)
		swap32(src + at, dst + at);
}

/* The value that follows a parameter's head. */
static void swap_param_value(uint32_t type, const uint8_t *src, uint8_t *dst, size_t n)
{
	size_t done = param_number_len(type);

	if (done == 4)
		swap32(src, dst);
	else if (done == 8)
		swap64(src, dst);
	memmove(dst + done, src + done, n - done);
}

/*
 * Swaps what follows the header word. The array must be valid; dst may be src. Bytes after the last
 * record are copied. The count of a MISSED record stays what it was.
 */
static void event_array_swap(const uint8_t *src, uint8_t *dst, uint32_t vlen, bool highres,
			     enum event_order order)
{
	size_t head = highres ? RECORD_HEAD_HIGHRES : RECORD_HEAD;
	int32_t nrecords = (int32_t)word_at(src + 4, order);
	size_t at = ARRAY_HEAD;

	swap32(src + 4, dst + 4);
	for (int32_t i = 0; i < nrecords; i++) {
		uint32_t nparams = record_params(src + at, head, order);

		swap_record_head(src + at, dst + at, highres);
		at += head;
		for (uint32_t j = 0; j < nparams; j++) {
			uint32_t word = word_at(src + at + PMID_LEN, order);
			size_t len = pad4(word & VALUE_BLOCK_MAX);

			swap32(src + at, dst + at);
			swap32(src + at + PMID_LEN, dst + at + PMID_LEN);
			swap_param_value(word >> 24, src + at + PARAM_HEAD, dst + at + PARAM_HEAD,
					 len - VALUE_BLOCK_HEADER);
			at += PMID_LEN + len;
		}
	}
	memmove(dst + at, src + at, vlen - at);
}

/* ---- value blocks ---- */

const uint8_t value_need[256] = {
    [PM_TYPE_64] = 8,     [PM_TYPE_U64] = 8,   [PM_TYPE_FLOAT] = 4,
    [PM_TYPE_DOUBLE] = 8, [PM_TYPE_EVENT] = 4, [PM_TYPE_HIGHRES_EVENT] = 4,
};

/* The bytes after the header word: the leading number is swapped, the rest is copied. */
static void swap_value(uint32_t type, const uint8_t *src, uint8_t *dst, size_t n)
{
	size_t done = 0;

	if (value_type_is_64(type)) {
		uint64_t v;

		memcpy(&v, src, sizeof(v));
		v = htobe64(v);
		memcpy(dst, &v, sizeof(v));
		done = sizeof(v);
	} else if (type == PM_TYPE_FLOAT) {
		uint32_t v;

		memcpy(&v, src, sizeof(v));
		v = htobe32(v);
		memcpy(dst, &v, sizeof(v));
		done = sizeof(v);
	}
	memmove(dst + done, src + done, n - done);
}

static bool block_valid(const uint8_t *block, uint32_t type, uint32_t vlen, enum event_order order)
{
	if (!value_block_fits(type, vlen))
		return false;
	return !value_type_is_event(type) ||
	       event_array_valid(block, vlen, type == PM_TYPE_HIGHRES_EVENT, order);
}

bool value_block_valid_wire(const uint8_t *block, uint32_t vlen)
{
	return vlen >= VALUE_BLOCK_HEADER && vlen <= VALUE_BLOCK_MAX &&
	       block_valid(block, block[0], vlen, EVENT_FROM_WIRE);
}

bool value_block_valid_host(const pmValueBlock *block)
{
	uint32_t word = value_block_word(block);

	return block_valid((const uint8_t *)block, word >> 24, word & VALUE_BLOCK_MAX,
			   EVENT_FROM_HOST);
}

void value_block_swap_to_wire(const pmValueBlock *src, uint8_t *dst)
{
	const uint8_t *bytes = (const uint8_t *)src;
	uint32_t word = value_block_word(src);
	uint32_t type = word >> 24;
	uint32_t vlen = word & VALUE_BLOCK_MAX;

	if (value_type_is_event(type))
		event_array_swap(bytes, dst, vlen, type == PM_TYPE_HIGHRES_EVENT, EVENT_FROM_HOST);
	else
		swap_value(type, bytes + VALUE_BLOCK_HEADER, dst + VALUE_BLOCK_HEADER,
			   vlen - VALUE_BLOCK_HEADER);
	store_be32(dst, word);
}

void value_block_swap_to_host(const uint8_t *src, uint32_t vlen, pmValueBlock *dst)
{
	uint8_t *bytes = (uint8_t *)dst;
	uint32_t type = src[0];
	uint32_t word = type << 24 | vlen;

	if (value_type_is_event(type))
		event_array_swap(src, bytes, vlen, type == PM_TYPE_HIGHRES_EVENT, EVENT_FROM_WIRE);
	else
		swap_value(type, src + VALUE_BLOCK_HEADER, bytes + VALUE_BLOCK_HEADER,
			   vlen - VALUE_BLOCK_HEADER);
	memcpy(bytes, &word, sizeof(word));
}

int value_block_to_wire(const pmValueBlock *src, uint8_t *dst)
{
	if (!value_block_valid_host(src))
		return PM_ERR_CONV;
	value_block_swap_to_wire(src, dst);
	return 0;
}

int value_block_to_host(const uint8_t *src, uint32_t vlen, pmValueBlock *dst)
{
	if (!value_block_valid_wire(src, vlen))
		return PM_ERR_CONV;
	value_block_swap_to_host(src, vlen, dst);
	return 0;
}

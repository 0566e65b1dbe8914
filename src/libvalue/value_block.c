/* value_block - see value_block.h. */
#include "libvalue/value_block.h"

#include "libbase/endian_be.h"
#include "libvalue/event_array.h"

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

/*
 * value_block - value blocks between host and wire order (docs/spec/pdu.md 4.5): lengths by type,
 * whether one is whole, and the swapping.
 *
 * A block's header word is a number with the type in
 * the high byte and the length below it; in host order pmValueBlock's bit fields make the same
 * word.
 */
#ifndef LIBVALUE_VALUE_BLOCK_H
#define LIBVALUE_VALUE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pcp/pmapi.h>

enum {
	VALUE_BLOCK_MAX = 0x00ffffff, /* vlen of a value block */
	VALUE_BLOCK_HEADER = 4,
	VALUE_BLOCK_64 = VALUE_BLOCK_HEADER + 8,
	VALUE_PAD_BYTE = '~',
};

/*
 * Bytes that a value of a type has at least. 32 and U32 need none: they don't belong in blocks, and
 * where a sender puts one it is copied as it is, like strings and aggregates.
 */
extern const uint8_t value_need[256];

static inline bool value_block_fits(uint32_t type, uint32_t vlen)
{
	return vlen >= (uint32_t)VALUE_BLOCK_HEADER + value_need[type];
}

/* The header word of a block in host order. */
static inline uint32_t value_block_word(const pmValueBlock *block)
{
	uint32_t word;

	memcpy(&word, block, sizeof(word));
	return word;
}

static inline bool value_type_is_event(uint32_t type)
{
	return type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT;
}

/* True for the types that are one number of 64 bits. */
static inline bool value_type_is_64(uint32_t type)
{
	return type == PM_TYPE_64 || type == PM_TYPE_U64 || type == PM_TYPE_DOUBLE;
}

/*
 * True for a header word of a block that is one number of 64 bits and nothing else. Most values in
 * blocks are: they go through loops of their own, which call nothing.
 */
static inline bool value_word_is_64(uint32_t word)
{
	return (word & VALUE_BLOCK_MAX) == VALUE_BLOCK_64 && value_type_is_64(word >> 24);
}

/* True if a block's length fits its type, and an event array in it is well formed. */
bool value_block_valid_wire(const uint8_t *block, uint32_t vlen);
bool value_block_valid_host(const pmValueBlock *block);

/*
 * Swaps the value of a block (header word and bytes) between host and wire order. dst and src may
 * be the same; vlen is the block's length. PM_ERR_CONV if the length does not fit the type or an
 * event array is malformed; dst is then undefined.
 */
int value_block_to_wire(const pmValueBlock *src, uint8_t *dst);
int value_block_to_host(const uint8_t *src, uint32_t vlen, pmValueBlock *dst);

/* The same for a block known to be valid. */
void value_block_swap_to_wire(const pmValueBlock *src, uint8_t *dst);
void value_block_swap_to_host(const uint8_t *src, uint32_t vlen, pmValueBlock *dst);

/*
 * ---- event arrays ----
 *
 * The value of an EVENT or HIGHRES_EVENT block (docs/spec/pdu.md 6).
 *
 * Swaps it between wire and host order. Every record and parameter is checked against the block's
 * length before any byte is changed, so a malformed array never gets half swapped.
 */

enum event_order {
	EVENT_FROM_WIRE,
	EVENT_FROM_HOST,
};

/* True if all records fit in the block of vlen bytes (its header word included). */
bool event_array_valid(const uint8_t *block, uint32_t vlen, bool highres, enum event_order order);

#endif

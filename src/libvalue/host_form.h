/*
 * host_form - the memory layout of a result: one block, for result_to_host and result_decode.
 *
 *     | pmHighResResult, vset[] | pmValueSet, vlist[] | … | pmValueBlock | … |
 *
 * A set has room for at least one value, as the declared struct has. A string is followed by a NUL,
 * whether its sender ended it with one or not: callers that print a value rely on it.
 */
#ifndef LIBVALUE_HOST_FORM_H
#define LIBVALUE_HOST_FORM_H

#include <stddef.h>

#include "libbase/endian_be.h"
#include "libvalue/value_block.h"

#define HOST_ALIGN _Alignof(pmHighResResult)

static inline size_t host_align(size_t n)
{
	return (n + HOST_ALIGN - 1) & ~(HOST_ALIGN - 1);
}

/* Bytes of the result itself, of a set, and of a block. */
static inline size_t host_head_len(uint32_t numpmid)
{
	return host_align(offsetof(pmHighResResult, vset) +
			  (numpmid > 0 ? numpmid : 1) * sizeof(pmValueSet *));
}

static inline size_t host_set_len(int32_t numval)
{
	return host_align(offsetof(pmValueSet, vlist) +
			  (size_t)(numval > 0 ? numval : 1) * sizeof(pmValue));
}

static inline size_t host_block_len(uint32_t type, uint32_t vlen)
{
	return pad4((size_t)vlen + (type == PM_TYPE_STRING));
}

/* Writes one block that is known to be valid; returns the bytes it took. */
static inline size_t host_block_put(pmValueBlock *block, const uint8_t *src, uint32_t vlen)
{
	uint32_t type = src[0];
	size_t len = host_block_len(type, vlen);

	if (vlen == VALUE_BLOCK_HEADER + 8 && value_type_is_64(type)) {
		uint32_t word = load_be32(src);
		uint64_t v = load_be64(src + VALUE_BLOCK_HEADER);

		memcpy(block, &word, sizeof(word));
		memcpy(block->vbuf, &v, sizeof(v));
		return VALUE_BLOCK_HEADER + 8;
	}
	value_block_swap_to_host(src, vlen, block);
	memset((uint8_t *)block + vlen, 0, len - vlen);
	return len;
}

#endif

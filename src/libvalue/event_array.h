/*
 * event_array - the value of an EVENT or HIGHRES_EVENT block (docs/spec/pdu.md 6).
 *
 * Swaps it between wire and host order. Every record and parameter is checked against the block's
 * length before any byte is changed, so a malformed array never gets half swapped.
 */
#ifndef LIBVALUE_EVENT_ARRAY_H
#define LIBVALUE_EVENT_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

enum event_order {
	EVENT_FROM_WIRE,
	EVENT_FROM_HOST,
};

/* True if all records fit in the block of vlen bytes (its header word included). */
bool event_array_valid(const uint8_t *block, uint32_t vlen, bool highres, enum event_order order);

/*
 * Swaps what follows the header word. The array must be valid; dst may be src. Bytes after the last
 * record are copied. The count of a MISSED record stays what it was.
 */
void event_array_swap(const uint8_t *src, uint8_t *dst, uint32_t vlen, bool highres,
		      enum event_order order);

#endif

/* recode - checks that a decoded PDU can be encoded, and that decoding and encoding the result
 * again gives the same bytes. */
#ifndef FUZZ_RECODE_H
#define FUZZ_RECODE_H

#include <string.h>

#include "fuzz.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"

/* Decodes, and encodes again, which must not fail. Returns 0, or the decoder's error. */
typedef int (*recode_fn)(const uint8_t *data, size_t len, struct arena *mem, struct buffer *out);

/* Limits the decoder to limit bytes of memory. Returns 0, or its error; *ret_len is the length of
 * the encoded PDU. */
static inline int recode_twice(recode_fn recode, const uint8_t *data, size_t len, size_t limit,
			       size_t *ret_len)
{
	struct buffer first = BUFFER_INIT, second = BUFFER_INIT;
	struct arena mem = ARENA_INIT, more = ARENA_INIT;
	int r;

	mem.limit = limit;
	r = recode(data, len, &mem, &first);
	if (r == 0) {
		FUZZ_REQUIRE(recode(first.data, first.len, &more, &second) == 0);
		FUZZ_REQUIRE(second.len == first.len);
		FUZZ_REQUIRE(memcmp(second.data, first.data, first.len) == 0);
		*ret_len = first.len;
	}
	buffer_done(&first);
	buffer_done(&second);
	arena_done(&mem);
	arena_done(&more);
	return r;
}

#endif

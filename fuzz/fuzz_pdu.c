/*
 * fuzz_pdu - any bytes as a PDU of any type.
 *
 * The length in the header is set to what there is: a wrong one is refused at once and teaches
 * nothing. What decodes takes no more memory than four times its length, can be encoded, and what
 * that gives decodes and encodes to itself.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libwire/pdu.h"

static void check_again(const struct buffer *first, uint32_t type, int32_t from)
{
	struct buffer second = BUFFER_INIT;
	struct arena mem = ARENA_INIT;
	union pdu_body body;

	FUZZ_REQUIRE(pdu_decode(first->data, first->len, &mem, &body) == 0);
	FUZZ_REQUIRE(pdu_encode(&second, type, from, &body) == 0);
	FUZZ_REQUIRE(second.len == first->len);
	FUZZ_REQUIRE(memcmp(second.data, first->data, first->len) == 0);
	buffer_done(&second);
	arena_done(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct buffer out = BUFFER_INIT;
	struct pdu_header header;
	union pdu_body body;
	uint8_t *pdu;
	int r;

	if (size < PDU_HEADER_LEN)
		return 0;
	pdu = malloc(size);
	FUZZ_REQUIRE(pdu != NULL);
	memcpy(pdu, data, size);
	store_be32(pdu, (uint32_t)size);
	mem.limit = 4 * size + 64;
	r = pdu_decode(pdu, size, &mem, &body);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_IPC);
	if (r == 0) {
		FUZZ_REQUIRE(pdu_header_get(pdu, &header) == 0);
		FUZZ_REQUIRE(pdu_encode(&out, header.type, header.from, &body) == 0);
		FUZZ_REQUIRE(out.len <= size);
		check_again(&out, header.type, header.from);
	}
	buffer_done(&out);
	arena_done(&mem);
	free(pdu);
	return 0;
}

/*
 * fuzz_pdu - any bytes as a PDU of any type.
 *
 * The length in the header is set to the actual length, because a wrong one is refused at once and
 * tests nothing. A PDU that can be decoded takes at most four times its length in memory, and can
 * be encoded; decoding and encoding the result again gives the same bytes.
 */
#include "libbase/endian_be.h"
#include "libwire/pdu.h"
#include "recode.h"

static int recode(const uint8_t *data, size_t len, struct arena *mem, struct buffer *out)
{
	struct pdu_header header;
	union pdu_body body;
	int r = pdu_decode(data, len, mem, &body);

	if (r < 0)
		return r;
	FUZZ_REQUIRE(pdu_header_get(data, &header) == 0);
	FUZZ_REQUIRE(pdu_encode(out, header.type, header.from, &body) == 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *pdu;
	size_t len;
	int r;

	if (size < PDU_HEADER_LEN)
		return 0;
	pdu = malloc(size);
	FUZZ_REQUIRE(pdu != NULL);
	memcpy(pdu, data, size);
	store_be32(pdu, (uint32_t)size);
	r = recode_twice(recode, pdu, size, 4 * size + 64, &len);
	FUZZ_REQUIRE(r == PM_ERR_IPC || (r == 0 && len <= size));
	free(pdu);
	return 0;
}

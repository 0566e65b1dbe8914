/*
 * fuzz_result - a result on all its ways: decoded, relayed, made a pmResult, written from it.
 *
 * The first byte chooses RESULT or HIGHRES_RESULT, the rest is what follows the header. The relay
 * and the way through the host both give the bytes that plain encoding gives. A result that can't
 * go to the host (blocks that don't fit their type) is still relayed.
 */
#include <string.h>

#include "fuzz.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libwire/result.h"

static void require_same(const struct buffer *a, const struct buffer *b)
{
	FUZZ_REQUIRE(a->len == b->len);
	FUZZ_REQUIRE(memcmp(a->data, b->data, a->len) == 0);
}

static struct result_source *new_sources(uint32_t n)
{
	struct result_source *sources = calloc(n > 0 ? n : 1, sizeof(*sources));

	FUZZ_REQUIRE(sources != NULL);
	return sources;
}

static void check_relay(enum pdu_type type, const struct pdu_result *result,
			const struct buffer *expect)
{
	struct result_source *sources = new_sources(result->numpmid);
	struct buffer out = BUFFER_INIT;

	for (uint32_t i = 0; i < result->numpmid; i++) {
		sources[i].kind = RESULT_WIRE;
		sources[i].pmid = result->vsets[i].pmid;
		sources[i].wire = &result->vsets[i];
	}
	FUZZ_REQUIRE(
	    result_encode(&out, type, 0, result->sec, result->frac, sources, result->numpmid) == 0);
	require_same(&out, expect);
	buffer_done(&out);
	free(sources);
}

static void check_host(enum pdu_type type, const struct pdu_result *result,
		       const struct buffer *expect)
{
	struct result_source *sources;
	struct buffer out = BUFFER_INIT;
	pmHighResResult *host = NULL;
	int r = result_to_host(result, type == PDU_HIGHRES_RESULT, &host);

	FUZZ_REQUIRE(r == 0 || r == PM_ERR_IPC);
	if (r < 0)
		return;
	FUZZ_REQUIRE(host->numpmid == (int)result->numpmid);
	sources = new_sources(result->numpmid);
	for (int i = 0; i < host->numpmid; i++) {
		sources[i].kind = RESULT_HOST;
		sources[i].pmid = host->vset[i]->pmid;
		sources[i].host = host->vset[i];
	}
	FUZZ_REQUIRE(result_encode(&out, type, 0, result->sec, result->frac, sources,
				   (size_t)host->numpmid) == 0);
	require_same(&out, expect);
	buffer_done(&out);
	free(sources);
	free(host);
}

/* Straight from the bytes there is a result where the two steps give one, and of the same size. */
static void check_direct(const uint8_t *pdu, size_t len, const struct pdu_result *result)
{
	bool highres = load_be32(pdu + 4) == PDU_HIGHRES_RESULT;
	pmHighResResult *direct = NULL;
	pmHighResResult *host = NULL;
	int r = result == NULL ? PM_ERR_IPC : result_to_host(result, highres, &host);

	FUZZ_REQUIRE(result_decode(pdu, len, &direct) == r);
	if (r < 0)
		return;
	FUZZ_REQUIRE(direct->numpmid == host->numpmid);
	for (int i = 0; i < host->numpmid; i++) {
		FUZZ_REQUIRE(direct->vset[i]->pmid == host->vset[i]->pmid);
		FUZZ_REQUIRE(direct->vset[i]->numval == host->vset[i]->numval);
	}
	free(direct);
	free(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct buffer out = BUFFER_INIT;
	enum pdu_type type;
	union pdu_body body;
	uint8_t *pdu;
	size_t len;

	if (size < 1)
		return 0;
	type = data[0] & 1 ? PDU_HIGHRES_RESULT : PDU_RESULT;
	len = PDU_HEADER_LEN + size - 1;
	pdu = malloc(len);
	FUZZ_REQUIRE(pdu != NULL);
	store_be32(pdu, (uint32_t)len);
	store_be32(pdu + 4, type);
	store_be32(pdu + 8, 0);
	memcpy(pdu + PDU_HEADER_LEN, data + 1, size - 1);
	if (pdu_decode(pdu, len, &mem, &body) == 0) {
		FUZZ_REQUIRE(pdu_encode(&out, type, 0, &body) == 0);
		check_relay(type, &body.result, &out);
		check_host(type, &body.result, &out);
		check_direct(pdu, len, &body.result);
	} else {
		check_direct(pdu, len, NULL);
	}
	buffer_done(&out);
	arena_done(&mem);
	free(pdu);
	return 0;
}

/*
 * fuzz_result - a result on all its paths: decoded, relayed, converted to a pmResult, written from
 * it.
 *
 * The first byte selects RESULT or HIGHRES_RESULT, the rest follows the header. The relay and the
 * conversion to host order and back both give the same bytes as plain encoding. A result that
 * cannot be converted (blocks that do not fit their type) is still relayed.
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

/* Plain encoding of a result in host order: the owner of its blocks is known. */
static void encode_as_host(enum pdu_type type, const struct pdu_result *result, struct buffer *out)
{
	struct wire_vset *vsets = calloc(result->numpmid + 1, sizeof(*vsets));
	union pdu_body body = {.result = *result};

	FUZZ_REQUIRE(vsets != NULL);
	for (uint32_t i = 0; i < result->numpmid; i++) {
		vsets[i] = result->vsets[i];
		if (vsets[i].valfmt == PM_VAL_SPTR)
			vsets[i].valfmt = PM_VAL_DPTR;
	}
	body.result.vsets = vsets;
	FUZZ_REQUIRE(pdu_encode(out, type, 0, &body) == 0);
	free(vsets);
}

static void check_host(enum pdu_type type, const struct pdu_result *result)
{
	struct result_source *sources;
	struct buffer out = BUFFER_INIT, expect = BUFFER_INIT;
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
	encode_as_host(type, result, &expect);
	require_same(&out, &expect);
	buffer_done(&out);
	buffer_done(&expect);
	free(sources);
	free(host);
}

/* A result that can be passed on unchanged is well formed, and has the bytes of plain encoding,
 * except for padding. */
static void check_pass_on(const uint8_t *pdu, size_t len, const struct pdu_result *result)
{
	const uint32_t n = len >= 24 ? load_be32(pdu + 20) : 0;
	struct buffer out = BUFFER_INIT, copy = BUFFER_INIT, expect = BUFFER_INIT;
	union pdu_body again, body;
	struct arena mem = ARENA_INIT;
	const uint8_t *p = pdu + 24;
	pmID *pmids;

	if (load_be32(pdu + 4) != PDU_RESULT || n > len / 8)
		return;
	pmids = calloc(n + 1, sizeof(*pmids));
	FUZZ_REQUIRE(pmids != NULL);
	for (uint32_t i = 0; i < n && (size_t)(pdu + len - p) >= 8; i++) {
		const uint32_t numval = load_be32(p + 4);

		pmids[i] = load_be32(p);
		p += 8;
		if ((int32_t)numval > 0 && numval < (size_t)(pdu + len - p) / 8)
			p += 4 + (size_t)numval * 8;
	}
	if (result_relay_fits(pdu, len, pmids, n)) {
		FUZZ_REQUIRE(result != NULL && result->numpmid == n);
		FUZZ_REQUIRE(result_relay_put(&out, PDU_HIGHRES_RESULT, 1, 2, pdu, len) == 0);
		FUZZ_REQUIRE(pdu_decode(out.data, out.len, &mem, &again) == 0);
		body.result = *result;
		body.result.sec = again.result.sec;
		body.result.frac = again.result.frac;
		FUZZ_REQUIRE(pdu_encode(&copy, PDU_HIGHRES_RESULT, 0, &again) == 0);
		FUZZ_REQUIRE(pdu_encode(&expect, PDU_HIGHRES_RESULT, 0, &body) == 0);
		require_same(&copy, &expect);
	}
	free(pmids);
	buffer_done(&out);
	buffer_done(&copy);
	buffer_done(&expect);
	arena_done(&mem);
}

/* The direct conversion gives a result exactly if the two steps give one, and of the same size. */
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
		check_host(type, &body.result);
		check_direct(pdu, len, &body.result);
		check_pass_on(pdu, len, &body.result);
	} else {
		check_direct(pdu, len, NULL);
		check_pass_on(pdu, len, NULL);
	}
	buffer_done(&out);
	arena_done(&mem);
	free(pdu);
	return 0;
}

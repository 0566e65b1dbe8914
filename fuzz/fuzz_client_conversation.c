/*
 * fuzz_client_conversation - any bytes as the messages of a client to a whole pmcd.
 *
 * The first byte selects whether the target makes the handshake for the client, whether it makes
 * the headers (collector_frame), or else the size of the pieces in which the rest is sent. The
 * agent of the server is well-behaved: requests to it must be well-formed, whatever the client
 * sends.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "collector.h"
#include "fuzz.h"
#include "libbase/arena.h"
#include "libwire/pdu.h"

enum {
	PIECE_MASK = 0x3f, /* bytes sent at a time; 0: all at once */
	FRAME = 0x40,
	GREET = 0x80,
	NPMID_MAX = 16384, /* the number that fits into a request */
};

static void put_creds(struct buffer *out)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, 0);
	const union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};

	FUZZ_REQUIRE(pdu_encode(out, PDU_CREDS, 1, &body) == 0);
}

/* One value for each metric. */
static void answer_fetch(const struct pdu_fetch *ask, struct buffer *out)
{
	static const struct wire_value value = {.inst = -1, .insitu = 42};
	static struct wire_vset vsets[NPMID_MAX];
	union pdu_body body = {.result = {.numpmid = ask->numpmid, .vsets = vsets}};

	FUZZ_REQUIRE(ask->numpmid <= NPMID_MAX);
	for (uint32_t i = 0; i < ask->numpmid; i++)
		vsets[i] = (struct wire_vset){
		    .pmid = ask->pmids[i], .numval = 1, .valfmt = PM_VAL_INSITU, .values = &value};
	FUZZ_REQUIRE(pdu_encode(out, PDU_RESULT, 0, &body) == 0);
}

static void answer_desc(const struct pdu_desc_req *ask, struct buffer *out)
{
	union pdu_body body = {
	    .desc = {.desc = {.pmid = ask->pmid, .indom = PM_INDOM_NULL, .sem = PM_SEM_INSTANT}}};

	FUZZ_REQUIRE(pdu_encode(out, PDU_DESC, 0, &body) == 0);
}

/* Sends the agent's reply to a PDU: none, or one answer. */
static void answer(const uint8_t *pdu, size_t len, struct buffer *out)
{
	struct arena mem = ARENA_INIT;
	struct pdu_header h;
	union pdu_body body;

	FUZZ_REQUIRE(pdu_header_get(pdu, &h) == 0 && pdu_decode(pdu, len, &mem, &body) == 0);
	switch (h.type) {
	case PDU_CREDS:
	case PDU_PROFILE:
	case PDU_ATTR:
	case PDU_ERROR:
		break;
	case PDU_FETCH:
		answer_fetch(&body.fetch, out);
		break;
	case PDU_DESC_REQ:
		answer_desc(&body.desc_req, out);
		break;
	case PDU_RESULT:
		pdu_encode_error(out, 0, 0);
		break;
	default:
		pdu_encode_error(out, 0, PM_ERR_PMID);
	}
	arena_done(&mem);
}

/* Runs server and agent until neither has anything left to send. */
static void converse(struct collector *c)
{
	struct buffer out = BUFFER_INIT;
	const uint8_t *pdu;
	size_t len;

	do {
		buffer_reset(&out);
		while ((len = collector_receive(&c->agent, &pdu)) > 0)
			answer(pdu, len, &out);
		collector_send(c, &c->agent, out.data, out.len);
		while (collector_receive(&c->client, &pdu) > 0)
			;
	} while (out.len > 0);
	buffer_done(&out);
}

static void introduce(struct collector *c, struct collector_end *end)
{
	struct buffer out = BUFFER_INIT;

	put_creds(&out);
	collector_send(c, end, out.data, out.len);
	buffer_done(&out);
}

static void send_framed(struct collector *c, const uint8_t *data, size_t size)
{
	struct buffer out = BUFFER_INIT;

	for (size_t at = 0; at < size;) {
		buffer_reset(&out);
		at += collector_frame(data + at, size - at, &out);
		collector_send(c, &c->client, out.data, out.len);
		converse(c);
	}
	buffer_done(&out);
}

static void send_pieces(struct collector *c, const uint8_t *data, size_t size, size_t piece)
{
	for (size_t at = 0; at < size; at += piece) {
		size_t left = size - at;

		collector_send(c, &c->client, data + at, left < piece ? left : piece);
		converse(c);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct collector c;

	if (size < 1)
		return 0;
	collector_start(&c);
	introduce(&c, &c.agent);
	if ((data[0] & GREET) != 0)
		introduce(&c, &c.client);
	if ((data[0] & FRAME) != 0)
		send_framed(&c, data + 1, size - 1);
	else
		send_pieces(&c, data + 1, size - 1,
			    (data[0] & PIECE_MASK) != 0 ? data[0] & PIECE_MASK : size);
	collector_stop(&c);
	return 0;
}

/*
 * fuzz_agent_conversation - any bytes as the messages of an agent to a whole pmcd.
 *
 * A well-behaved client sends every request that an agent can get, one after the other. Each is
 * answered once, whatever the agent sends, or when the agent has disconnected. The first byte
 * selects whether the target makes the handshake for the agent, and whether it makes the headers
 * (collector_frame); the rest is sent PDU by PDU, one at each request, and the remainder after the
 * last request.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "collector.h"
#include "fuzz.h"
#include "libbase/endian_be.h"
#include "libwire/pdu.h"

enum {
	FRAME = 0x40,
	GREET = 0x80,
	PIECE = 24, /* bytes sent at a time if the length is invalid */
};

#define OURS(item) ((uint32_t)COLLECTOR_DOMAIN << 22 | (item))

static const pmID pmids[] = {OURS(1), OURS(2), OURS(1)};
static const struct wire_str names[] = {{"dynamic.name", 12}, {"fixed.one", 9}, {"dynamic.x", 9}};
static const struct wire_value value = {.inst = -1, .insitu = 1};
static const struct wire_vset vset = {
    .pmid = OURS(1), .numval = 1, .valfmt = PM_VAL_INSITU, .values = &value};

/* clang-format off */
static const struct {
	enum pdu_type type;
	union pdu_body body;
} questions[] = {
	{ PDU_FETCH,         { .fetch = { .slot = 0, .numpmid = 3, .pmids = pmids } } },
	{ PDU_DESC_REQ,      { .desc_req = { .pmid = OURS(1) } } },
	{ PDU_DESC_IDS,      { .desc_ids = { .numpmid = 3, .pmids = pmids } } },
	{ PDU_INSTANCE_REQ,  { .instance_req = { .indom = OURS(1), .inst = -1 } } },
	{ PDU_TEXT_REQ,      { .text_req = { .ident = OURS(1), .type = PM_TEXT_PMID | PM_TEXT_ONELINE } } },
	{ PDU_LABEL_REQ,     { .label_req = { .ident = COLLECTOR_DOMAIN, .type = PM_LABEL_DOMAIN } } },
	{ PDU_LABEL_REQ,     { .label_req = { .ident = OURS(1), .type = PM_LABEL_INSTANCES } } },
	{ PDU_PMNS_NAMES,    { .pmns_names = { .numname = 3, .names = names } } },
	{ PDU_PMNS_IDS,      { .pmns_ids = { .numpmid = 1, .pmids = pmids + 1 } } },
	{ PDU_PMNS_CHILD,    { .pmns_child = { .subtype = 1, .name = { "dynamic", 7 } } } },
	{ PDU_PMNS_CHILD,    { .pmns_child = { .subtype = 0, .name = { "dynamic", 7 } } } },
	{ PDU_PMNS_TRAVERSE, { .pmns_child = { .name = { "", 0 } } } },
	{ PDU_PMNS_TRAVERSE, { .pmns_child = { .name = { "dynamic.name", 12 } } } },
	{ PDU_RESULT,        { .result = { .numpmid = 1, .vsets = &vset } } },
	{ PDU_HIGHRES_FETCH, { .fetch = { .slot = 0, .numpmid = 3, .pmids = pmids } } },
};
/* clang-format on */

static void say(struct collector *c, enum pdu_type type, const union pdu_body *body,
		struct collector_end *end)
{
	struct buffer out = BUFFER_INIT;

	FUZZ_REQUIRE(pdu_encode(&out, type, 1, body) == 0);
	collector_send(c, end, out.data, out.len);
	buffer_done(&out);
}

static void introduce(struct collector *c, struct collector_end *end)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, PDU_FEATURE_AUTH);
	const uint32_t plain = pdu_cred_version(PDU_VERSION, 0);
	const union pdu_body body = {
	    .creds = {.numcred = 1, .creds = end == &c->agent ? &cred : &plain}};

	say(c, PDU_CREDS, &body, end);
}

/* The number of bytes of the agent's next message. */
static size_t next_piece(const uint8_t *p, size_t left)
{
	size_t len = left >= PDU_HEADER_LEN ? load_be32(p) : PIECE;

	if (len < PDU_HEADER_LEN || len > 65536)
		len = PIECE;
	return len < left ? len : left;
}

/* Takes the received PDUs; returns the number of answers, not counting changes of state. */
static unsigned int take_answers(struct collector *c)
{
	const uint8_t *pdu;
	unsigned int n = 0;

	while (collector_receive(&c->agent, &pdu) > 0)
		;
	while (collector_receive(&c->client, &pdu) > 0)
		n += load_be32(pdu + 4) != PDU_ERROR ||
		     (int32_t)load_be32(pdu + PDU_HEADER_LEN) <= 0;
	return n;
}

/* Sends the agent's next message; returns the number of used bytes of the input.
 */
static size_t speak(struct collector *c, bool frame, const uint8_t *p, size_t left)
{
	struct buffer out = BUFFER_INIT;
	size_t len = next_piece(p, left);

	if (frame)
		len = collector_frame(p, left, &out);
	else
		buffer_put(&out, p, len);
	collector_send(c, &c->agent, out.data, out.len);
	buffer_done(&out);
	return len;
}

/* Sends all requests; returns the number of answers, including the greeting. */
static unsigned int ask_all(struct collector *c, bool frame, const uint8_t *data, size_t size)
{
	unsigned int answers = take_answers(c);
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(questions) || at < size; i++) {
		if (i < ARRAY_SIZE(questions))
			say(c, questions[i].type, &questions[i].body, &c->client);
		at += speak(c, frame, data + at, size - at);
		answers += take_answers(c);
	}
	return answers;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const union pdu_body profile;
	static struct collector c;
	unsigned int answers;

	if (size < 1)
		return 0;
	collector_start(&c);
	if ((data[0] & GREET) != 0)
		introduce(&c, &c.agent);
	introduce(&c, &c.client);
	say(&c, PDU_PROFILE, &profile, &c.client);
	answers = ask_all(&c, (data[0] & FRAME) != 0, data + 1, size - 1);
	collector_hang_up(&c.agent);
	collector_send(&c, &c.client, NULL, 0);
	answers += take_answers(&c);
	FUZZ_REQUIRE(answers == 1 + ARRAY_SIZE(questions));
	collector_stop(&c);
	return 0;
}

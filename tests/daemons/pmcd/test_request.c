/*
 * test_request - the kinds of requests and the rights that they need, the way of a request to an
 * agent and back, the window of its parts, and requests whose clients have gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/request.h"
#include "libbase/endian_be.h"
#include "rig.h"

enum {
	DOMAIN = 240,
	OWN = 2,     /* the collector's own agent */
	UNKNOWN = 9, /* not configured */
	MANY = 200,
	CROWD = REQUEST_SPARE_MAX + 10,
};

#define ID(domain, item) ((pmID)(domain) << 22 | (item))

static const unsigned int domains[] = {DOMAIN};
static struct peer agent, client;

static int setup(void **state)
{
	rig_start_ready(&agent, 1, domains);
	rig_join(&client);
	return 0;
}

static int teardown(void **state)
{
	peer_close(&client);
	peer_close(&agent);
	rig_stop();
	return 0;
}

/*
 * The table of kinds
 */

static const pmID own_ids[] = {ID(OWN, 2), ID(OWN, 4)};
static const struct wire_str own_name = {.s = "pmcd.pid", .len = 8};
static const struct wire_value one_value = {.inst = 0, .insitu = 1};
static const struct wire_vset stored[] = {{ID(OWN, 8), 1, PM_VAL_INSITU, &one_value}};

struct kind_row {
	enum pdu_type type;
	unsigned int right;
	uint32_t reply; /* 0: none */
	union pdu_body body;
};

/* clang-format off */
static const struct kind_row kinds[] = {
	{ PDU_PROFILE,       CONFIG_OP_FETCH, 0,                  { .profile = { 0, { .state = PM_PROFILE_INCLUDE } } } },
	{ PDU_FETCH,         CONFIG_OP_FETCH, PDU_RESULT,         { .fetch = { 0, 2, own_ids } } },
	{ PDU_HIGHRES_FETCH, CONFIG_OP_FETCH, PDU_HIGHRES_RESULT, { .fetch = { 0, 2, own_ids } } },
	{ PDU_DESC_REQ,      CONFIG_OP_FETCH, PDU_DESC,           { .desc_req = { ID(OWN, 2) } } },
	{ PDU_DESC_IDS,      CONFIG_OP_FETCH, PDU_DESCS,          { .desc_ids = { 2, own_ids } } },
	{ PDU_INSTANCE_REQ,  CONFIG_OP_FETCH, PDU_INSTANCE,       { .instance_req = { ID(OWN, 6), PM_IN_NULL, { 0 } } } },
	{ PDU_TEXT_REQ,      CONFIG_OP_FETCH, PDU_TEXT,           { .text_req = { ID(OWN, 2), PM_TEXT_PMID | PM_TEXT_ONELINE } } },
	{ PDU_LABEL_REQ,     CONFIG_OP_FETCH, PDU_LABEL,          { .label_req = { PM_ID_NULL, PM_LABEL_CONTEXT } } },
	{ PDU_PMNS_IDS,      CONFIG_OP_FETCH, PDU_PMNS_NAMES,     { .pmns_ids = { 0, 1, own_ids } } },
	{ PDU_PMNS_NAMES,    CONFIG_OP_FETCH, PDU_PMNS_IDS,       { .pmns_names = { 1, &own_name, NULL } } },
	{ PDU_PMNS_CHILD,    CONFIG_OP_FETCH, PDU_PMNS_NAMES,     { .pmns_child = { 0, { "pmcd", 4 } } } },
	{ PDU_PMNS_TRAVERSE, CONFIG_OP_FETCH, PDU_PMNS_NAMES,     { .pmns_child = { 0, { "pmcd", 4 } } } },
	{ PDU_RESULT,        CONFIG_OP_STORE, PDU_ERROR,          { .result = { 0, 0, 1, stored } } },
};
/* clang-format on */

static void expect_reply(const struct kind_row *row)
{
	struct peer_pdu pdu;

	if (row->reply == 0) {
		assert_true(peer_is_quiet(&client));
		return;
	}
	peer_expect(&client, row->reply, &pdu);
	if (row->reply == PDU_ERROR)
		assert_int_equal(pdu.code, 0);
}

/* Each kind is served with its right alone, and not without it. */
static void rights(void **state)
{
	struct client *c = rig_newest_client();

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind_row *row = &kinds[i];

		print_message("%s\n", pdu_name(row->type));
		c->denied = CONFIG_OP_ALL & ~row->right;
		peer_send(&client, row->type, 0, &row->body);
		expect_reply(row);
		c->denied = row->right;
		peer_send(&client, row->type, 0, &row->body);
		peer_expect_error(&client, PM_ERR_PERMISSION);
	}
}

static void put_header(uint8_t *at, uint32_t len, uint32_t type)
{
	store_be32(at, len);
	store_be32(at + 4, type);
	store_be32(at + 8, 0);
}

static void expect_served(void)
{
	struct peer_pdu pdu;

	peer_send_desc_req(&client, ID(OWN, 2));
	peer_expect(&client, PDU_DESC, &pdu);
	assert_int_equal(pdu.body.desc.desc.pmid, ID(OWN, 2));
}

/* Types that clients must not send are answered with an error, and the connection lasts. */
static void other_types(void **state)
{
	static const uint32_t types[] = {PDU_ERROR, PDU_DESC, PDU_TEXT,        PDU_LABEL,
					 PDU_ATTR,  0x7fff,   PDU_LOG_CONTROL, PDU_HIGHRES_RESULT};
	uint8_t pdu[16] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		put_header(pdu, sizeof(pdu), types[i]);
		peer_send_bytes(&client, pdu, sizeof(pdu));
		peer_expect_error(&client, PM_ERR_IPC);
	}
	expect_served();
}

/* A body with bytes missing, or left over. */
static void malformed(void **state)
{
	uint8_t pdu[24] = {0};

	for (uint32_t len = PDU_HEADER_LEN; len <= sizeof(pdu); len += 4) {
		if (len == PDU_HEADER_LEN + 4)
			continue; /* a good one */
		put_header(pdu, len, PDU_DESC_REQ);
		peer_send_bytes(&client, pdu, len);
		peer_expect_error(&client, PM_ERR_IPC);
	}
	expect_served();
}

/*
 * The way to an agent
 */

struct route_row {
	enum pdu_type type;
	union pdu_body body;
	int error;
};

/* clang-format off */
static const struct route_row routes[] = {
	{ PDU_DESC_REQ,     { .desc_req = { ID(UNKNOWN, 2) } }, PM_ERR_PMID },
	{ PDU_INSTANCE_REQ, { .instance_req = { ID(UNKNOWN, 6), PM_IN_NULL, { 0 } } }, PM_ERR_INDOM },
	{ PDU_TEXT_REQ,     { .text_req = { ID(UNKNOWN, 2), PM_TEXT_PMID | PM_TEXT_ONELINE } }, PM_ERR_PMID },
	{ PDU_TEXT_REQ,     { .text_req = { ID(OWN, 2), PM_TEXT_ONELINE } }, PM_ERR_PMID },
	{ PDU_LABEL_REQ,    { .label_req = { UNKNOWN, PM_LABEL_DOMAIN } }, PM_ERR_NOAGENT },
	{ PDU_LABEL_REQ,    { .label_req = { ID(UNKNOWN, 6), PM_LABEL_INDOM } }, PM_ERR_INDOM },
	{ PDU_LABEL_REQ,    { .label_req = { ID(UNKNOWN, 6), PM_LABEL_INSTANCES } }, PM_ERR_INDOM },
	{ PDU_LABEL_REQ,    { .label_req = { ID(UNKNOWN, 0), PM_LABEL_CLUSTER } }, PM_ERR_PMID },
	{ PDU_LABEL_REQ,    { .label_req = { ID(UNKNOWN, 0), PM_LABEL_ITEM } }, PM_ERR_PMID },
	{ PDU_LABEL_REQ,    { .label_req = { ID(UNKNOWN, 0), 0x4000 } }, PM_ERR_TYPE },
};
/* clang-format on */

static void unknown_domain(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		print_message("row %zu\n", i);
		peer_send(&client, routes[i].type, 0, &routes[i].body);
		peer_expect_error(&client, routes[i].error);
	}
}

/* The agent gets the client's question with its index, and the client the answer without. */
static void passed_on(void **state)
{
	union pdu_body answer = {.desc = {.desc = {.pmid = ID(DOMAIN, 5), .type = PM_TYPE_U64}}};
	struct peer other;
	struct peer_pdu pdu;

	rig_join(&other);
	peer_send_desc_req(&other, ID(DOMAIN, 5));
	peer_expect(&agent, PDU_DESC_REQ, &pdu);
	assert_int_equal(pdu.from, rig_newest_client()->index);
	assert_int_equal(pdu.from, 1);
	assert_int_equal(pdu.body.desc_req.pmid, ID(DOMAIN, 5));
	peer_send(&agent, PDU_DESC, 99, &answer);
	peer_expect(&other, PDU_DESC, &pdu);
	assert_int_equal(pdu.from, 0);
	assert_int_equal(pdu.body.desc.desc.type, PM_TYPE_U64);
	assert_true(peer_is_quiet(&client));
	peer_close(&other);
}

static void refused(void **state)
{
	rig_agent(&agent)->fenced = true;
	peer_send_desc_req(&client, ID(DOMAIN, 5));
	peer_expect_error(&client, PM_ERR_PMDAFENCED);
	assert_true(peer_is_quiet(&agent));
}

/*
 * Many parts
 */

static void ask_many(void)
{
	pmID pmids[MANY];
	union pdu_body body = {.desc_ids = {MANY, pmids}};

	for (uint32_t i = 0; i < MANY; i++)
		pmids[i] = ID(DOMAIN, i);
	peer_send(&client, PDU_DESC_IDS, 0, &body);
}

/* Receives a question and answers it; every tenth with an error. */
static void answer_desc(void)
{
	union pdu_body answer = {.desc = {.desc = {.type = PM_TYPE_U32}}};
	struct peer_pdu pdu;

	peer_expect(&agent, PDU_DESC_REQ, &pdu);
	answer.desc.desc.pmid = pdu.body.desc_req.pmid;
	if (answer.desc.desc.pmid % 10 == 9)
		peer_send_error(&agent, PM_ERR_PMID);
	else
		peer_send(&agent, PDU_DESC, 0, &answer);
}

/* At most a window of parts is out at a time; the reply has them in order. */
static void window(void **state)
{
	struct peer_pdu pdu;

	ask_many();
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(peer_count(&agent),
				 MANY - i < REQUEST_WINDOW ? MANY - i : REQUEST_WINDOW);
		assert_true(peer_is_quiet(&client));
		answer_desc();
	}
	peer_expect(&client, PDU_DESCS, &pdu);
	assert_int_equal(pdu.body.descs.numdesc, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(pdu.body.descs.descs[i].pmid,
				 i % 10 == 9 ? PM_ID_NULL : ID(DOMAIN, i));
}

/* When the client has gone its other parts are not asked. */
static void window_of_client_gone(void **state)
{
	ask_many();
	assert_int_equal(peer_count(&agent), REQUEST_WINDOW);
	peer_close(&client);
	for (uint32_t i = 0; i < REQUEST_WINDOW; i++)
		answer_desc();
	peer_expect_error(&agent, PM_ERR_NOTCONN);
	assert_true(peer_is_quiet(&agent));
	assert_int_equal(rig_agent(&agent)->ncall, 0);
}

/*
 * Clients that go, and memory for the next request
 */

static void client_gone(void **state)
{
	struct peer_pdu pdu;
	unsigned int spare;

	peer_send_desc_req(&client, ID(DOMAIN, 0));
	spare = rig_server.requests.nspare;
	peer_close(&client);
	rig_turn();
	assert_int_equal(rig_server.clients.count, 0);
	assert_int_equal(rig_server.requests.nspare, spare);
	answer_desc();
	assert_int_equal(rig_server.requests.nspare, spare + 1);
	assert_int_equal(rig_agent(&agent)->state, AGENT_READY);
	peer_expect(&agent, PDU_ERROR, &pdu);
	rig_join(&client);
	expect_served();
}

/* Of many requests that end, so many are kept for the next ones. */
static void spares(void **state)
{
	static struct peer crowd[CROWD];
	pmID pmids[MANY];
	union pdu_body body = {.desc_ids = {MANY, pmids}};

	for (uint32_t i = 0; i < MANY; i++)
		pmids[i] = ID(DOMAIN, i);
	for (int i = 0; i < CROWD; i++) {
		rig_join(&crowd[i]);
		rig_newest_client()->agent_ns = 0; /* expected to be light */
		if (i % 2 == 0)
			peer_send_desc_req(&crowd[i], ID(DOMAIN, 1));
		else
			peer_send(&crowd[i], PDU_DESC_IDS, 0, &body);
	}
	assert_true(rig_server.requests.nspare <= 1);
	while (peer_count(&agent) > 0)
		answer_desc();
	assert_int_equal(rig_server.requests.nspare, REQUEST_SPARE_MAX);
	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(peer_count(&crowd[i]), 1);
		peer_close(&crowd[i]);
	}
}

#define IN_RIG(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_RIG(rights),      IN_RIG(other_types),
	    IN_RIG(malformed),   IN_RIG(unknown_domain),
	    IN_RIG(passed_on),   IN_RIG(refused),
	    IN_RIG(window),      IN_RIG(window_of_client_gone),
	    IN_RIG(client_gone), IN_RIG(spares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

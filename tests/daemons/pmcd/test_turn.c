/*
 * test_turn - how clients are served in turns: the order of requests, the size of a turn, heavy and
 * light requests, clients that do not read or do not finish, and the end of a client.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/options.h"
#include "daemons/pmcd/request.h"
#include "libbase/endian_be.h"
#include "rig.h"

enum {
	DOMAIN = 240,
	OWN = 2, /* the collector's own agent */
	MANY = 40,
	LIGHTS = 3,
	MSEC_NS = 1000000,
};

#define ID(domain, item) ((pmID)(domain) << 22 | (item))

static const unsigned int domains[] = {DOMAIN};
static const pmID metric[] = {ID(DOMAIN, 0)};
static struct peer agent, client, other;

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

/* The requests of the newest client are expected to be light from now on. */
static void make_light(void)
{
	struct client *c = rig_newest_client();

	c->agent_ns = c->cost_ns = 0;
}

static void put_desc_req(struct buffer *out, pmID pmid)
{
	union pdu_body body = {.desc_req = {pmid}};

	assert_int_equal(pdu_encode(out, PDU_DESC_REQ, 0, &body), 0);
}

/* Sends n requests that the collector answers itself, in one write, without a turn. */
static void send_own(struct peer *p, unsigned int n)
{
	struct buffer out = BUFFER_INIT;

	for (unsigned int i = 0; i < n; i++)
		put_desc_req(&out, ID(OWN, 2));
	peer_send_bytes(p, out.data, out.len);
	buffer_done(&out);
}

/*
 * Order
 */

/* One request of a client is served at a time: a quick one does not overtake a slow one. */
static void in_order(void **state)
{
	struct buffer out = BUFFER_INIT;
	struct peer_pdu pdu;

	put_desc_req(&out, ID(DOMAIN, 0));
	put_desc_req(&out, ID(OWN, 2));
	put_desc_req(&out, ID(DOMAIN, 1));
	peer_send_bytes(&client, out.data, out.len);
	buffer_done(&out);
	assert_int_equal(peer_count(&agent), 1);
	assert_true(peer_is_quiet(&client));
	peer_skip(&agent, 1);
	peer_send_error(&agent, PM_ERR_INST);
	peer_expect_error(&client, PM_ERR_INST);
	peer_expect(&client, PDU_DESC, &pdu);
	assert_int_equal(peer_count(&agent), 1);
	peer_send_error(&agent, PM_ERR_PMID);
	peer_expect_error(&client, PM_ERR_PMID);
}

/* A client that sends many requests at once has a part of them served, then others have a turn. */
static void turn_has_an_end(void **state)
{
	make_light();
	send_own(&client, MANY);
	rig_turn_once();
	assert_int_equal(peer_count_now(&client), CLIENT_TURN_PDUS);
	assert_int_equal(peer_count(&client), MANY);
}

/* A turn ends by its time too; another client that came meanwhile is served before the rest. */
static void turn_has_a_time(void **state)
{
	rig_join(&other);
	make_light();
	rig_server.clients.all[0]->agent_ns = 0;
	rig_clock.step_ns = CLIENT_TURN_NS / 4;
	send_own(&client, MANY);
	send_own(&other, 1);
	rig_turn_once();
	assert_in_range(peer_count_now(&client), 3, 5);
	rig_turn_once();
	assert_int_equal(peer_count_now(&other), 1);
	assert_in_range(peer_count_now(&client), 3, 16);
	rig_clock.step_ns = 0;
	assert_int_equal(peer_count(&client), MANY);
	peer_close(&other);
}

static unsigned int served_of(struct peer *lights)
{
	unsigned int n = 0;

	for (int i = 0; i < LIGHTS; i++)
		n += peer_count_now(&lights[i]);
	return n;
}

/* Heavy requests that the collector answers itself: one in each turn of the loop, and the light
 * ones of other clients before it. */
static void light_before_heavy(void **state)
{
	struct client *heavy = rig_newest_client();
	struct peer lights[LIGHTS];

	for (int i = 0; i < LIGHTS; i++) {
		rig_join(&lights[i]);
		make_light();
	}
	heavy->cost_ns = 100 * MSEC_NS;
	rig_clock.step_ns = LOOP_TURN_NS / 2; /* two light requests fill a turn */
	send_own(&client, 5);
	rig_turn_once();
	assert_int_equal(peer_count_now(&client), 1);
	for (int i = 0; i < LIGHTS; i++)
		send_own(&lights[i], 1);
	rig_turn_once(); /* receives the light ones after the deferred work of this turn */
	assert_int_equal(peer_count_now(&client), 2);
	assert_int_equal(served_of(lights), 0);
	rig_turn_once();
	assert_int_equal(peer_count_now(&client), 3);
	assert_int_equal(served_of(lights), 2);
	rig_turn_once();
	assert_int_equal(peer_count_now(&client), 4);
	assert_int_equal(served_of(lights), 3);
	for (int i = 0; i < LIGHTS; i++)
		peer_close(&lights[i]);
	assert_int_equal(peer_count(&client), 5);
}

/*
 * Agents that are busy
 */

/* The next PDU of the agent, but for profiles. */
static void expect_fetch(void)
{
	struct peer_pdu pdu;

	do
		peer_receive(&agent, &pdu);
	while (pdu.type == PDU_PROFILE);
	assert_int_equal(pdu.type, PDU_FETCH);
}

static void answer_fetch(uint32_t value)
{
	rig_give(&agent, &(struct pdu_fetch){.numpmid = 1, .pmids = metric}, value, 0);
}

/* An agent gets one heavy request at a time; a light one does not wait for it to be answered. */
static void heavy_is_held(void **state)
{
	struct peer third;
	struct peer_pdu pdu;

	rig_join(&other);
	rig_join(&third);
	make_light();
	peer_send_fetch(&client, metric, 1); /* new clients are expected to be heavy */
	expect_fetch();
	peer_send_fetch(&other, metric, 1);
	assert_true(peer_is_quiet(&agent));
	peer_send_fetch(&third, metric, 1);
	expect_fetch();
	assert_true(peer_is_quiet(&agent));
	answer_fetch(1);
	peer_expect(&client, PDU_RESULT, &pdu);
	expect_fetch(); /* the held one */
	answer_fetch(2);
	peer_expect(&third, PDU_RESULT, &pdu);
	answer_fetch(3);
	peer_expect(&other, PDU_RESULT, &pdu);
	peer_close(&third);
	peer_close(&other);
}

/* One that is held goes on when the agent has ended, or when the answer is late; and it may leave.
 */
static void held_goes_on(void **state)
{
	struct peer third;
	struct peer_pdu pdu;

	rig_join(&other);
	rig_join(&third);
	peer_send_fetch(&client, metric, 1);
	peer_send_fetch(&third, metric, 1);
	peer_send_fetch(&other, metric, 1);
	assert_false(heap_empty(&rig_agent(&agent)->held));
	peer_close(&third);
	rig_turn();
	assert_true(peer_is_quiet(&other));
	rig_pass(RIG_TIMEOUT_MS);
	peer_expect(&client, PDU_RESULT, &pdu);
	assert_int_equal(pdu.body.result.vsets[0].numval, PM_ERR_TIMEOUT);
	peer_expect(&other, PDU_RESULT, &pdu);
	assert_int_equal(pdu.body.result.vsets[0].numval, PM_ERR_AGAIN);
	assert_true(heap_empty(&rig_agent(&agent)->held));
	peer_close(&other);
}

/* One that is held closes its connection. */
static void held_leaves(void **state)
{
	rig_join(&other);
	peer_send_fetch(&client, metric, 1);
	peer_send_fetch(&other, metric, 1);
	assert_false(heap_empty(&rig_agent(&agent)->held));
	peer_close(&other);
	rig_turn();
	assert_true(heap_empty(&rig_agent(&agent)->held));
}

/* The time that an agent takes for its answers while the loop is idle makes a client heavy or
 * light. */
static void agent_time_is_learned(void **state)
{
	struct client *c = rig_newest_client();
	struct peer_pdu pdu;

	peer_send_fetch(&client, metric, 1);
	assert_true(c->heavy);
	rig_serve_fetch(&agent, 1);
	peer_expect(&client, PDU_RESULT, &pdu);
	peer_send_fetch(&client, metric, 1);
	assert_false(c->heavy);
	rig_clock.idle_ns += 10 * MSEC_NS;
	rig_serve_fetch(&agent, 1);
	peer_expect(&client, PDU_RESULT, &pdu);
	peer_send_fetch(&client, metric, 1);
	assert_true(c->heavy);
	rig_serve_fetch(&agent, 1);
	peer_expect(&client, PDU_RESULT, &pdu);
}

/*
 * Clients that are slow
 */

/* One that does not introduce itself. */
static void no_introduction(void **state)
{
	rig_connect(&other);
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	assert_false(peer_is_closed(&other));
	rig_pass(LOOP_TICK_MS);
	assert_true(peer_is_closed(&other));
	assert_true(peer_is_quiet(&client)); /* it may be silent */
	peer_close(&other);
}

/* The rest of a PDU has to come in time after its first byte. */
static void part_of_pdu(void **state)
{
	static const uint8_t first[5] = {0};
	struct buffer out = BUFFER_INIT;
	struct peer_pdu pdu;

	put_desc_req(&out, ID(OWN, 2));
	peer_send_bytes(&client, out.data, 5);
	rig_turn();
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	peer_send_bytes(&client, out.data + 5, out.len - 5);
	peer_expect(&client, PDU_DESC, &pdu);
	rig_pass(2 * RIG_TIMEOUT_MS);
	peer_send_bytes(&client, first, sizeof(first));
	rig_turn();
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	assert_false(peer_is_closed(&client));
	rig_pass(LOOP_TICK_MS);
	assert_true(peer_is_closed(&client));
	buffer_done(&out);
}

/* The rest comes together with the first half of the next PDU, whose clock begins then. */
static void part_of_next_pdu(void **state)
{
	struct buffer out = BUFFER_INIT;
	struct peer_pdu pdu;

	put_desc_req(&out, ID(OWN, 2));
	put_desc_req(&out, ID(OWN, 2));
	peer_send_bytes(&client, out.data, 5);
	rig_turn();
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	peer_send_bytes(&client, out.data + 5, out.len - 10);
	peer_expect(&client, PDU_DESC, &pdu);
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	peer_send_bytes(&client, out.data + out.len - 5, 5);
	peer_expect(&client, PDU_DESC, &pdu);
	buffer_done(&out);
}

/* The clock of half a PDU does not run while the client waits for an answer. */
static void part_of_pdu_waits(void **state)
{
	static const uint8_t first[5] = {0};

	peer_send_desc_req(&client, ID(DOMAIN, 0));
	peer_send_bytes(&client, first, sizeof(first));
	rig_turn();
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	peer_skip(&agent, 1);
	peer_send_error(&agent, PM_ERR_PMID);
	peer_expect_error(&client, PM_ERR_PMID);
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	assert_false(peer_is_closed(&client));
	rig_pass(LOOP_TICK_MS);
	assert_true(peer_is_closed(&client));
}

/* Asks for all names below "pmcd" n times. The replies are large. */
static void send_walks(unsigned int n)
{
	union pdu_body body = {.pmns_child = {.name = {"pmcd", 4}}};
	struct buffer out = BUFFER_INIT;

	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(pdu_encode(&out, PDU_PMNS_TRAVERSE, 0, &body), 0);
	peer_send_bytes(&client, out.data, out.len);
	buffer_done(&out);
	for (int i = 0; i < MANY; i++)
		rig_turn();
}

/* One that does not take its replies is served no more, and cut off in the end. */
static void reads_nothing(void **state)
{
	struct client *c = rig_newest_client();
	uint64_t served = rig_server.counts.requests;

	send_walks(1000);
	served = rig_server.counts.requests - served;
	assert_in_range(served, 1, 500);
	assert_true(buffer_pending(&c->out) > 0);
	assert_true(buffer_pending(&c->out) < 2 * CLIENT_BACKLOG_PAUSE);
	rig_pass(CLIENT_STALL_MS - LOOP_TICK_MS);
	assert_int_equal(rig_server.clients.count, 1);
	rig_pass(LOOP_TICK_MS);
	assert_int_equal(rig_server.clients.count, 0);
}

/* The same, but it reads before it is cut off: it gets all replies. */
static void reads_late(void **state)
{
	send_walks(1000);
	rig_pass(CLIENT_STALL_MS / 2);
	for (int i = 0; i < 1000 && peer_count(&client) < 1000; i++)
		;
	assert_int_equal(peer_count(&client), 1000);
	assert_false(client.closed);
}

/*
 * The end
 */

/* It closes its direction: what it asked before is answered, then the connection is closed. */
static void half_closed(void **state)
{
	struct buffer out = BUFFER_INIT;
	struct peer_pdu pdu;

	put_desc_req(&out, ID(DOMAIN, 0));
	put_desc_req(&out, ID(OWN, 2));
	peer_send_bytes(&client, out.data, out.len);
	buffer_done(&out);
	shutdown(client.fd, SHUT_WR);
	assert_true(peer_is_quiet(&client));
	peer_skip(&agent, 1);
	peer_send_error(&agent, PM_ERR_INST);
	peer_expect_error(&client, PM_ERR_INST);
	peer_expect(&client, PDU_DESC, &pdu);
	assert_true(peer_is_closed(&client));
}

/* A PDU over the ceiling, or with an impossible length. */
static void bad_header(void **state)
{
	const uint32_t lengths[] = {(uint32_t)rig_server.options->pdu_ceiling + 1, 11, 0,
				    0x80000000};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		uint8_t header[PDU_HEADER_LEN] = {0};

		rig_join(&other);
		store_be32(header, lengths[i]);
		store_be32(header + 4, PDU_FETCH);
		peer_send_bytes(&other, header, sizeof(header));
		assert_true(peer_is_closed(&other));
		peer_close(&other);
	}
	assert_true(peer_is_quiet(&client));
}

/* A request before the introduction: closed without a reply. */
static void request_first(void **state)
{
	rig_connect(&other);
	peer_send_desc_req(&other, ID(OWN, 2));
	assert_true(peer_is_closed(&other));
	assert_int_equal(peer_count_now(&other), 0);
	peer_close(&other);
}

#define IN_RIG(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_RIG(in_order),
	    IN_RIG(turn_has_an_end),
	    IN_RIG(turn_has_a_time),
	    IN_RIG(light_before_heavy),
	    IN_RIG(heavy_is_held),
	    IN_RIG(held_goes_on),
	    IN_RIG(agent_time_is_learned),
	    IN_RIG(held_leaves),
	    IN_RIG(no_introduction),
	    IN_RIG(part_of_pdu),
	    IN_RIG(part_of_next_pdu),
	    IN_RIG(part_of_pdu_waits),
	    IN_RIG(reads_nothing),
	    IN_RIG(reads_late),
	    IN_RIG(half_closed),
	    IN_RIG(bad_header),
	    IN_RIG(request_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_agent - an agent that is a process: its states, its deadlines, its end and its new start,
 * and the notices of clients that it gets. The test is the process, at a Unix socket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/options.h"
#include "rig.h"

enum { DOMAIN = 240 };

static const unsigned int domains[] = {DOMAIN};
static const pmID metric[] = {(pmID)DOMAIN << 22};
static struct peer agent, client;

static struct agent *it(void)
{
	return rig_agent(&agent);
}

static int setup_ready(void **state)
{
	rig_start_ready(&agent, 1, domains);
	rig_join(&client);
	return 0;
}

static int setup_starting(void **state)
{
	rig_start(&agent, 1, domains, false);
	rig_accept(&agent);
	rig_join(&client);
	return 0;
}

static int setup_late(void **state)
{
	rig_start(&agent, 1, domains, true);
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

/* The client fetches the metric and gets one set: a value (error 0), or an error. */
static void expect_set(int error, uint32_t value)
{
	const struct wire_vset *set;
	struct peer_pdu pdu;

	do
		peer_receive(&client, &pdu);
	while (pdu.type == PDU_ERROR && pdu.code > 0); /* changes of state */
	assert_int_equal(pdu.type, PDU_RESULT);
	assert_int_equal(pdu.body.result.numpmid, 1);
	set = &pdu.body.result.vsets[0];
	assert_int_equal(set->pmid, metric[0]);
	if (error < 0) {
		assert_int_equal(set->numval, error);
		return;
	}
	assert_int_equal(set->numval, 1);
	assert_int_equal(set->values[0].insitu, value);
}

/* The fetch is refused without a question to the agent. */
static void expect_refusal(int error)
{
	peer_send_fetch(&client, metric, 1);
	expect_set(error, 0);
}

/* The whole way works. */
static void expect_served(uint32_t value)
{
	peer_send_fetch(&client, metric, 1);
	rig_serve_fetch(&agent, value);
	expect_set(0, value);
}

/*
 * The start
 */

static void handshake(void **state)
{
	assert_int_equal(it()->state, AGENT_STARTING);
	expect_refusal(PM_ERR_AGAIN);
	rig_hello(&agent, 0);
	assert_int_equal(it()->record.starts, 1);
	expect_served(7);
}

static void handshake_is_late(void **state)
{
	rig_pass(RIG_CREDS_MS - LOOP_TICK_MS);
	assert_int_equal(it()->state, AGENT_STARTING);
	rig_pass(LOOP_TICK_MS);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_NOSTART);
	assert_true(peer_is_closed(&agent));
	expect_refusal(PM_ERR_NOAGENT);
}

static void handshake_is_wrong(void **state)
{
	peer_send_error(&agent, 0);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_PROTOCOL);
}

/* The server of the socket is not there yet, or closes the connection at once: the collector tries
 * again until the time for the handshake is over. */
static void connects_again(void **state)
{
	rig_pass(1000);
	assert_int_equal(it()->state, AGENT_STARTING);
	rig_listen(&agent);
	rig_pass(LOOP_TICK_MS);
	rig_accept(&agent);
	close(agent.fd);
	rig_turn();
	assert_int_equal(it()->state, AGENT_STARTING);
	rig_pass(LOOP_TICK_MS);
	rig_accept(&agent);
	rig_hello(&agent, 0);
	expect_served(7);
}

static void connects_in_vain(void **state)
{
	rig_pass(RIG_CREDS_MS);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_NOSTART);
}

/*
 * Deadlines
 */

/* The client gets an error in time; the late answer is dropped, and until it has come nothing is
 * asked. */
static void answer_is_late(void **state)
{
	struct peer_pdu pdu, ask;

	peer_send_fetch(&client, metric, 1);
	peer_expect(&agent, PDU_PROFILE, &pdu);
	peer_expect(&agent, PDU_FETCH, &ask);
	rig_pass(RIG_TIMEOUT_MS - LOOP_TICK_MS);
	assert_true(peer_is_quiet(&client));
	rig_pass(LOOP_TICK_MS);
	expect_set(PM_ERR_TIMEOUT, 0);
	assert_int_equal(it()->record.timeouts, 1);
	assert_int_equal(it()->nlate, 1);
	expect_refusal(PM_ERR_AGAIN);
	assert_true(peer_is_quiet(&agent));
	rig_give(&agent, &(struct pdu_fetch){.numpmid = 1, .pmids = metric}, 100, 0);
	assert_true(peer_is_quiet(&client));
	assert_int_equal(it()->state, AGENT_READY);
	expect_served(7);
}

/* A pause of the collector itself does not make an agent late. */
static void pause_is_not_late(void **state)
{
	struct loop *l = &rig_server.loop;

	peer_send_fetch(&client, metric, 1);
	rig_pass(RIG_TIMEOUT_MS / 2);
	rig_clock.mono_ns += (uint64_t)3600 * 1000000000;
	l->ops->tick(l->arg, loop_run_ms(l));
	rig_serve_fetch(&agent, 7);
	expect_set(0, 7);
}

/* One that owes an answer and says nothing at all is ended. */
static void silence(void **state)
{
	expect_served(6);
	rig_pass(2 * RIG_SILENCE_MS); /* it owes nothing: this time does not count */
	peer_send_fetch(&client, metric, 1);
	rig_pass(RIG_SILENCE_MS - LOOP_TICK_MS);
	expect_set(PM_ERR_TIMEOUT, 0);
	assert_int_equal(it()->state, AGENT_READY);
	rig_pass(LOOP_TICK_MS);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_PROTOCOL);
	assert_true(peer_is_closed(&agent));
}

/* One that owes nothing may be silent. */
static void silence_without_debt(void **state)
{
	expect_served(6);
	rig_pass(2 * RIG_SILENCE_MS);
	expect_served(7);
}

/*
 * Readiness
 */

static void not_ready(void **state)
{
	struct peer_pdu pdu;

	peer_send_fetch(&client, metric, 1);
	peer_expect(&agent, PDU_PROFILE, &pdu);
	peer_expect(&agent, PDU_FETCH, &pdu);
	peer_send_error(&agent, PM_ERR_PMDANOTREADY);
	expect_set(PM_ERR_AGAIN, 0);
	assert_int_equal(it()->state, AGENT_NOTREADY);
	expect_refusal(PM_ERR_AGAIN);
	assert_true(peer_is_quiet(&agent));
	peer_send_error(&agent, PM_ERR_PMDAREADY);
	assert_int_equal(it()->state, AGENT_READY);
	expect_served(7);
}

static void fence(void **state)
{
	it()->fenced = true;
	expect_refusal(PM_ERR_PMDAFENCED);
	assert_true(peer_is_quiet(&agent));
	it()->fenced = false;
	expect_served(7);
}

/*
 * The end
 */

/* Each question that is out is answered, and clients learn that the agent has gone. */
static void end_with_questions(void **state)
{
	struct peer other;
	struct peer_pdu pdu;

	rig_join(&other);
	peer_send_desc_req(&other,
			   metric[0]); /* from now on its requests are expected to be light */
	peer_expect(&agent, PDU_DESC_REQ, &pdu);
	peer_send_error(&agent, PM_ERR_PMID);
	peer_expect_error(&other, PM_ERR_PMID);
	peer_send_fetch(&client, metric, 1);
	peer_send_desc_req(&other, metric[0]);
	peer_expect(&agent, PDU_PROFILE, &pdu);
	peer_expect(&agent, PDU_FETCH, &pdu);
	peer_expect(&agent, PDU_DESC_REQ, &pdu);
	assert_int_equal(it()->ncall, 2);
	close(agent.fd);
	agent.fd = -1;
	peer_expect_error(&client, PMCD_DROP_AGENT);
	expect_set(PM_ERR_IPC, 0);
	peer_expect_error(&other, PM_ERR_IPC);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_EXITED);
	assert_int_equal(it()->ncall, 0);
	expect_refusal(PM_ERR_NOAGENT);
	peer_close(&other);
}

static void unasked_answer(void **state)
{
	peer_send_error(&agent, PM_ERR_PMID);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_PROTOCOL);
}

/* An answer of another type than the question wants ends the agent; the client gets an error. */
static void answer_of_other_type(void **state)
{
	union pdu_body text = {.text = {.text = {"x", 1}}};
	struct peer_pdu pdu;

	peer_send_desc_req(&client, metric[0]);
	peer_expect(&agent, PDU_DESC_REQ, &pdu);
	peer_send(&agent, PDU_TEXT, 0, &text);
	peer_expect_error(&client, PM_ERR_IPC);
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_PROTOCOL);
}

static void bytes_without_sense(void **state)
{
	static const char junk[64] = {0};

	peer_send_bytes(&agent, junk, sizeof(junk));
	rig_turn();
	assert_int_equal(it()->state, AGENT_DOWN);
	assert_int_equal(it()->status & 0xff, AGENT_END_PROTOCOL);
}

static void end_of_agent(void)
{
	close(agent.fd);
	agent.fd = -1;
	rig_turn();
	assert_int_equal(it()->state, AGENT_DOWN);
}

/* The first end is followed by a new start at once; after that there is a pause. */
static void new_start(void **state)
{
	((struct options *)rig_server.options)->restart_agents = true;
	end_of_agent();
	rig_pass(LOOP_TICK_MS);
	rig_accept(&agent);
	rig_hello(&agent, 0);
	expect_served(7);
	end_of_agent();
	rig_pass(59000);
	assert_int_equal(it()->state, AGENT_DOWN);
	rig_pass(1000);
	rig_accept(&agent);
	rig_hello(&agent, 0);
	expect_served(8);
	assert_int_equal(it()->record.starts, 3);
	assert_int_equal(it()->record.ends, 2);
}

/*
 * Notices of clients
 */

static void notice_of_end(void **state)
{
	struct peer_pdu pdu;

	expect_served(7);
	peer_close(&client);
	peer_expect(&agent, PDU_ERROR, &pdu);
	assert_int_equal(pdu.code, PM_ERR_NOTCONN);
	assert_int_equal(pdu.from, 0);
}

/* A client that never asked it is of no interest. */
static void no_notice_of_stranger(void **state)
{
	peer_close(&client);
	assert_true(peer_is_quiet(&agent));
}

static void attributes(void **state)
{
	struct peer_pdu pdu;
	unsigned int n = 0;

	rig_hello(&agent, PDU_FEATURE_AUTH);
	while (peer_count(&agent) > 0) {
		peer_expect(&agent, PDU_ATTR, &pdu);
		assert_int_equal(pdu.from, 0);
		if (n++ == 0)
			assert_int_equal(pdu.body.attr.key, PDU_ATTR_USERID);
	}
	assert_int_equal(n, 3); /* user, group, process */
}

/* It does not read: notices of clients are kept as states, and each is sent once. */
static void notices_are_kept(void **state)
{
	char filler[60000];
	union pdu_body body = {.pmns_child = {0, {filler, sizeof(filler)}}};
	unsigned int ends = 0, attributes_sent = 0;
	struct peer_pdu pdu;

	memset(filler, 'x', sizeof(filler));
	expect_served(7);
	it()->attributes = true;
	while (agent_backlog(it()) <= AGENT_NOTICES_MAX) {
		assert_int_equal(it()->ops->notify(it(), 0, PDU_PMNS_TRAVERSE, &body), 0);
		rig_turn_once();
	}
	for (int i = 0; i < 3; i++) { /* clients with the same index, one after the other */
		peer_close(&client);
		rig_turn();
		assert_int_equal(it()->notices.count, 1);
		rig_join(&client);
		assert_int_equal(it()->notices.count, 1);
	}
	while (peer_count(&agent) > 0) {
		peer_receive(&agent, &pdu);
		ends += pdu.type == PDU_ERROR && pdu.code == PM_ERR_NOTCONN;
		attributes_sent += pdu.type == PDU_ATTR;
	}
	assert_int_equal(ends, 1);
	assert_int_equal(attributes_sent, 3); /* user, group, process */
	assert_int_equal(it()->notices.count, 0);
}

#define READY(f)    cmocka_unit_test_setup_teardown(f, setup_ready, teardown)
#define STARTING(f) cmocka_unit_test_setup_teardown(f, setup_starting, teardown)
#define LATE(f)     cmocka_unit_test_setup_teardown(f, setup_late, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    STARTING(handshake),
	    STARTING(handshake_is_late),
	    STARTING(handshake_is_wrong),
	    LATE(connects_again),
	    LATE(connects_in_vain),
	    READY(answer_is_late),
	    READY(pause_is_not_late),
	    READY(silence),
	    READY(silence_without_debt),
	    READY(not_ready),
	    READY(fence),
	    READY(end_with_questions),
	    READY(unasked_answer),
	    READY(answer_of_other_type),
	    READY(bytes_without_sense),
	    READY(new_start),
	    READY(notice_of_end),
	    READY(no_notice_of_stranger),
	    STARTING(attributes),
	    READY(notices_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

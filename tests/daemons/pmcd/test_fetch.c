/*
 * test_fetch - a fetch: how its PMIDs are split over agents, and how the one reply is made of their
 * answers and of values of the collector itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/pmcd/fetch_parts.h"
#include "daemons/pmcd/request.h"
#include "rig.h"

enum {
	ONE = 240,
	TWO = 241,
	OWN = 2, /* the collector's own agent */
	MANY = 200,
};

#define ID(domain, item) ((pmID)(domain) << 22 | (item))

/*
 * The split
 */

struct part_row {
	unsigned int domain;
	uint32_t places[6];
	uint32_t n;
};

struct split_row {
	const char *name;
	pmID pmids[6];
	uint32_t n;
	struct part_row parts[3];
	uint32_t npart;
	bool copied; /* places are listed: the PMIDs of a part are not those of the request */
};

/* clang-format off */
static const struct split_row splits[] = {
	{ "one", { ID(ONE, 1) }, 1, { { ONE, { 0 }, 1 } }, 1, false },
	{ "one agent, ascending", { ID(ONE, 1), ID(ONE, 2), ID(ONE, 9) }, 3,
	  { { ONE, { 0, 1, 2 }, 3 } }, 1, false },
	{ "one agent, any order", { ID(ONE, 9), ID(ONE, 1), ID(ONE, 2) }, 3,
	  { { ONE, { 0, 1, 2 }, 3 } }, 1, false },
	{ "one agent, repeated", { ID(ONE, 9), ID(ONE, 1), ID(ONE, 9), ID(ONE, 9), ID(ONE, 2) }, 5,
	  { { ONE, { 0, 1, 4 }, 3 } }, 1, true },
	{ "two agents, ascending", { ID(ONE, 1), ID(ONE, 2), ID(TWO, 0) }, 3,
	  { { ONE, { 0, 1 }, 2 }, { TWO, { 2 }, 1 } }, 2, true },
	{ "two agents, in turn", { ID(TWO, 1), ID(ONE, 2), ID(TWO, 0), ID(ONE, 1) }, 4,
	  { { ONE, { 1, 3 }, 2 }, { TWO, { 0, 2 }, 2 } }, 2, true },
	{ "three agents, repeated", { ID(TWO, 1), ID(ONE, 2), ID(TWO, 1), ID(OWN, 0), ID(ONE, 2), ID(TWO, 2) }, 6,
	  { { OWN, { 3 }, 1 }, { ONE, { 1 }, 1 }, { TWO, { 0, 5 }, 2 } }, 3, true },
	{ "no PMID at all", { PM_ID_NULL, ID(ONE, 1) }, 2,
	  { { ONE, { 1 }, 1 }, { 511, { 0 }, 1 } }, 2, true },
};
/* clang-format on */

static void check_part(const struct split_row *row, const struct part_row *want,
		       const struct fetch_part *got)
{
	assert_int_equal(got->domain, want->domain);
	assert_int_equal(got->n, want->n);
	for (uint32_t i = 0; i < want->n; i++) {
		assert_int_equal(fetch_place_of(got, i), want->places[i]);
		assert_int_equal(got->pmids[i], row->pmids[want->places[i]]);
	}
}

static void split(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(splits); i++) {
		const struct split_row *row = &splits[i];
		struct request req = {.body = {.fetch = {.numpmid = row->n, .pmids = row->pmids}}};
		struct fetch f = {0};

		print_message("%s\n", row->name);
		assert_int_equal(fetch_parts_split(&req, &f), 0);
		assert_int_equal(f.npart, row->npart);
		assert_int_equal(f.parts[0].places != NULL, row->copied);
		for (uint32_t j = 0; j < row->npart; j++)
			check_part(row, &row->parts[j], &f.parts[j]);
		for (uint32_t j = 0; f.first != NULL && j < row->n; j++) {
			assert_int_equal(row->pmids[f.first[j]], row->pmids[j]);
			assert_true(f.first[j] <= j);
		}
		arena_done(&req.mem);
	}
}

/* A long list in which each PMID is there three times. */
static void split_long(void **state)
{
	pmID pmids[3 * MANY];
	struct request req = {.body = {.fetch = {.numpmid = 3 * MANY, .pmids = pmids}}};
	struct fetch f = {0};

	for (uint32_t i = 0; i < 3 * MANY; i++)
		pmids[i] = ID(i % 2 == 0 ? ONE : TWO, i % MANY);
	assert_int_equal(fetch_parts_split(&req, &f), 0);
	assert_int_equal(f.n, MANY);
	assert_int_equal(f.npart, 2);
	assert_int_equal(f.parts[0].n, MANY / 2);
	assert_int_equal(f.parts[1].n, MANY / 2);
	for (uint32_t i = 0; i < 3 * MANY; i++)
		assert_int_equal(f.first[i], i % MANY);
	arena_done(&req.mem);
}

/*
 * The merge
 */

static const unsigned int domains[] = {ONE, TWO};
static struct peer agents[2], client;
static struct peer *const one = &agents[0], *const two = &agents[1];

static int setup(void **state)
{
	rig_start_ready(agents, 2, domains);
	rig_join(&client);
	return 0;
}

static int teardown(void **state)
{
	peer_close(&client);
	peer_close(one);
	peer_close(two);
	rig_stop();
	return 0;
}

/* The question to an agent, after its profile. */
static void expect_fetch(struct peer *agent, struct peer_pdu *ret_pdu)
{
	do
		peer_receive(agent, ret_pdu);
	while (ret_pdu->type == PDU_PROFILE);
	assert_int_equal(ret_pdu->type, PDU_FETCH);
}

static void check_value(const struct peer_pdu *reply, uint32_t place, pmID pmid, uint32_t value)
{
	const struct wire_vset *set = &reply->body.result.vsets[place];

	assert_int_equal(set->pmid, pmid);
	assert_int_equal(set->numval, 1);
	assert_int_equal(set->values[0].insitu, value);
}

static void check_error(const struct peer_pdu *reply, uint32_t place, pmID pmid, int error)
{
	assert_int_equal(reply->body.result.vsets[place].pmid, pmid);
	assert_int_equal(reply->body.result.vsets[place].numval, error);
}

static void expect_reply(struct peer_pdu *ret_pdu, uint32_t n)
{
	peer_expect(&client, PDU_RESULT, ret_pdu);
	assert_int_equal(ret_pdu->body.result.numpmid, n);
}

/* Both agents are asked at once; the reply has the client's order, whichever answers first. */
static void merge(void **state)
{
	static const pmID pmids[] = {ID(TWO, 1), ID(ONE, 2), ID(OWN, 2), ID(TWO, 0), ID(ONE, 1)};
	struct peer_pdu ask_one, ask_two, reply;

	peer_send_fetch(&client, pmids, 5);
	expect_fetch(one, &ask_one);
	expect_fetch(two, &ask_two);
	assert_int_equal(ask_one.body.fetch.numpmid, 2);
	assert_int_equal(ask_two.body.fetch.numpmid, 2);
	rig_give(two, &ask_two.body.fetch, 200, 0);
	assert_true(peer_is_quiet(&client));
	rig_give(one, &ask_one.body.fetch, 100, 0);
	expect_reply(&reply, 5);
	check_value(&reply, 0, ID(TWO, 1), 200);
	check_value(&reply, 1, ID(ONE, 2), 100);
	assert_int_equal(reply.body.result.vsets[2].pmid, ID(OWN, 2));
	assert_int_equal(reply.body.result.vsets[2].numval, 1);
	check_value(&reply, 3, ID(TWO, 0), 201);
	check_value(&reply, 4, ID(ONE, 1), 101);
}

/* Each agent has the values of its own metrics: a late one costs the client those alone. */
static void one_is_late(void **state)
{
	static const pmID pmids[] = {ID(ONE, 0), ID(TWO, 0), ID(OWN, 2), ID(9, 0)};
	struct peer_pdu reply;

	peer_send_fetch(&client, pmids, 4);
	rig_serve_fetch(two, 200);
	assert_true(peer_is_quiet(&client));
	rig_pass(RIG_TIMEOUT_MS);
	expect_reply(&reply, 4);
	check_error(&reply, 0, pmids[0], PM_ERR_TIMEOUT);
	check_value(&reply, 1, pmids[1], 200);
	assert_int_equal(reply.body.result.vsets[2].numval, 1);
	check_error(&reply, 3, pmids[3], PM_ERR_NOAGENT);
}

/* The collector's own values are read when the last process has answered, not before. */
static void own_values_are_last(void **state)
{
	static const pmID pmids[] = {ID(OWN, 4), ID(ONE, 0)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 2);
	expect_fetch(one, &ask);
	rig_server.timeout_s = 77; /* it was another when the fetch began */
	rig_give(one, &ask.body.fetch, 100, 0);
	expect_reply(&reply, 2);
	check_value(&reply, 0, pmids[0], 77);
	check_value(&reply, 1, pmids[1], 100);
}

/* A PMID that is asked for again and again is asked for once, and all of its places get the
 * value. */
static void repeated(void **state)
{
	static const pmID pmids[] = {ID(ONE, 5), ID(ONE, 4), ID(ONE, 5), ID(ONE, 5)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 4);
	expect_fetch(one, &ask);
	assert_int_equal(ask.body.fetch.numpmid, 2);
	rig_give(one, &ask.body.fetch, 100, 0);
	expect_reply(&reply, 4);
	check_value(&reply, 0, pmids[0], 100);
	check_value(&reply, 1, pmids[1], 101);
	check_value(&reply, 2, pmids[2], 100);
	check_value(&reply, 3, pmids[3], 100);
}

/* A large value in many places: the reply would be out of all proportion to the request. */
static void repeated_large(void **state)
{
	static uint8_t block[60000] = {PM_TYPE_AGGREGATE, 0, sizeof(block) >> 8,
				       sizeof(block) & 0xff};
	const struct wire_value value = {
	    .inst = PM_IN_NULL, .block_len = sizeof(block), .block = block};
	struct wire_vset set = {ID(ONE, 5), 1, PM_VAL_DPTR, &value};
	union pdu_body body = {.result = {.numpmid = 1, .vsets = &set}};
	pmID pmids[MANY];
	struct peer_pdu ask;

	for (int i = 0; i < MANY; i++)
		pmids[i] = ID(ONE, 5);
	peer_send_fetch(&client, pmids, MANY);
	expect_fetch(one, &ask);
	assert_int_equal(ask.body.fetch.numpmid, 1);
	peer_send(one, PDU_RESULT, 0, &body);
	peer_expect_error(&client, PM_ERR_TOOBIG);
}

/* The answer of the only agent that is asked becomes the reply as it is, with the collector's
 * time. */
static void relay(void **state)
{
	static const pmID pmids[] = {ID(ONE, 5), ID(ONE, 4)};
	struct peer_pdu reply;

	peer_send_fetch(&client, pmids, 2);
	rig_serve_fetch(one, 100);
	expect_reply(&reply, 2);
	check_value(&reply, 0, pmids[0], 100);
	check_value(&reply, 1, pmids[1], 101);
	assert_true(reply.body.result.sec > 1000000000);
}

static void highres(void **state)
{
	static const pmID pmids[] = {ID(ONE, 5), ID(TWO, 4)};
	union pdu_body body = {.fetch = {.numpmid = 2, .pmids = pmids}};
	struct peer_pdu reply;

	peer_send(&client, PDU_HIGHRES_FETCH, 0, &body);
	rig_serve_fetch(one, 100);
	rig_serve_fetch(two, 200);
	peer_expect(&client, PDU_HIGHRES_RESULT, &reply);
	check_value(&reply, 0, pmids[0], 100);
	check_value(&reply, 1, pmids[1], 200);
}

/* Agents report changes of state with their values; each client gets them before its next
 * reply. */
static void changes(void **state)
{
	static const pmID pmids[] = {ID(ONE, 5)};
	struct peer other;
	struct peer_pdu ask, reply;

	rig_join(&other);
	peer_send_fetch(&client, pmids, 1);
	expect_fetch(one, &ask);
	rig_give(one, &ask.body.fetch, 100, PMCD_NAMES_CHANGE);
	peer_expect_error(&client, PMCD_NAMES_CHANGE);
	expect_reply(&reply, 1);
	assert_true(peer_is_quiet(&other));
	peer_send_fetch(&other, pmids, 1);
	rig_serve_fetch(one, 100);
	peer_expect_error(&other, PMCD_NAMES_CHANGE);
	peer_expect(&other, PDU_RESULT, &reply);
	peer_send_fetch(&client, pmids, 1);
	rig_serve_fetch(one, 100);
	expect_reply(&reply, 1);
	peer_close(&other);
}

/* The changes of several agents are one mask. */
static void changes_of_both(void **state)
{
	static const pmID pmids[] = {ID(ONE, 5), ID(TWO, 5)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 2);
	expect_fetch(one, &ask);
	rig_give(one, &ask.body.fetch, 100, PMCD_NAMES_CHANGE);
	expect_fetch(two, &ask);
	rig_give(two, &ask.body.fetch, 200, PMCD_LABEL_CHANGE);
	peer_expect_error(&client, PMCD_NAMES_CHANGE | PMCD_LABEL_CHANGE);
	expect_reply(&reply, 2);
}

/*
 * Answers that do not fit
 */

static void give_other(struct peer *agent, pmID pmid, uint32_t n)
{
	pmID pmids[MANY];

	for (uint32_t i = 0; i < n; i++)
		pmids[i] = pmid;
	rig_give(agent, &(struct pdu_fetch){.numpmid = n, .pmids = pmids}, 900, 0);
}

/* More or fewer sets than were asked for: the agent is at fault and ends. */
static void wrong_number(void **state)
{
	static const pmID pmids[] = {ID(ONE, 0), ID(TWO, 0)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 2);
	expect_fetch(one, &ask);
	give_other(one, pmids[0], 2);
	rig_serve_fetch(two, 200);
	peer_expect_error(&client, PMCD_DROP_AGENT);
	expect_reply(&reply, 2);
	check_error(&reply, 0, pmids[0], PM_ERR_IPC);
	check_value(&reply, 1, pmids[1], 200);
	assert_int_equal(rig_agent(one)->state, AGENT_DOWN);
}

/* An agent that mixes metrics up: its value has the PMID that it gave, and not that of the place.
 */
static void wrong_metric(void **state)
{
	static const pmID pmids[] = {ID(ONE, 0), ID(TWO, 0)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 2);
	expect_fetch(one, &ask);
	give_other(one, ID(ONE, 3), 1);
	rig_serve_fetch(two, 200);
	expect_reply(&reply, 2);
	check_value(&reply, 0, ID(ONE, 3), 900);
	check_value(&reply, 1, pmids[1], 200);
}

/* An ERROR in place of values: each metric of the part has it. */
static void error_of_part(void **state)
{
	static const pmID pmids[] = {ID(ONE, 0), ID(TWO, 0), ID(ONE, 1)};
	struct peer_pdu ask, reply;

	peer_send_fetch(&client, pmids, 3);
	expect_fetch(one, &ask);
	peer_send_error(one, PM_ERR_PERMISSION);
	rig_serve_fetch(two, 200);
	expect_reply(&reply, 3);
	check_error(&reply, 0, pmids[0], PM_ERR_PERMISSION);
	check_value(&reply, 1, pmids[1], 200);
	check_error(&reply, 2, pmids[2], PM_ERR_PERMISSION);
	assert_int_equal(rig_agent(one)->state, AGENT_READY);
}

/* A fetch without a profile in its slot is refused. */
static void no_profile(void **state)
{
	static const pmID pmids[] = {ID(ONE, 0)};
	union pdu_body body = {.fetch = {.slot = 3, .numpmid = 1, .pmids = pmids}};

	peer_send(&client, PDU_FETCH, 0, &body);
	peer_expect_error(&client, PM_ERR_NOPROFILE);
	assert_true(peer_is_quiet(one));
}

#define IN_RIG(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(split),
	    cmocka_unit_test(split_long),
	    IN_RIG(merge),
	    IN_RIG(one_is_late),
	    IN_RIG(own_values_are_last),
	    IN_RIG(repeated),
	    IN_RIG(repeated_large),
	    IN_RIG(relay),
	    IN_RIG(highres),
	    IN_RIG(changes),
	    IN_RIG(changes_of_both),
	    IN_RIG(wrong_number),
	    IN_RIG(wrong_metric),
	    IN_RIG(error_of_part),
	    IN_RIG(no_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

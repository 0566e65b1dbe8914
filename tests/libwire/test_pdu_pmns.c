/* test_pdu_pmns - PMNS_IDS, PMNS_NAMES, PMNS_CHILD, PMNS_TRAVERSE. */
#include "wire_test.h"

static void ids(void **state)
{
	static const char hex[] = "00000003 00000004 00800007 00800003 ffffffff 0f000800";
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_PMNS_IDS, hex), 0);
	assert_int_equal(t->body.pmns_ids.status, 3);
	assert_int_equal(t->body.pmns_ids.numpmid, 4);
	assert_int_equal(t->body.pmns_ids.pmids[2], PM_ID_NULL);
	assert_int_equal(t->body.pmns_ids.pmids[3], 0x0f000800);
	wire_test_encode(t, PDU_PMNS_IDS, &t->body, hex);
	assert_int_equal(wire_test_decode(t, PDU_PMNS_IDS, "ffffcfbb 00000001 ffffffff"), 0);
	assert_int_equal(t->body.pmns_ids.status, PM_ERR_NAME);
}

/* The three shapes: names, names with status, nothing. */
static void names(void **state)
{
	static const char plain[] = "0000000d 00000000 00000002 00000004 62696e61 00000007 6c6f6164"
				    "617667 7e";
	static const char with_status[] = "0000000d 00000002 00000002 00000001 00000004 62696e61"
					  "00000000 00000007 6c6f6164 617667 7e";
	static const char none[] = "00000000 00000000 00000000";
	struct wire_test *t = *state;
	const struct pdu_pmns_names *list = &t->body.pmns_names;

	assert_int_equal(wire_test_decode(t, PDU_PMNS_NAMES, plain), 0);
	assert_int_equal(list->numname, 2);
	wire_test_str_equal(list->names[0], "bina");
	wire_test_str_equal(list->names[1], "loadavg");
	assert_null(list->status);
	wire_test_encode(t, PDU_PMNS_NAMES, &t->body, plain);

	assert_int_equal(wire_test_decode(t, PDU_PMNS_NAMES, with_status), 0);
	assert_int_equal(list->numname, 2);
	assert_int_equal(list->status[0], PMNS_NONLEAF_STATUS);
	assert_int_equal(list->status[1], PMNS_LEAF_STATUS);
	wire_test_str_equal(list->names[1], "loadavg");
	wire_test_encode(t, PDU_PMNS_NAMES, &t->body, with_status);

	assert_int_equal(wire_test_decode(t, PDU_PMNS_NAMES, none), 0);
	assert_int_equal(list->numname, 0);
	assert_null(list->status);
	wire_test_encode(t, PDU_PMNS_NAMES, &t->body, none);
}

/* The sum of the names may be claimed larger than it is; we write what it is. */
static void names_sum(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(
	    wire_test_decode(t, PDU_PMNS_NAMES, "00000014 00000000 00000001 00000004 62696e61"), 0);
	wire_test_encode(t, PDU_PMNS_NAMES, &t->body,
			 "00000005 00000000 00000001 00000004 62696e61");
}

static void child(void **state)
{
	static const uint32_t types[] = {PDU_PMNS_CHILD, PDU_PMNS_TRAVERSE};
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		static const char hex[] = "00000001 00000006 73616d70 6c657e7e";

		assert_int_equal(wire_test_decode(t, types[i], hex), 0);
		assert_int_equal(t->body.pmns_child.subtype, 1);
		wire_test_str_equal(t->body.pmns_child.name, "sample");
		wire_test_encode(t, types[i], &t->body, hex);
		assert_int_equal(wire_test_decode(t, types[i], "00000000 00000000"), 0);
		assert_int_equal(t->body.pmns_child.name.len, 0); /* the root */
		wire_test_encode(t, types[i], &t->body, "00000000 00000000");
	}
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"identifiers below 0", PDU_PMNS_IDS, "00000000 ffffffff", PM_ERR_IPC},
	    {"identifier missing", PDU_PMNS_IDS, "00000000 00000001", PM_ERR_IPC},
	    {"identifier too many", PDU_PMNS_IDS, "00000000 00000001 00000001 00000001",
	     PM_ERR_IPC},
	    {"names below 0", PDU_PMNS_NAMES, "00000000 00000000 ffffffff", PM_ERR_IPC},
	    {"sum below 0", PDU_PMNS_NAMES, "ffffffff 00000000 00000001 00000004 62696e61",
	     PM_ERR_IPC},
	    {"sum beyond the PDU", PDU_PMNS_NAMES, "00000021 00000000 00000001 00000004 62696e61",
	     PM_ERR_IPC},
	    {"sum without the end of the name", PDU_PMNS_NAMES,
	     "00000004 00000000 00000001 00000004 62696e61", PM_ERR_IPC},
	    {"sum used up by the first", PDU_PMNS_NAMES,
	     "00000009 00000000 00000002 00000004 62696e61 00000004 62696e61", PM_ERR_IPC},
	    {"status of another number", PDU_PMNS_NAMES,
	     "00000005 00000002 00000001 00000000 00000004 62696e61", PM_ERR_IPC},
	    {"status below 0", PDU_PMNS_NAMES,
	     "00000005 ffffffff 00000001 00000000 00000004 62696e61", PM_ERR_IPC},
	    {"status without names", PDU_PMNS_NAMES, "00000000 00000001 00000000", PM_ERR_IPC},
	    {"name below 0", PDU_PMNS_NAMES, "00000005 00000000 00000001 ffffffff 62696e61",
	     PM_ERR_IPC},
	    {"name cut", PDU_PMNS_NAMES, "00000008 00000000 00000001 00000005 62696e61",
	     PM_ERR_IPC},
	    {"name missing", PDU_PMNS_NAMES, "0000000a 00000000 00000002 00000004 62696e61",
	     PM_ERR_IPC},
	    {"name too many", PDU_PMNS_NAMES,
	     "0000000a 00000000 00000001 00000004 62696e61 00000004 62696e61", PM_ERR_IPC},
	    {"empty name at the end", PDU_PMNS_NAMES, "00000001 00000000 00000001 00000000",
	     PM_ERR_IPC},
	    {"empty name before another", PDU_PMNS_NAMES,
	     "00000006 00000000 00000002 00000000 00000004 62696e61", 0},
	    {"name of a node below 0", PDU_PMNS_CHILD, "00000000 ffffffff", PM_ERR_IPC},
	    {"name of a node cut", PDU_PMNS_CHILD, "00000000 00000005 73616d70", PM_ERR_IPC},
	    {"name of a node without padding", PDU_PMNS_CHILD, "00000000 00000005 73616d70 6c",
	     PM_ERR_IPC},
	    {"a node and a word", PDU_PMNS_TRAVERSE, "00000000 00000004 73616d70 00000000",
	     PM_ERR_IPC},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

static void refused(void **state)
{
	struct wire_str list[] = {{"a", 1}, {"", 0}};
	union pdu_body body = {.pmns_names = {.numname = 2, .names = list}};

	wire_test_refuse(*state, PDU_PMNS_NAMES, &body, -EINVAL);
	list[0].len = PDU_PEER_MAX;
	list[1] = wire_test_str("b");
	wire_test_refuse(*state, PDU_PMNS_NAMES, &body, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(ids),   WIRE_TEST(names),     WIRE_TEST(names_sum),
	    WIRE_TEST(child), WIRE_TEST(malformed), WIRE_TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_pdu_fetch - PROFILE, FETCH, HIGHRES_FETCH. */
#include "wire_test.h"

static const char profile_hex[] = "00000003 00000001 00000002 00000000"
				  "07400002 00000001 00000002 00000000"
				  "0f000002 00000000 00000001 00000000"
				  "00000064 0000012c 00000005";

static void profile_fields(void **state)
{
	struct wire_test *t = *state;
	const pmInDomProfile *entries;

	assert_int_equal(wire_test_decode(t, PDU_PROFILE, profile_hex), 0);
	assert_int_equal(t->body.profile.slot, 3);
	assert_int_equal(t->body.profile.profile.state, PM_PROFILE_EXCLUDE);
	assert_int_equal(t->body.profile.profile.profile_len, 2);
	entries = t->body.profile.profile.profile;
	assert_int_equal(entries[0].indom, 0x07400002);
	assert_int_equal(entries[0].state, PM_PROFILE_EXCLUDE);
	assert_int_equal(entries[0].instances_len, 2);
	assert_int_equal(entries[0].instances[1], 300);
	assert_int_equal(entries[1].state, PM_PROFILE_INCLUDE);
	assert_int_equal(entries[1].instances_len, 1);
	assert_int_equal(entries[1].instances[0], 5);
	wire_test_encode(t, PDU_PROFILE, &t->body, profile_hex);
}

static void profile_empty_list(void **state)
{
	static const char hex[] = "00000000 00000000 00000001 00000000"
				  "0f000002 00000001 00000000 00000000";
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_PROFILE, hex), 0);
	assert_int_equal(t->body.profile.profile.profile[0].instances_len, 0);
	assert_null(t->body.profile.profile.profile[0].instances);
	wire_test_encode(t, PDU_PROFILE, &t->body, hex);
}

static void fetch_fields(void **state)
{
	static const uint32_t types[] = {PDU_FETCH, PDU_HIGHRES_FETCH};
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_int_equal(wire_test_decode(t, types[i],
						  "00000002 11111111 22222222 00000002"
						  "00800007 ffffffff"),
				 0);
		assert_int_equal(t->body.fetch.slot, 2);
		assert_int_equal(t->body.fetch.numpmid, 2);
		assert_int_equal(t->body.fetch.pmids[0], 0x00800007);
		assert_int_equal(t->body.fetch.pmids[1], PM_ID_NULL);
		wire_test_encode(t, types[i], &t->body,
				 "00000002 00000000 00000000 00000002 00800007 ffffffff");
	}
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"slot below 0", PDU_PROFILE, "ffffffff 00000000 00000000 00000000", PM_ERR_IPC},
	    {"entries below 0", PDU_PROFILE, "00000000 00000000 ffffffff 00000000", PM_ERR_IPC},
	    {"an entry missing", PDU_PROFILE, "00000000 00000000 00000001 00000000", PM_ERR_IPC},
	    {"instances below 0", PDU_PROFILE,
	     "00000000 00000000 00000001 00000000 07400002 00000001 ffffffff 00000000", PM_ERR_IPC},
	    {"an instance missing", PDU_PROFILE,
	     "00000000 00000000 00000001 00000000 07400002 00000001 00000001 00000000", PM_ERR_IPC},
	    {"an instance too many", PDU_PROFILE,
	     "00000000 00000000 00000001 00000000 07400002 00000001 00000000 00000000 00000001",
	     PM_ERR_IPC},
	    {"two lists in the place of one", PDU_PROFILE,
	     "00000000 00000000 00000002 00000000 07400002 00000001 00000001 00000000"
	     "07400003 00000001 00000001 00000000 00000005",
	     PM_ERR_IPC},
	    {"nothing to fetch", PDU_FETCH, "00000000 00000000 00000000 00000000", PM_ERR_IPC},
	    {"fewer than none", PDU_FETCH, "00000000 00000000 00000000 ffffffff 00000001",
	     PM_ERR_IPC},
	    {"one missing", PDU_FETCH, "00000000 00000000 00000000 00000002 00000001", PM_ERR_IPC},
	    {"2^30 identifiers", PDU_FETCH, "00000000 00000000 00000000 40000000 00000001",
	     PM_ERR_IPC},
	    {"a slot below 0 is the collector's question", PDU_FETCH,
	     "ffffffff 00000000 00000000 00000001 00000001", 0},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

static void refused(void **state)
{
	pmInDomProfile entry = {.instances_len = -1};
	union pdu_body none = {.fetch = {.numpmid = 0}};
	union pdu_body slot = {.profile = {.slot = -1}};
	union pdu_body entries = {.profile = {.profile = {.profile_len = -1}}};
	union pdu_body insts = {.profile = {.profile = {.profile_len = 1, .profile = &entry}}};

	wire_test_refuse(*state, PDU_FETCH, &none, -EINVAL);
	wire_test_refuse(*state, PDU_PROFILE, &slot, -EINVAL);
	wire_test_refuse(*state, PDU_PROFILE, &entries, -EINVAL);
	wire_test_refuse(*state, PDU_PROFILE, &insts, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(profile_fields), WIRE_TEST(profile_empty_list),
	    WIRE_TEST(fetch_fields),   WIRE_TEST(malformed),
	    WIRE_TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

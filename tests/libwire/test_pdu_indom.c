/* test_pdu_indom - INSTANCE_REQ, INSTANCE. */
#include "wire_test.h"

static void request(void **state)
{
	static const char hex[] = "07400002 00000000 00000000 ffffffff 00000007 62696e2d 3330307e";
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_INSTANCE_REQ, hex), 0);
	assert_int_equal(t->body.instance_req.indom, 0x07400002);
	assert_int_equal(t->body.instance_req.inst, -1);
	wire_test_str_equal(t->body.instance_req.name, "bin-300");
	wire_test_encode(t, PDU_INSTANCE_REQ, &t->body, hex);
}

/* The worked example of docs/spec/pdu.md 16. */
static void instances(void **state)
{
	static const char hex[] = "0f000002 00000003 00000001 00000008 31206d69 6e757465"
				  "00000005 00000008 35206d69 6e757465"
				  "0000000f 00000009 3135206d 696e7574 657e7e7e";
	static const struct {
		int32_t inst;
		const char *name;
	} expect[] = {{1, "1 minute"}, {5, "5 minute"}, {15, "15 minute"}};
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_INSTANCE, hex), 0);
	assert_int_equal(t->body.instance.indom, 0x0f000002);
	assert_int_equal(t->body.instance.numinst, ARRAY_SIZE(expect));
	for (size_t i = 0; i < ARRAY_SIZE(expect); i++) {
		assert_int_equal(t->body.instance.insts[i].inst, expect[i].inst);
		wire_test_str_equal(t->body.instance.insts[i].name, expect[i].name);
	}
	wire_test_encode(t, PDU_INSTANCE, &t->body, hex);
}

/* Padding may hold anything, and is '~' when we write it. */
static void padding(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(
	    wire_test_decode(t, PDU_INSTANCE, "0f000002 00000001 00000001 00000001 61000102"), 0);
	wire_test_encode(t, PDU_INSTANCE, &t->body, "0f000002 00000001 00000001 00000001 617e7e7e");
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"name below 0", PDU_INSTANCE_REQ, "07400002 00000000 00000000 ffffffff ffffffff",
	     PM_ERR_IPC},
	    {"name missing", PDU_INSTANCE_REQ, "07400002 00000000 00000000 ffffffff 00000001",
	     PM_ERR_IPC},
	    {"padding missing", PDU_INSTANCE_REQ, "07400002 00000000 00000000 ffffffff 00000001 61",
	     PM_ERR_IPC},
	    {"name of 2^31-1", PDU_INSTANCE_REQ,
	     "07400002 00000000 00000000 ffffffff 7fffffff 61616161", PM_ERR_IPC},
	    {"a word too many", PDU_INSTANCE_REQ,
	     "07400002 00000000 00000000 ffffffff 00000000 61616161", PM_ERR_IPC},
	    {"instances below 0", PDU_INSTANCE, "07400002 ffffffff", PM_ERR_IPC},
	    {"instance missing", PDU_INSTANCE, "07400002 00000002 00000001 00000000", PM_ERR_IPC},
	    {"instance too many", PDU_INSTANCE,
	     "07400002 00000001 00000001 00000000 00000002 00000000", PM_ERR_IPC},
	    {"no instance", PDU_INSTANCE, "07400002 00000000", 0},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

/* A name that no PDU can hold is refused before a byte of it is read. */
static void refused(void **state)
{
	struct wire_inst inst = {1, {"", PDU_PEER_MAX}};
	union pdu_body body = {.instance = {.numinst = 1, .insts = &inst}};

	wire_test_refuse(*state, PDU_INSTANCE, &body, -EINVAL);
	inst.name.len = UINT32_MAX;
	wire_test_refuse(*state, PDU_INSTANCE, &body, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(request),   WIRE_TEST(instances), WIRE_TEST(padding),
	    WIRE_TEST(malformed), WIRE_TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_pdu_text - TEXT_REQ, TEXT. */
#include "wire_test.h"

static void request(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_TEXT_REQ, "07400006 00000005"), 0);
	assert_int_equal(t->body.text_req.ident, 0x07400006);
	assert_int_equal(t->body.text_req.type, PM_TEXT_ONELINE | PM_TEXT_PMID);
	wire_test_encode(t, PDU_TEXT_REQ, &t->body, "07400006 00000005");
}

/* ident is what it is on the wire, both ways. */
static void text(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_TEXT, "06004007 00000005 68656c6c 6f000000"), 0);
	assert_int_equal(t->body.text.ident, 0x06004007);
	wire_test_str_equal(t->body.text.text, "hello");
	t->body.text.ident = 0x07400006;
	wire_test_encode(t, PDU_TEXT, &t->body, "07400006 00000005 68656c6c 6f7e7e7e");
	assert_int_equal(wire_test_decode(t, PDU_TEXT, "00000000 00000000"), 0);
	assert_int_equal(t->body.text.text.len, 0);
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"text below 0", PDU_TEXT, "00000000 ffffffff", PM_ERR_IPC},
	    {"text missing", PDU_TEXT, "00000000 00000005 68656c6c", PM_ERR_IPC},
	    {"padding missing", PDU_TEXT, "00000000 00000005 68656c6c 6f", PM_ERR_IPC},
	    {"a word too many", PDU_TEXT, "00000000 00000004 68656c6c 6f6f6f6f", PM_ERR_IPC},
	    {"request cut", PDU_TEXT_REQ, "07400006", PM_ERR_IPC},
	    {"request and a word", PDU_TEXT_REQ, "07400006 00000005 00000000", PM_ERR_IPC},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(request),
	    WIRE_TEST(text),
	    WIRE_TEST(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

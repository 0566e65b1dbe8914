/* test_pdu_label - LABEL_REQ, LABEL. */
#include "wire_test.h"

/* Two sets: {"a":1} with its label, and one without; then the texts. */
static const char two_sets[] = "07400002 00000020 00000000 00000002"
			       "00000064 00000001 00000044 00000007 00020120 00050001"
			       "000000c8 00000000 0000004b 00000000"
			       "7b226122 3a317d";

static void request(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_LABEL_REQ, "ffffffff 00000001"), 0);
	assert_int_equal(t->body.label_req.ident, PM_ID_NULL);
	assert_int_equal(t->body.label_req.type, PM_LABEL_CONTEXT);
	wire_test_encode(t, PDU_LABEL_REQ, &t->body, "ffffffff 00000001");
}

static void sets(void **state)
{
	struct wire_test *t = *state;
	const struct wire_labelset *set;

	assert_int_equal(wire_test_decode(t, PDU_LABEL, two_sets), 0);
	assert_int_equal(t->body.label.ident, 0x07400002);
	assert_int_equal(t->body.label.type, PM_LABEL_INSTANCES);
	assert_int_equal(t->body.label.numset, 2);
	set = t->body.label.sets;
	assert_int_equal(set[0].inst, 100);
	assert_int_equal(set[0].nlabels, 1);
	wire_test_str_equal(set[0].json, "{\"a\":1}");
	assert_int_equal(set[0].labels[0].name, 2);
	assert_int_equal(set[0].labels[0].namelen, 1);
	assert_int_equal(set[0].labels[0].flags, PM_LABEL_INSTANCES);
	assert_int_equal(set[0].labels[0].value, 5);
	assert_int_equal(set[0].labels[0].valuelen, 1);
	assert_int_equal(set[1].inst, 200);
	assert_int_equal(set[1].nlabels, 0);
	assert_null(set[1].labels);
	assert_int_equal(set[1].json.len, 0);
	wire_test_encode(t, PDU_LABEL, &t->body, two_sets);
}

static void error_set(void **state)
{
	static const char hex[] = "00000001 00000002 00000000 00000001"
				  "ffffffff ffffcf9e 0000002c 00000000";
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_LABEL, hex), 0);
	assert_int_equal(t->body.label.sets[0].nlabels, PM_ERR_NOAGENT);
	wire_test_encode(t, PDU_LABEL, &t->body, hex);
}

#define ONE_SET "07400002 00000004 00000000 00000001 ffffffff "

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"sets below 0", PDU_LABEL, "07400002 00000004 00000000 ffffffff", PM_ERR_IPC},
	    {"set missing", PDU_LABEL, "07400002 00000004 00000000 00000001", PM_ERR_IPC},
	    {"no set, but text", PDU_LABEL, "07400002 00000004 00000000 00000000 7b7d", PM_ERR_IPC},
	    {"text missing", PDU_LABEL, ONE_SET "00000000 0000002c 00000002", PM_ERR_IPC},
	    {"text cut", PDU_LABEL, ONE_SET "00000000 0000002c 00000002 7b", PM_ERR_IPC},
	    {"text too long", PDU_LABEL, ONE_SET "00000000 0000002c 00000002 7b7d7d", PM_ERR_IPC},
	    {"text below 0", PDU_LABEL, ONE_SET "00000000 0000002c ffffffff 7b7d", PM_ERR_IPC},
	    {"offset beyond the end", PDU_LABEL, ONE_SET "00000000 0000002f 00000000 7b7d",
	     PM_ERR_IPC},
	    {"offset below 0", PDU_LABEL, ONE_SET "00000000 fffffffe 00000002 7b7d", PM_ERR_IPC},
	    {"text among the sets", PDU_LABEL, ONE_SET "00000000 0000002a 00000002 7b7d",
	     PM_ERR_IPC},
	    {"text whole", PDU_LABEL, ONE_SET "00000000 0000002c 00000002 7b7d", 0},
	    {"label missing", PDU_LABEL, ONE_SET "00000001 0000002c 00000002 7b7d", PM_ERR_IPC},
	    {"255 labels", PDU_LABEL, ONE_SET "000000ff 0000002c 00000002 7b7d", PM_ERR_IPC},
	    {"name beyond the text", PDU_LABEL,
	     ONE_SET "00000001 00000034 00000007 00070104 00050001 7b226122 3a317d", PM_ERR_IPC},
	    {"value beyond the text", PDU_LABEL,
	     ONE_SET "00000001 00000034 00000007 00020104 00070001 7b226122 3a317d", PM_ERR_IPC},
	    {"value and length beyond 65535", PDU_LABEL,
	     ONE_SET "00000001 00000034 00000007 00020104 ffffffff 7b226122 3a317d", PM_ERR_IPC},
	    {"name and value at the end", PDU_LABEL,
	     ONE_SET "00000001 00000034 00000007 00060104 00060001 7b226122 3a317d", 0},
	    {"a text shared by two sets", PDU_LABEL,
	     "07400002 00000020 00000000 00000002 00000001 00000000 0000003c 00000002"
	     "00000002 00000000 0000003c 00000002 7b7d",
	     PM_ERR_IPC},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

/* A set of the most labels with the longest text goes through; one more of either does not. */
static void limits(void **state)
{
	static char json[PDU_LABEL_JSON_MAX + 1];
	static pmLabel labels[PDU_LABELS_MAX + 1];
	struct wire_test *t = *state;
	struct wire_labelset set = {-1, PDU_LABELS_MAX, {json, PDU_LABEL_JSON_MAX}, labels};
	union pdu_body body = {.label = {1, PM_LABEL_DOMAIN, 1, &set}};

	assert_int_equal(pdu_encode(&t->out, PDU_LABEL, 0, &body), 0);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
	assert_int_equal(t->body.label.sets[0].nlabels, PDU_LABELS_MAX);
	assert_int_equal(t->body.label.sets[0].json.len, PDU_LABEL_JSON_MAX);

	/* Another's text, one byte longer. */
	buffer_put_u8(&t->out, '}');
	buffer_patch_u32(&t->out, 0, (uint32_t)t->out.len);
	buffer_patch_u32(&t->out, 40, PDU_LABEL_JSON_MAX + 1);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), PM_ERR_IPC);

	set.json.len++;
	wire_test_refuse(t, PDU_LABEL, &body, -EINVAL);
	set.json.len--;
	set.nlabels++;
	wire_test_refuse(t, PDU_LABEL, &body, -EINVAL);
	set.nlabels = 1;
	set.json.len = 4;
	labels[0].value = 3;
	labels[0].valuelen = 2;
	wire_test_refuse(t, PDU_LABEL, &body, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(request),   WIRE_TEST(sets),   WIRE_TEST(error_set),
	    WIRE_TEST(malformed), WIRE_TEST(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

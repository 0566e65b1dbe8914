/* test_pdu_session - ERROR, CREDS, ATTR. */
#include "wire_test.h"

/* Codes in memory and on the wire (docs/spec/pdu.md 5.1). */
static const struct {
	bool extended;
	int32_t code;
	const char *hex;
} errors[] = {
    {false, 0, "00000000"},
    {false, PM_ERR_PERMISSION, "ffffcf9d"},
    {false, -1042, "fffffbee"},
    {false, 16, "00000010"},
    {false, INT32_MIN, "80000000"},
    {true, 0, "00000000 02010e44"},
    {true, PM_ERR_PERMISSION, "fffffbee 02010e44"},
    {true, PM_ERR_CONNLIMIT, "fffffbed 02010e44"},
    {true, -12345, "fffffc18 02010e44"},
    {true, -999, "fffffc19 02010e44"},
    {true, -98, "ffffff9e 02010e44"},
    {true, 3, "00000003 02010e44"},
    {true, INT32_MIN, "80002c51 02010e44"},
};

static void error_codes(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		assert_int_equal(wire_test_decode(t, PDU_ERROR, errors[i].hex), 0);
		assert_int_equal(t->body.error.code, errors[i].code);
		assert_int_equal(t->body.error.extended, errors[i].extended);
		assert_int_equal(t->body.error.datum, errors[i].extended ? 0x02010e44 : 0);
		wire_test_encode(t, PDU_ERROR, &t->body, errors[i].hex);
	}
}

static void challenge_words(void **state)
{
	assert_int_equal(pdu_challenge(PDU_FEATURE_AUTH | PDU_FEATURE_CONTAINER |
				       PDU_FEATURE_LABELS | PDU_FEATURE_HIGHRES |
				       PDU_FEATURE_DESCS),
			 0x02010e44);
	assert_int_equal(pdu_cred_version(PDU_VERSION, 0), 0x01020000);
	assert_int_equal(pdu_cred_version(3, PDU_FEATURE_CONTAINER), 0x01030040);
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"a shifted code below all numbers", PDU_ERROR, "80002c50 02010e44", PM_ERR_IPC},
	    {"credentials, negative", PDU_CREDS, "ffffffff", PM_ERR_IPC},
	    {"credentials, one missing", PDU_CREDS, "00000002 01020000", PM_ERR_IPC},
	    {"credentials, one too many", PDU_CREDS, "00000001 01020000 01020000", PM_ERR_IPC},
	    {"no credentials", PDU_CREDS, "00000000", 0},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

static void creds_limit(void **state)
{
	static uint32_t words[PDU_CREDS_MAX + 1];
	struct wire_test *t = *state;
	union pdu_body body = {.creds = {PDU_CREDS_MAX, words}};

	words[PDU_CREDS_MAX - 1] = 0x01020000;
	assert_int_equal(pdu_encode(&t->out, PDU_CREDS, 0, &body), 0);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
	assert_int_equal(t->body.creds.numcred, PDU_CREDS_MAX);
	assert_int_equal(t->body.creds.creds[PDU_CREDS_MAX - 1], 0x01020000);

	/* The same and one more, as only a stranger would send it. */
	buffer_put_u32(&t->out, 0);
	buffer_patch_u32(&t->out, 0, (uint32_t)t->out.len);
	buffer_patch_u32(&t->out, 12, PDU_CREDS_MAX + 1);
	assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), PM_ERR_IPC);
	body.creds.numcred++;
	wire_test_refuse(t, PDU_CREDS, &body, -EINVAL);
}

static void attr_values(void **state)
{
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_ATTR, "0000000f 616263"), 0);
	assert_int_equal(t->body.attr.key, PDU_ATTR_CONTAINER);
	wire_test_str_equal(t->body.attr.value, "abc");
	assert_int_equal(wire_test_decode(t, PDU_ATTR, "0000000b 3000"), 0);
	assert_int_equal(t->body.attr.value.len, 2); /* the NUL is part of the value */
	assert_int_equal(wire_test_decode(t, PDU_ATTR, "0000000f"), 0);
	assert_int_equal(t->body.attr.value.len, 0);
}

static void attr_limits(void **state)
{
	static const struct {
		int32_t key;
		uint32_t max;
	} cases[] = {{PDU_ATTR_CONTAINER, PDU_ATTR_MAX}, {PDU_ATTR_NONE, PDU_SASL_MAX}};
	static char value[PDU_ATTR_MAX + 1];
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		union pdu_body body = {.attr = {cases[i].key, {value, cases[i].max}}};

		buffer_reset(&t->out);
		assert_int_equal(pdu_encode(&t->out, PDU_ATTR, 0, &body), 0);
		assert_int_equal(t->out.len, 16 + cases[i].max);
		assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), 0);
		assert_int_equal(t->body.attr.value.len, cases[i].max);
		buffer_put_u8(&t->out, 0);
		buffer_patch_u32(&t->out, 0, (uint32_t)t->out.len);
		assert_int_equal(wire_test_decode_bytes(t, t->out.data, t->out.len), PM_ERR_IPC);
		body.attr.value.len++;
		wire_test_refuse(t, PDU_ATTR, &body, -EINVAL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(error_codes), WIRE_TEST(challenge_words), WIRE_TEST(malformed),
	    WIRE_TEST(creds_limit), WIRE_TEST(attr_values),     WIRE_TEST(attr_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

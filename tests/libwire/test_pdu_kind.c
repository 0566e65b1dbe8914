/* test_pdu_kind - the table of PDUs against docs/spec/pdu.md 3. */
#include "libwire/pdu_inner.h"
#include "wire_test.h"

/* The permitted senders: client and collector, collector and agent, control client and logger. */
enum {
	C = PDU_FROM_CLIENT,
	c = PDU_TO_CLIENT,
	A = PDU_TO_AGENT,
	a = PDU_FROM_AGENT,
	L = PDU_LOG_FROM_CLIENT,
	l = PDU_LOG_TO_CLIENT,
};

static const struct {
	uint32_t type;
	const char *name;
	unsigned int roles;
} rows[] = {
    {0x7000, "ERROR", c | A | a | l},
    {0x7001, "RESULT", C | c | A | a | l},
    {0x7002, "PROFILE", C | A},
    {0x7003, "FETCH", C | A},
    {0x7004, "DESC_REQ", C | A},
    {0x7005, "DESC", c | a},
    {0x7006, "INSTANCE_REQ", C | A},
    {0x7007, "INSTANCE", c | a},
    {0x7008, "TEXT_REQ", C | A},
    {0x7009, "TEXT", c | a},
    {0x700a, "CONTROL_REQ", 0},
    {0x700c, "CREDS", C | A | a | L},
    {0x700d, "PMNS_IDS", C | c | A | a},
    {0x700e, "PMNS_NAMES", C | c | A | a},
    {0x700f, "PMNS_CHILD", C | A},
    {0x7010, "PMNS_TRAVERSE", C | A},
    {0x7011, "ATTR", C | c | A},
    {0x7012, "LABEL_REQ", C | A},
    {0x7013, "LABEL", c | a},
    {0x7014, "HIGHRES_FETCH", C},
    {0x7015, "HIGHRES_RESULT", c},
    {0x7016, "DESC_IDS", C},
    {0x7017, "DESCS", c},
    {0x8000, "LOG_CONTROL", L},
    {0x8001, "LOG_STATUS_V2", l},
    {0x8002, "LOG_REQUEST", L},
    {0x8003, "LOG_STATUS", l},
};

static void every_row(void **state)
{
	uint32_t type = pdu_kind_next(0);
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++, type = pdu_kind_next(type)) {
		assert_int_equal(type, rows[i].type);
		assert_string_equal(pdu_name(type), rows[i].name);
		assert_ptr_equal(pdu_name_r(type, buf, sizeof(buf)), buf);
		assert_string_equal(buf, rows[i].name);
		assert_int_equal(pdu_roles(type), rows[i].roles);
	}
	assert_int_equal(type, 0);
	assert_int_equal(PDU_LAST - PDU_FIRST, 0x17);
}

static void no_row(void **state)
{
	static const struct {
		uint32_t type;
		const char *name;
	} cases[] = {
	    {0, "TYPE-0?"},
	    {0x6fff, "TYPE-28671?"},
	    {0x700b, "TYPE-28683?"},
	    {0x7018, "TYPE-28696?"},
	    {0x7fff, "TYPE-32767?"},
	    {0x8004, "TYPE-32772?"},
	    {0xffffffff, "TYPE--1?"},
	    {0x80000000, "TYPE--2147483648?"},
	    {0x7fffffff, "TYPE-2147483647?"},
	};
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(pdu_kind(cases[i].type));
		assert_null(pdu_name(cases[i].type));
		assert_int_equal(pdu_roles(cases[i].type), 0);
		assert_string_equal(pdu_name_r(cases[i].type, buf, sizeof(buf)), cases[i].name);
	}
}

static void name_is_cut(void **state)
{
	char buf[5];

	assert_string_equal(pdu_name_r(PDU_PROFILE, buf, sizeof(buf)), "PROF");
	assert_string_equal(pdu_name_r(PDU_PROFILE, buf, 1), "");
	assert_ptr_equal(pdu_name_r(PDU_PROFILE, buf, 0), buf);
}

/* A PDU of the least length is decoded or has a reason; one byte less never is. */
static void least_lengths(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pdu_kind *kind = pdu_kind(rows[i].type);
		AUTO_FREE uint8_t *pdu = calloc(1, kind->min_len);

		assert_true(kind->min_len >= PDU_HEADER_LEN);
		store_be32(pdu, kind->min_len - 1);
		store_be32(pdu + 4, rows[i].type);
		assert_int_equal(wire_test_decode_bytes(t, pdu, kind->min_len - 1), PM_ERR_IPC);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row),
	    cmocka_unit_test(no_row),
	    cmocka_unit_test(name_is_cut),
	    WIRE_TEST(least_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

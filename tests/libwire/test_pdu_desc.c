/* test_pdu_desc - DESC_REQ, DESC, DESC_IDS, DESCS. */
#include "wire_test.h"

/* The words of docs/spec/pdu.md 4.3, and the ends of every field. */
static const struct {
	uint32_t word;
	pmUnits units;
} units[] = {
    {0x00000000, {0}},
    {0x10010000, {.dimSpace = 1, .scaleSpace = PM_SPACE_KBYTE}},
    {0x01f01000, {.dimTime = 1, .dimCount = -1, .scaleTime = PM_TIME_USEC}},
    {0x01002000, {.dimTime = 1, .scaleTime = PM_TIME_MSEC}},
    {0x0f103000, {.dimTime = -1, .dimCount = 1, .scaleTime = PM_TIME_SEC}},
    {0x00100000, {.dimCount = 1}},
    {0x87800800, {.dimSpace = -8, .dimTime = 7, .dimCount = -8, .scaleCount = -8}},
    {0x000ff7ff, {.scaleSpace = 15, .scaleTime = 15, .scaleCount = 7, .pad = 255}},
};

static void desc_units(void **state)
{
	struct wire_test *t = *state;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		pmUnits got;
		char hex[64];

		snprintf(hex, sizeof(hex), "07400006 00000003 07400002 00000004 %08x",
			 (unsigned int)units[i].word);
		assert_int_equal(wire_test_decode(t, PDU_DESC, hex), 0);
		got = t->body.desc.desc.units;
		assert_memory_equal(&got, &units[i].units, sizeof(got));
		wire_test_encode(t, PDU_DESC, &t->body, hex);
	}
}

static void desc_fields(void **state)
{
	struct wire_test *t = *state;
	const pmDesc *desc = &t->body.desc.desc;

	assert_int_equal(
	    wire_test_decode(t, PDU_DESC, "07400006 ffffffff ffffffff 00000003 00000000"), 0);
	assert_int_equal(desc->pmid, 0x07400006);
	assert_int_equal(desc->type, PM_TYPE_NOSUPPORT);
	assert_int_equal(desc->indom, PM_INDOM_NULL);
	assert_int_equal(desc->sem, PM_SEM_INSTANT);
	assert_int_equal(wire_test_decode(t, PDU_DESC_REQ, "0f000800"), 0);
	assert_int_equal(t->body.desc_req.pmid, 0x0f000800);
	wire_test_encode(t, PDU_DESC_REQ, &t->body, "0f000800");
}

static void lists(void **state)
{
	static const char descs[] = "00000002 07400006 00000000 07400002 00000003 00000000"
				    "ffffffff 00000000 00000000 00000000 00000000";
	struct wire_test *t = *state;

	assert_int_equal(wire_test_decode(t, PDU_DESC_IDS, "ffffffff 00000002 00000001 00000002"),
			 0);
	assert_int_equal(t->body.desc_ids.numpmid, 2);
	assert_int_equal(t->body.desc_ids.pmids[1], 2);
	wire_test_encode(t, PDU_DESC_IDS, &t->body, "ffffffff 00000002 00000001 00000002");

	assert_int_equal(wire_test_decode(t, PDU_DESCS, descs), 0);
	assert_int_equal(t->body.descs.numdesc, 2);
	assert_int_equal(t->body.descs.descs[0].indom, 0x07400002);
	assert_int_equal(t->body.descs.descs[1].pmid, PM_ID_NULL);
	wire_test_encode(t, PDU_DESCS, &t->body, descs);
}

static void malformed(void **state)
{
	static const struct wire_test_case cases[] = {
	    {"first word not -1", PDU_DESC_IDS, "00000000 00000001 00000001", PM_ERR_IPC},
	    {"no identifier", PDU_DESC_IDS, "ffffffff 00000000", PM_ERR_IPC},
	    {"fewer than none", PDU_DESC_IDS, "ffffffff ffffffff 00000001", PM_ERR_IPC},
	    {"one missing", PDU_DESC_IDS, "ffffffff 00000002 00000001", PM_ERR_IPC},
	    {"one too many", PDU_DESC_IDS, "ffffffff 00000001 00000001 00000002", PM_ERR_IPC},
	    {"descriptors below 0", PDU_DESCS, "ffffffff", PM_ERR_IPC},
	    {"a descriptor missing", PDU_DESCS, "00000001", PM_ERR_IPC},
	    {"a word of one missing", PDU_DESCS, "00000001 00000000 00000000 00000000 00000000",
	     PM_ERR_IPC},
	    {"2^31-1 descriptors", PDU_DESCS,
	     "7fffffff 00000000 00000000 00000000 00000000 00000000", PM_ERR_IPC},
	    {"no descriptor", PDU_DESCS, "00000000", 0},
	};

	wire_test_cases(*state, cases, ARRAY_SIZE(cases));
}

static void refused(void **state)
{
	union pdu_body none = {.desc_ids = {.numpmid = 0}};

	wire_test_refuse(*state, PDU_DESC_IDS, &none, -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(desc_units), WIRE_TEST(desc_fields), WIRE_TEST(lists),
	    WIRE_TEST(malformed),  WIRE_TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_meta - metadata records field by field, those that are refused, and the table. */
#include "libdisk/meta.h"

#include <errno.h>

#include "wire_test.h"

/* Decodes a record whose bytes between the length words are given. */
static int decode(struct wire_test *t, const char *hex, enum meta_type *type, union meta_body *body)
{
	size_t len;
	AUTO_FREE uint8_t *bytes = wire_test_hex(hex, &len);
	uint32_t total = (uint32_t)len + RECORD_MIN;

	free(t->pdu);
	t->pdu = malloc(total);
	memcpy(t->pdu + 4, bytes, len);
	store_be32(t->pdu, total);
	store_be32(t->pdu + total - 4, total);
	arena_reset(&t->mem);
	return meta_decode(t->pdu, total, &t->mem, type, body);
}

static void fields_of_a_descriptor(void **state)
{
	enum meta_type type;
	union meta_body body;

	assert_int_equal(decode(*state,
				"00000001 0f000801 00000003 0f000002 00000001 10010000 00000002"
				"00000003 612e62 00000001 63",
				&type, &body),
			 0);
	assert_int_equal(type, META_DESC);
	assert_int_equal(body.desc.desc.pmid, 0x0f000801);
	assert_int_equal(body.desc.desc.type, PM_TYPE_U64);
	assert_int_equal(body.desc.desc.indom, 0x0f000002);
	assert_int_equal(body.desc.desc.sem, PM_SEM_COUNTER);
	assert_int_equal(body.desc.desc.units.dimSpace, 1);
	assert_int_equal(body.desc.desc.units.scaleSpace, PM_SPACE_KBYTE);
	assert_int_equal(body.desc.numnames, 2);
	wire_test_str_equal(body.desc.names[0], "a.b");
	wire_test_str_equal(body.desc.names[1], "c");
}

static void fields_of_a_delta(void **state)
{
	enum meta_type type;
	union meta_body body;

	assert_int_equal(decode(*state,
				"00000006 6b0066e4 00000001 186ecbd2 0f000002 00000003"
				"00000001 00000005 00000009 00000000 ffffffff 00000003"
				"6162 00 00",
				&type, &body),
			 0);
	assert_int_equal(type, META_INDOM_DELTA);
	assert_true(body.indom.stamp.tv_sec == 0x16b0066e4);
	assert_int_equal(body.indom.stamp.tv_nsec, 409914322);
	assert_int_equal(body.indom.numinst, 3);
	wire_test_str_equal(body.indom.insts[0].name, "ab");
	assert_null(body.indom.insts[1].name.s);
	assert_non_null(body.indom.insts[2].name.s);
	assert_int_equal(body.indom.insts[2].name.len, 0);
}

/* The example of docs/spec/archive.md 7.3. */
static void fields_of_labels(void **state)
{
	enum meta_type type;
	union meta_body body;
	const struct wire_labelset *set;

	assert_int_equal(decode(*state,
				"00000003 5b200000 000f4240 00000002 0000003c 00000002"
				"ffffffff 00000011 7b226167656e74223a226c696e7578227d 00000001"
				"0002 05 02 0009 0007"
				"00000007 00000000 ffffcfc7",
				&type, &body),
			 0);
	assert_int_equal(type, META_LABEL_V2);
	assert_int_equal(body.label.stamp.tv_nsec, 1000000000);
	assert_int_equal(body.label.type, PM_LABEL_DOMAIN);
	assert_int_equal(body.label.ident, 60);
	assert_int_equal(body.label.numset, 2);
	set = &body.label.sets[0];
	wire_test_str_equal(set->json, "{\"agent\":\"linux\"}");
	assert_int_equal(set->nlabels, 1);
	assert_memory_equal(set->json.s + set->labels[0].name, "agent", set->labels[0].namelen);
	assert_memory_equal(set->json.s + set->labels[0].value, "\"linux\"", 7);
	assert_int_equal(body.label.sets[1].nlabels, (int32_t)0xffffcfc7);
	assert_null(body.label.sets[1].labels);
}

static void malformed(void **state)
{
	static const struct {
		const char *what;
		const char *hex;
		int err;
	} cases[] = {
	    {"nothing", "", PM_ERR_LOGREC},
	    {"type 0", "00000000 00000000", PM_ERR_RECTYPE},
	    {"type 8", "00000008 00000000", PM_ERR_RECTYPE},
	    {"more names than bytes",
	     "00000001 0f000801 00000003 ffffffff 00000001 00000000 7fffffff 00000001 61",
	     PM_ERR_LOGREC},
	    {"a name beyond the record",
	     "00000001 0f000801 00000003 ffffffff 00000001 00000000 00000001 00000002 61",
	     PM_ERR_LOGREC},
	    {"more instances than bytes",
	     "00000002 00000001 00000000 0f000002 10000000 00000001 00000000 6100", PM_ERR_LOGREC},
	    {"an instance below 0",
	     "00000002 00000001 00000000 0f000002 00000001 ffffffff 00000000 6100", PM_ERR_LOGREC},
	    {"an offset beyond the strings",
	     "00000002 00000001 00000000 0f000002 00000001 00000001 00000002 6100", PM_ERR_LOGREC},
	    {"an offset below 0, which only a delta has",
	     "00000002 00000001 00000000 0f000002 00000001 00000001 ffffffff", PM_ERR_LOGREC},
	    {"a name without its NUL",
	     "00000002 00000001 00000000 0f000002 00000001 00000001 00000000 6162", PM_ERR_LOGREC},
	    {"names that share bytes",
	     "00000002 00000001 00000000 0f000002 00000002 00000001 00000002 00000000 00000000"
	     "6100",
	     PM_ERR_LOGREC},
	    {"a string that is nobody's",
	     "00000002 00000001 00000000 0f000002 00000001 00000001 00000000 6100 6200",
	     PM_ERR_LOGREC},
	    {"a text of no level", "00000004 00000004 0f000801 6100", PM_ERR_LOGREC},
	    {"a text of no target", "00000004 00000001 0f000801 6100", PM_ERR_LOGREC},
	    {"a text without its NUL", "00000004 00000005 0f000801 6162", PM_ERR_LOGREC},
	    {"a label's name beyond the text",
	     "00000003 00000001 00000000 00000002 0000003c 00000001 ffffffff 00000002 7b7d"
	     "00000001 0002 05 02 0000 0001",
	     PM_ERR_LOGREC},
	    {"256 labels",
	     "00000003 00000001 00000000 00000002 0000003c 00000001 ffffffff 00000002 7b7d"
	     "00000100",
	     PM_ERR_LOGREC},
	    {"a text of 65536 bytes, which are not there",
	     "00000003 00000001 00000000 00000002 0000003c 00000001 ffffffff 00010000 7b7d"
	     "00000000",
	     PM_ERR_LOGREC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum meta_type type;
		union meta_body body;
		int r = decode(*state, cases[i].hex, &type, &body);

		if (r != cases[i].err)
			fail_msg("%s: %d", cases[i].what, r);
	}
}

static void refuse(struct wire_test *t, enum meta_type type, const union meta_body *body, int err)
{
	buffer_reset(&t->out);
	buffer_put(&t->out, "before", 6);
	assert_int_equal(meta_encode(&t->out, type, body), err);
	assert_int_equal(buffer_pending(&t->out), 6);
	assert_int_equal(t->out.err, 0);
}

static void what_no_record_can_carry(void **state)
{
	struct wire_inst inst = {1, {"a\0b", 3}};
	union meta_body indom = {.indom = {.numinst = 1, .insts = &inst}};
	struct wire_labelset set = {.json = {"{}", 2}, .nlabels = DISK_LABELS_MAX + 1};
	union meta_body label = {.label = {.numset = 1, .sets = &set}};
	union meta_body text = {.text = {.type = PM_TEXT_HELP, .text = {"a", 1}}};

	refuse(*state, META_INDOM, &indom, -EINVAL);
	inst.name = (struct wire_str){NULL, 0};
	refuse(*state, META_INDOM, &indom, -EINVAL); /* a deletion is a delta's */
	inst = (struct wire_inst){-1, {"a", 1}};
	refuse(*state, META_INDOM, &indom, -EINVAL);
	inst.inst = 1;
	indom.indom.stamp.tv_sec = (int64_t)1 << 31;
	refuse(*state, META_INDOM_V2, &indom, -ERANGE);
	refuse(*state, META_LABEL, &label, -EINVAL);
	refuse(*state, META_TEXT, &text, -EINVAL);
	refuse(*state, (enum meta_type)8, &text, -EINVAL);
}

static void the_table(void **state)
{
	static const struct {
		const char *name;
		bool v2, v3;
	} rows[META_LAST + 1] = {
	    {NULL, false, false},         {"DESC", true, true},   {"INDOM_V2", true, false},
	    {"LABEL_V2", true, false},    {"TEXT", true, true},   {"INDOM", false, true},
	    {"INDOM_DELTA", false, true}, {"LABEL", false, true},
	};

	assert_null(meta_name(0));
	assert_null(meta_name(META_LAST + 1));
	for (uint32_t type = 1; type <= META_LAST; type++) {
		assert_string_equal(meta_name(type), rows[type].name);
		assert_int_equal(meta_type_in_version(type, DISK_V2), rows[type].v2);
		assert_int_equal(meta_type_in_version(type, DISK_V3), rows[type].v3);
	}
	assert_int_equal(meta_type_indom(DISK_V2), META_INDOM_V2);
	assert_int_equal(meta_type_label(DISK_V3), META_LABEL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    WIRE_TEST(fields_of_a_descriptor),   WIRE_TEST(fields_of_a_delta),
	    WIRE_TEST(fields_of_labels),         WIRE_TEST(malformed),
	    WIRE_TEST(what_no_record_can_carry), WIRE_TEST(the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

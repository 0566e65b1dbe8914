/* test_build - texts to trees, and every error of a text (docs/spec/pmcd.md 10.1). */
#include "libpmns/build.h"
#include "pmns_test.h"

#define PREFIX "Error Parsing ASCII PMNS: "
#define X50    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X250   X50 X50 X50 X50 X50

// clang-format off
static const struct {
	const char *text;
	const char *leaves;
} trees[] = {
	{ "root {\n b 1:2:3\n a\n}\na { x 1:1:1 y\n}\na.y {\n z 2:2:2 \n w 3:3:3\n}\n",
	  "b 1.2.3\na.x 1.1.1\na.y.z 2.2.2\na.y.w 3.3.3\n" },
	{ "a.b.c {\n x 1:1:1\n}\nroot {\n a\n}\na {\n b\n}\na.b {\n c\n}\n", "a.b.c.x 1.1.1\n" },
	{ "root { x 1:1:1 y z 1:1:2 } y { b 1:1:1 c 1:1:2 }\n",
	  "x 1.1.1\ny.b 1.1.1\ny.c 1.1.2\nz 1.1.2\n" },
	{ "root {\n b 2 : * : *\n c 1 : 2 : 3\n}\n", "b 2.*.*\nc 1.2.3\n" },
	{ "root { b 1:1 :1\n c 1:1: 1\n}\n", "b 1.1.1\nc 1.1.1\n" },
	{ "root\n{\nb\n1:1:1\n}\n", "b 1.1.1\n" },
	{ "root {\r\n x 1:1:1\r\n}\r\n", "x 1.1.1\n" },
	{ "root { b 0:0:0 c 510:4095:1023 d 000001:0002:0003 }", "b 0.0.0\nc 510.4095.1023\nd 1.2.3\n" },
	{ "root {\n}\n", "" },
	{ "root {\n a\n}\na {\n}\n", "" },
	{ "root {\n root 1:2:3\n}\n", "root 1.2.3\n" },
	{ "root {\n x 1:1:1\n y 1:1:1\n}\n", "x 1.1.1\ny 1.1.1\n" },
	{ "# 12 \"other\"\nroot {\n#3 \"x\" 1 2\n \t # 3 \"x\"junk\n b 1:2:3\n}\n", "b 1.2.3\n" },
	/* The last brace and the last newline may be missing. */
	{ "root {\n b 1:2:3\n", "b 1.2.3\n" },
	{ "root {\n b 1:2:3", "b 1.2.3\n" },
	{ "root {\n b\n}\nb {\n c 1:2:3", "b.c 1.2.3\n" },
	/* A line of 255 bytes, newline included, is not too long. */
	{ "root {\n" X250 "\n}\n" X250 " {\nx 1:1:1\n}\n", X250 ".x 1.1.1\n" },
};

static const struct {
	unsigned int flags;
	const char *text;
	const char *message;
} errors[] = {
	{ 0, "", PREFIX "No name space entry for \"root\"\n" },
	{ 0, "roo {\n b 1:2:3\n}\n", PREFIX "No name space entry for \"root\"\n" },
	{ 0, "root {\n b 1:2:3\n}\nroot {\n c 1:2:4\n}\n",
	  PREFIX "Multiple name space entries for \"root\"\n" },
	{ 0, "root {\n a\n}\na {\n c 1:2:4\n}\na {\n d 1:2:5\n}\n",
	  PREFIX "Multiple name space entries for \"a\"\n" },
	{ 0, "root {\n b 1:2:3\n a\n q\n}\n",
	  PREFIX "Cannot find definition for non-terminal node \"a\" in name space\n" },
	{ 0, "root {\n a\n}\na {\n b\n}\n",
	  PREFIX "Cannot find definition for non-terminal node \"a.b\" in name space\n" },
	{ 0, "root {\n a\n}\nroot.a {\n b 1:1:1\n}\n",
	  PREFIX "Cannot find definition for non-terminal node \"a\" in name space\n" },
	{ 0, "root {\n x 1:1:1\n}\na { b 1:1:1\n}\nc.d {\n",
	  PREFIX "Disconnected subtree (\"a\") in name space\n"
	  PREFIX "Disconnected subtree (\"c.d\") in name space\n" },
	{ 0, "root {\n b 1:2:3\n}\nb {\n x 1:2:4\n}\n",
	  PREFIX "Disconnected subtree (\"b\") in name space\n" },
	{ 0, "b {\n x 1:2:4\n}\nroot {\n b 1:2:3\n}\n",
	  PREFIX "Disconnected subtree (\"b\") in name space\n" },
	{ 0, "root {\n b 1:2:3\n c 1:1:1\n b 1:2:3\n}\n",
	  "[f:4] " PREFIX "Duplicate name \"b\" in subtree for \"root\"\n    b 1:2:3\n    ^\n" },
	{ 0, "root {\n a }\na {\n b\n b 1:2:3\n}\n",
	  "[f:5] " PREFIX "Duplicate name \"b\" in subtree for \"a\"\n    b 1:2:3\n    ^\n" },
	{ 0, "root {\n a }\na {\n b 1:2:3 b\n}\n",
	  "[f:4] " PREFIX "Duplicate name \"b\" in subtree for \"a\"\n    b 1:2:3 b\n            ^\n" },
	{ 0, "root 1:2:3\n", "[f:1] " PREFIX "{ expected\n    root 1:2:3\n         ^\n" },
	{ 0, "root x {\n", "[f:1] " PREFIX "{ expected\n    root x {\n         ^\n" },
	{ 0, "root", "[f:1] " PREFIX "{ expected\n    root\n        ^\n" },
	{ 0, "{\n b 1:2:3\n}\n", "[f:1] " PREFIX "Expected NAME or PATH\n    {\n    ^\n" },
	{ 0, "root {\n\tx 1:1:1 }\n}\n", "[f:3] " PREFIX "Expected NAME or PATH\n    }\n    ^\n" },
	{ 0, "root{\n b 1:2:3\n}\n", "[f:1] " PREFIX "Expected NAME or PATH\n    root{\n    ^\n" },
	{ 0, "root {\n}\n.a {\n", "[f:3] " PREFIX "Expected NAME or PATH\n    .a {\n    ^\n" },
	{ 0, "root {\n}\na. {\n", "[f:3] " PREFIX "Expected NAME or PATH\n    a. {\n    ^\n" },
	{ 0, "root {\n {\n", "[f:2] " PREFIX "Expected NAME or }\n    {\n    ^\n" },
	{ 0, "root {\n b.c 1:2:3\n}\n", "[f:2] " PREFIX "Expected NAME or }\n    b.c 1:2:3\n    ^\n" },
	{ 0, "root {\n 9x 1:2:4\n}\n", "[f:2] " PREFIX "Expected NAME or }\n    9x 1:2:4\n    ^\n" },
	{ 0, "root {\n _x 1:2:4\n}\n", "[f:2] " PREFIX "Expected NAME or }\n    _x 1:2:4\n    ^\n" },
	{ 0, "root {\n x-y 1:2:4\n}\n", "[f:2] " PREFIX "Expected NAME or }\n    x-y 1:2:4\n    ^\n" },
	{ 0, "root {\n b 1:2:3 4:5:6\n}\n",
	  "[f:2] " PREFIX "Expected NAME or }\n    b 1:2:3 4:5:6\n            ^\n" },
	{ 0, "root {\n b {\n", "[f:2] " PREFIX "Expected NAME, PMID or }\n    b {\n      ^\n" },
	{ 0, "root {\n b 1:2:3}\n", "[f:2] " PREFIX "Expected NAME, PMID or }\n    b 1:2:3}\n      ^\n" },
	{ 0, "root {\n b 2:*:*}\n", "[f:2] " PREFIX "Expected NAME, PMID or }\n    b 2:*:*}\n      ^\n" },
	{ 0, "root {\n x -1:2:3\n}\n", "[f:2] " PREFIX "Expected NAME, PMID or }\n    x -1:2:3\n      ^\n" },
	{ 0, "root {\n c 2:2:2x\n}\n", "[f:2] " PREFIX "Expected NAME, PMID or }\n    c 2:2:2x\n      ^\n" },
	{ 0, "root {\n b 511:0:0\n", "[f:2] " PREFIX "Illegal domain field in PMID\n    b 511:0:0\n      ^\n" },
	{ 0, "root {\n b 99999999999999999999:1:1\n",
	  "[f:2] " PREFIX "Illegal domain field in PMID\n    b 99999999999999999999:1:1\n      ^\n" },
	{ 0, "root {\n b 510:4096:0\n", "[f:2] " PREFIX "Illegal cluster field in PMID\n    b 510:4096:0\n      ^\n" },
	{ 0, "root {\n b 1:1:1024\n", "[f:2] " PREFIX "Illegal item field in PMID\n    b 1:1:1024\n      ^\n" },
	{ 0, "root {\n b 511:*:*\n", "[f:2] " PREFIX "Illegal domain field in dynamic PMID\n    b 511:*:*\n      ^\n" },
	{ 0, "root {\n x 1:2:*\n", "[f:2] " PREFIX "Illegal PMID\n    x 1:2:*\n      ^\n" },
	{ 0, "root {\n x 1:*:2\n", "[f:2] " PREFIX "Illegal PMID\n    x 1:*:2\n      ^\n" },
	{ 0, "root {\n x 1:2\n", "[f:2] " PREFIX "Illegal PMID\n    x 1:2\n      ^\n" },
	{ 0, "root {\n x 12\n", "[f:2] " PREFIX "Illegal PMID\n    x 12\n      ^\n" },
	{ 0, "root {\n x 1:\n2:3\n", "[f:2] " PREFIX "Illegal PMID\n    x 1:\n      ^\n" },
	{ 0, "root {\n x 1:2:3:4\n", "[f:2] " PREFIX "Illegal PMID\n    x 1:2:3:4\n      ^\n" },
	{ 0, "root {\n x *:1:1\n", "[f:2] " PREFIX "Illegal PMID\n    x *:1:1\n      ^\n" },
	{ 0, "# foo\nroot {\n", "[f:1] " PREFIX "Illegal line number control number\n    # foo\n    ^\n" },
	{ 0, "root {\n\n  # 12 foo\n", "[f:3] " PREFIX "Illegal line number control number\n    # 12 foo\n    ^\n" },
	{ 0, "# 12 \"other\"\nroot {\n b 1:1\n", "[other:13] " PREFIX "Illegal PMID\n    b 1:1\n      ^\n" },
	{ 0, "root {\n a" X250 " 1:1:1\n}\n",
	  "[f:2] " PREFIX "Absurdly long line, cannot recover\n    a" X250 " 1:1\n    ^\n" },
	{ PMNS_UNIQUE_PMIDS, "root {\n x 1:1:1\n a\n y 1:1:2\n d 2:*:*\n e 2:*:*\n}\na {\n f 1:1:1\n}\n",
	  PREFIX "Duplicate metric id (1.1.1) in name space for metrics \"a.f\" and \"x\"\n" },
};
// clang-format on

static void golden_trees(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct buffer said = BUFFER_INIT, leaves = BUFFER_INIT;
		struct pmns_options opt = {.message = test_message, .message_arg = &said};
		struct pmns *ns = NULL;
		int r = pmns_load_text(trees[i].text, strlen(trees[i].text), "f", &opt, &ns);

		assert_string_equal(buffer_str(&said), "");
		assert_int_equal(r, 0);
		test_leaves(ns, &leaves);
		assert_string_equal(buffer_str(&leaves), trees[i].leaves);
		pmns_free(ns);
		buffer_done(&said);
		buffer_done(&leaves);
	}
}

static void error_texts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct buffer said = BUFFER_INIT;
		struct pmns_options opt = {
		    .flags = errors[i].flags, .message = test_message, .message_arg = &said};
		struct pmns *ns = NULL;
		int r = pmns_load_text(errors[i].text, strlen(errors[i].text), "f", &opt, &ns);

		assert_string_equal(buffer_str(&said), errors[i].message);
		assert_int_equal(r, PM_ERR_PMNS);
		assert_null(ns);
		/* Without a callback for messages the result is the same. */
		opt.message = NULL;
		assert_int_equal(
		    pmns_load_text(errors[i].text, strlen(errors[i].text), "f", &opt, &ns),
		    PM_ERR_PMNS);
		buffer_done(&said);
	}
}

/* A duplicate is found also when it is still among the leaves that wait for their look-up. */
static void duplicate_at_any_distance(void **state)
{
	for (int distance = 1; distance < 2 * BUILD_WAITING + 2; distance++) {
		struct buffer text = BUFFER_INIT;
		struct pmns *ns = NULL;

		buffer_printf(&text, "root {\n");
		for (int i = 0; i < distance; i++)
			buffer_printf(&text, "m%d 1:2:3\n", i);
		buffer_printf(&text, "m0 1:2:3\n}\n");
		assert_int_equal(pmns_load_text(buffer_str(&text), text.len, "f", NULL, &ns),
				 PM_ERR_PMNS);
		buffer_done(&text);
	}
}

static void pmid_fields(void **state)
{
	pmID pmid = 0;
	const char *error;

	assert_int_equal(build_pmid("1:2:3", 5, &pmid, &error), 0);
	assert_int_equal(pmid, 1 << 22 | 2 << 10 | 3);
	assert_int_equal(build_pmid(" 60 :\t* : * ", 12, &pmid, &error), 0);
	assert_true(pmns_pmid_is_dynamic(pmid));
	assert_int_equal(pmns_dynamic_domain(pmid), 60);
	assert_int_equal(build_pmid("1:2:3", 4, &pmid, &error), PM_ERR_PMNS);
	assert_string_equal(error, "Illegal PMID");
	assert_true(pmns_pmid_is_dynamic(pmid)); /* left alone */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(golden_trees),
	    cmocka_unit_test(error_texts),
	    cmocka_unit_test(duplicate_at_any_distance),
	    cmocka_unit_test(pmid_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

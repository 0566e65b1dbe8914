/* test_load - files and folders; and with PITOT_PEER, the name space of PCP itself. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmns_test.h"

#define PREFIX "Error Parsing ASCII PMNS: "

struct loading {
	const char *dir;
	struct buffer said;
	struct buffer leaves;
	struct pmns_options opt;
	struct pmns *ns;
};

static int setup(void **state)
{
	struct loading *l = calloc(1, sizeof(*l));

	l->dir = test_folder();
	l->opt.message = test_message;
	l->opt.message_arg = &l->said;
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct loading *l = *state;

	test_folder_remove(l->dir);
	buffer_done(&l->said);
	buffer_done(&l->leaves);
	pmns_free(l->ns);
	free(l);
	return 0;
}

/* The messages since the last call, with "DIR" instead of the folder's path. */
static void assert_said(struct loading *l, const char *expected)
{
	struct buffer text = BUFFER_INIT;
	const char *s = buffer_str(&l->said);
	const char *at;

	while ((at = strstr(s, l->dir)) != NULL) {
		buffer_put(&text, s, (size_t)(at - s));
		buffer_printf(&text, "DIR");
		s = at + strlen(l->dir);
	}
	buffer_printf(&text, "%s", s);
	assert_string_equal(buffer_str(&text), expected);
	buffer_done(&text);
	buffer_reset(&l->said);
}

static void assert_leaves(struct loading *l, const char *expected)
{
	buffer_reset(&l->leaves);
	test_leaves(l->ns, &l->leaves);
	assert_string_equal(buffer_str(&l->leaves), expected);
}

static void one_file(void **state)
{
	struct loading *l = *state;
	const char *path = test_file(l->dir, "x", "#define D 3\nroot {\n a D:1:1\n}\n");

	assert_int_equal(pmns_load_file(path, &l->opt, &l->ns), PM_ERR_PMNS);
	assert_said(l, "[DIR/x:1] " PREFIX "Illegal line number control number\n"
		       "    #define D 3\n    ^\n");
	l->opt.flags = PMNS_PREPROCESS;
	assert_int_equal(pmns_load_file(path, &l->opt, &l->ns), 0);
	assert_said(l, "");
	assert_leaves(l, "a 3.1.1\n");
	assert_false(pmns_changed(l->ns));
	test_file(l->dir, "x", "#define D 3\nroot {\n a D:1:1\n\n}\n");
	assert_true(pmns_changed(l->ns));
}

static void missing(void **state)
{
	struct loading *l = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/nosuch", l->dir);
	assert_int_equal(pmns_load_file(path, &l->opt, &l->ns), -ENOENT);
	assert_said(l, PREFIX "Cannot open \"DIR/nosuch\"\n");
	assert_int_equal(pmns_load_folder(path, &l->opt, &l->ns), -ENOENT);
	assert_said(l, PREFIX "Cannot open \"DIR/nosuch\"\n");
	assert_int_equal(pmns_load_file(l->dir, &l->opt, &l->ns), -EISDIR);
	assert_null(l->ns);
}

/* An error of the preprocessor is the name space's, and says where. */
static void bad_directive(void **state)
{
	struct loading *l = *state;
	const char *path = test_file(l->dir, "x", "root {\n}\n#shell 'echo'\n");

	l->opt.flags = PMNS_PREPROCESS;
	assert_int_equal(pmns_load_file(path, &l->opt, &l->ns), PM_ERR_PMNS);
	assert_said(l, "pmcpp: DIR/x[3]: #shell 'echo'\n"
		       "pmcpp: Error: #shell is refused: no command is run for a file\n"
		       "Error Parsing ASCII PMNS: pmcpp returned non-zero exit status\n");
}

/* Errors in an included file name that file and its line, and a change of it is detected. */
static void included(void **state)
{
	struct loading *l = *state;

	l->opt.flags = PMNS_PREPROCESS;
	test_file(l->dir, "inc", " b 1:1:1\n c 1:1\n");
	assert_int_equal(pmns_load_file(test_file(l->dir, "x", "root {\n#include \"inc\"\n}\n"),
					&l->opt, &l->ns),
			 PM_ERR_PMNS);
	assert_said(l, "[DIR/inc:2] " PREFIX "Illegal PMID\n    c 1:1\n      ^\n");
	test_file(l->dir, "inc", " b 1:1:1\n c 1:1:2\n");
	assert_int_equal(pmns_load_file(test_file(l->dir, "x", "root {\n#include \"inc\"\n}\n"),
					&l->opt, &l->ns),
			 0);
	assert_leaves(l, "b 1.1.1\nc 1.1.2\n");
	assert_false(pmns_changed(l->ns));
	test_file(l->dir, "inc", "");
	assert_true(pmns_changed(l->ns));
}

static void fragments(void **state)
{
	struct loading *l = *state;
	char pipe[128];

	test_file(l->dir, "stdpmid.pcp", "ONE 1\nTWO 2\n");
	test_file(l->dir, "root_a",
		  "#ifndef ONE\n#define ONE 99\n#endif\nroot {\n a\n s\n}\n"
		  "a { x ONE:0:1 }\ns { p ONE:0:2 }\n");
	test_file(l->dir, "root_b",
		  "#include <stdpmid>\n#define TWO 20\nroot {\n b TWO:*:*\n s\n a\n}\n"
		  "s { q TWO:0:1\n p ONE:0:2 }\na { x ONE:0:7 }\n");
	test_file(l->dir, "root_broken", "root {\n c 3:0:1\n d {\n}\n");
	test_file(l->dir, "root_z", "root {\n b\n s 9:9:9\n z 9:9:8\n}\nb {\n y 9:9:7\n}\n");
	test_file(l->dir, "root", "root {\n never 1:1:1\n}\n");
	/* A file that would block, or is not regular, is treated as missing. */
	snprintf(pipe, sizeof(pipe), "%s/root_pipe", l->dir);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	snprintf(pipe, sizeof(pipe), "%s/root_folder", l->dir);
	assert_int_equal(mkdir(pipe, 0700), 0);
	assert_int_equal(pmns_load_folder(l->dir, &l->opt, &l->ns), 0);
	assert_said(l, "DIR/root_b: \"a.x\" (1.0.7) is skipped: it is 1.0.1 already\n"
		       "[DIR/root_broken:3] " PREFIX "Expected NAME, PMID or }\n"
		       "    d {\n      ^\n"
		       "DIR/root_z: \"b.y\" (9.9.7) is skipped: it is below a metric\n"
		       "DIR/root_z: \"s\" (9.9.9) is skipped: it is no metric already\n");
	assert_leaves(l, "a.x 1.0.1\ns.p 1.0.2\ns.q 20.0.1\nb 20.*.*\nz 9.9.8\n");
	assert_false(pmns_changed(l->ns));
	test_file(l->dir, "stdpmid.pcp", "ONE 1\n");
	assert_true(pmns_changed(l->ns));
}

/* A fragment that comes, goes or is repaired changes the folder. */
static void folder_changes(void **state)
{
	struct loading *l = *state;
	const struct {
		const char *name;
		const char *text;
	} steps[] = {
	    {"root_b", "root {\n b 1:1:2\n}\n"},
	    {"root_a", "root {\n a 1:1:1\n"},
	    {"root_a", "root {\n a2 1:1:1\n}\n"},
	};

	test_file(l->dir, "root_a", "root {\n a 1:1:1 {\n");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(pmns_load_folder(l->dir, &l->opt, &l->ns), 0);
		assert_false(pmns_changed(l->ns));
		usleep(20000); /* the clock of file times is coarse */
		test_file(l->dir, steps[i].name, steps[i].text);
		assert_true(pmns_changed(l->ns));
		pmns_free(l->ns);
		l->ns = NULL;
	}
	assert_int_equal(pmns_load_folder(l->dir, &l->opt, &l->ns), 0);
	assert_leaves(l, "a2 1.1.1\nb 1.1.2\n");
}

static void unique_over_fragments(void **state)
{
	struct loading *l = *state;

	l->opt.flags = PMNS_UNIQUE_PMIDS;
	test_file(l->dir, "root_a", "root {\n a 1:1:1\n d 1:*:*\n}\n");
	test_file(l->dir, "root_b", "root {\n a 1:1:1\n b 1:1:1\n c 1:1:2\n e 1:*:*\n}\n");
	assert_int_equal(pmns_load_folder(l->dir, &l->opt, &l->ns), 0);
	assert_said(l, PREFIX "Duplicate metric id (1.1.1) in name space for metrics \"b\" and "
			      "\"a\"\n");
	assert_leaves(l, "a 1.1.1\nd 1.*.*\nc 1.1.2\ne 1.*.*\n");
}

/* The fragments that Debian's packages bring: each loads, and together they have no conflict. */
static void peer(void **state)
{
	struct loading *l = *state;
	const char *root = getenv("PITOT_PEER");
	struct pmns_entry e;
	char dir[256];

	if (root == NULL)
		skip();
	snprintf(dir, sizeof(dir), "%s/usr/lib/pcp/pmns", root);
	assert_int_equal(pmns_load_folder(dir, &l->opt, &l->ns), 0);
	assert_said(l, "");
	assert_true(pmns_count(l->ns) > 2000);
	assert_int_equal(pmns_lookup(l->ns, "kernel.all.load", 15, &e), 0);
	assert_int_equal(e.pmid, pmns_pmid(60, 2, 0));
	assert_int_equal(pmns_lookup_dynamic(l->ns, "mmv.x", 5, &e), 0);
	assert_int_equal(pmns_dynamic_domain(e.pmid), 70);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(one_file),  CASE(missing),        CASE(bad_directive),         CASE(included),
	    CASE(fragments), CASE(folder_changes), CASE(unique_over_fragments), CASE(peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

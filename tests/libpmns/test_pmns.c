/* test_pmns - the tree: adding, finding, walking, hiding. */
#include <errno.h>

#include "libpmns/pmns_tree.h"
#include "pmns_test.h"

static int add(struct pmns *ns, const char *name, pmID pmid)
{
	return pmns_add(ns, name, strlen(name), pmid);
}

static int lookup(const struct pmns *ns, const char *name, struct pmns_entry *e)
{
	return pmns_lookup(ns, name, strlen(name), e);
}

/* The names of a walk, each followed by a blank. */
static int gather(void *arg, const struct pmns_entry *e)
{
	buffer_printf(arg, "%s%s ", e->name, e->kind == PMNS_DYNAMIC ? "*" : "");
	return 0;
}

static int stop_at_second(void *arg, const struct pmns_entry *e)
{
	int *left = arg;

	return --*left == 0 ? -77 : 0;
}

static struct pmns *sample(void)
{
	struct pmns *ns = pmns_new();

	assert_non_null(ns);
	assert_int_equal(add(ns, "kernel.all.load", pmns_pmid(60, 2, 0)), 1);
	assert_int_equal(add(ns, "mem.free", pmns_pmid(60, 1, 1)), 1);
	assert_int_equal(add(ns, "kernel.all.cpu.user", pmns_pmid(60, 0, 20)), 1);
	assert_int_equal(add(ns, "kernel.all.cpu.sys", pmns_pmid(60, 0, 22)), 1);
	assert_int_equal(add(ns, "kernel.load", pmns_pmid(60, 2, 0)), 1);
	assert_int_equal(add(ns, "mmv", pmns_dynamic_pmid(70)), 1);
	assert_int_equal(add(ns, "app.live", pmns_dynamic_pmid(71)), 1);
	return ns;
}

static void adding(void **state)
{
	// clang-format off
	static const struct {
		const char *name;
		pmID pmid;
		int result;
	} rows[] = {
		{ "mem.free", 60u << 22 | 1 << 10 | 1, 0 },
		{ "mem.free", 60u << 22 | 1 << 10 | 2, PM_ERR_PMNS }, /* another PMID */
		{ "mem", 1, PM_ERR_PMNS },                            /* is a non-leaf */
		{ "mem.free.more", 1, PM_ERR_PMNS },                  /* below a leaf */
		{ "mem.free.more.yet", 1, PM_ERR_PMNS },
		{ "mmv.x", 1, PM_ERR_PMNS },                          /* below a dynamic root */
		{ "", 1, PM_ERR_NAME },
		{ ".", 1, PM_ERR_NAME },
		{ ".a", 1, PM_ERR_NAME },
		{ "a.", 1, PM_ERR_NAME },
		{ "a..b", 1, PM_ERR_NAME },
		{ "odd-name.9 x.\xff", 7, 1 },
		{ "mem.used", 7, 1 },
	};
	// clang-format on
	struct pmns *ns = sample();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(add(ns, rows[i].name, rows[i].pmid), rows[i].result);
	assert_int_equal(pmns_count(ns), 9);
	assert_int_equal(pmns_children(ns, "mem.free", 8, NULL, NULL), 0);
	pmns_free(ns);
}

static void limits(void **state)
{
	struct pmns *ns = pmns_new();
	char name[PMNS_NAME_MAX + 2];
	struct pmns_entry e;

	memset(name, 'x', sizeof(name));
	assert_int_equal(pmns_add(ns, name, PMNS_NAME_MAX + 1, 1), PM_ERR_NAME);
	assert_int_equal(pmns_add(ns, name, PMNS_NAME_MAX, 1), 1);
	assert_int_equal(pmns_lookup(ns, name, PMNS_NAME_MAX, &e), 0);
	assert_int_equal(pmns_lookup(ns, name, PMNS_NAME_MAX + 1, &e), PM_ERR_NAME);
	for (size_t i = 1; i < sizeof(name); i += 2)
		name[i] = '.';
	assert_int_equal(pmns_add(ns, name, 2 * PMNS_DEPTH_MAX + 1, 1), PM_ERR_NAME);
	assert_int_equal(pmns_add(ns, name, 2 * PMNS_DEPTH_MAX - 1, 1), 1);
	assert_int_equal(pmns_add(ns, "a\0b", 3, 1), PM_ERR_NAME);
	pmns_free(ns);
}

static void looking_up(void **state)
{
	struct pmns *ns = sample();
	struct pmns_entry e;

	assert_int_equal(lookup(ns, "kernel.all.cpu.user", &e), 0);
	assert_string_equal(e.name, "kernel.all.cpu.user");
	assert_string_equal(e.base, "user");
	assert_int_equal(e.name_len, 19);
	assert_int_equal(e.base_len, 4);
	assert_int_equal(e.pmid, pmns_pmid(60, 0, 20));
	assert_int_equal(e.kind, PMNS_LEAF);
	assert_int_equal(pmns_status(&e), PMNS_LEAF_STATUS);
	assert_int_equal(lookup(ns, "kernel.all.cpu", &e), 0);
	assert_int_equal(e.kind, PMNS_NONLEAF);
	assert_string_equal(e.base, "cpu");
	assert_int_equal(e.pmid, PM_ID_NULL);
	assert_int_equal(lookup(ns, "mmv", &e), 0);
	assert_int_equal(e.kind, PMNS_DYNAMIC);
	assert_int_equal(pmns_status(&e), PMNS_NONLEAF_STATUS);
	assert_int_equal(lookup(ns, "", &e), 0);
	assert_string_equal(e.name, "");
	assert_int_equal(e.kind, PMNS_NONLEAF);
	assert_int_equal(lookup(ns, "kernel.all.cp", &e), PM_ERR_NAME);
	assert_int_equal(lookup(ns, "kernel.all.cpu.userx", &e), PM_ERR_NAME);
	assert_int_equal(lookup(ns, ".", &e), PM_ERR_NAME);
	assert_int_equal(pmns_lookup(ns, "mem.freeXX", 8, &e), 0); /* by length */
	pmns_free(ns);
}

static void dynamic_roots(void **state)
{
	static const struct {
		const char *name;
		const char *root; /* NULL: none */
	} rows[] = {
	    {"mmv", "mmv"},
	    {"mmv.a.b.c", "mmv"},
	    {"mmvx", NULL},
	    {"mmvx.a", NULL},
	    {"app.live.x", "app.live"},
	    {"app", NULL},
	    {"app.dead", NULL},
	    {"kernel.load.x", NULL},
	    {"", NULL},
	    {".", NULL},
	    {"mmv.", "mmv"},
	};
	struct pmns *ns = sample();
	struct pmns *empty = pmns_new();
	struct pmns_entry e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r = pmns_lookup_dynamic(ns, rows[i].name, strlen(rows[i].name), &e);

		assert_int_equal(r, rows[i].root == NULL ? PM_ERR_NAME : 0);
		if (rows[i].root != NULL)
			assert_string_equal(e.name, rows[i].root);
		assert_int_equal(pmns_lookup_dynamic(empty, rows[i].name, strlen(rows[i].name), &e),
				 PM_ERR_NAME);
	}
	assert_int_equal(pmns_lookup_dynamic(ns, "mmv.x", 5, &e), 0);
	assert_int_equal(pmns_dynamic_domain(e.pmid), 70);
	pmns_free(ns);
	pmns_free(empty);
}

static void check_walk(const struct pmns *ns,
		       int (*walk)(const struct pmns *, const char *, size_t, pmns_visit, void *),
		       const char *name, int count, const char *names)
{
	struct buffer got = BUFFER_INIT;

	assert_int_equal(walk(ns, name, strlen(name), gather, &got), count);
	assert_string_equal(buffer_str(&got), names);
	assert_int_equal(walk(ns, name, strlen(name), NULL, NULL), count);
	buffer_done(&got);
}

static void walking(void **state)
{
	struct pmns *ns = sample();
	int left = 2;

	check_walk(ns, pmns_children, "", 4, "kernel mem mmv* app ");
	check_walk(ns, pmns_children, "kernel.all", 2, "kernel.all.load kernel.all.cpu ");
	check_walk(ns, pmns_children, "mem.free", 0, "");
	check_walk(ns, pmns_children, "mmv", 0, "");
	check_walk(ns, pmns_children, "nope", PM_ERR_NAME, "");
	check_walk(ns, pmns_traverse, "", 7,
		   "kernel.all.load kernel.all.cpu.user kernel.all.cpu.sys kernel.load mem.free "
		   "mmv* app.live* ");
	check_walk(ns, pmns_traverse, "kernel.all.cpu", 2,
		   "kernel.all.cpu.user kernel.all.cpu.sys ");
	check_walk(ns, pmns_traverse, "mem.free", 1, "mem.free ");
	check_walk(ns, pmns_traverse, "mem.fre", PM_ERR_NAME, "");
	assert_int_equal(pmns_traverse(ns, "", 0, stop_at_second, &left), -77);
	left = 2;
	assert_int_equal(pmns_children(ns, "", 0, stop_at_second, &left), -77);
	pmns_free(ns);
}

static void names_of_a_pmid(void **state)
{
	struct pmns *ns = sample();
	struct buffer got = BUFFER_INIT;

	assert_int_equal(pmns_names(ns, pmns_pmid(60, 2, 0), gather, &got), 2);
	assert_string_equal(buffer_str(&got), "kernel.load kernel.all.load ");
	assert_int_equal(pmns_names(ns, pmns_pmid(60, 1, 1), NULL, NULL), 1);
	assert_int_equal(pmns_names(ns, pmns_pmid(60, 1, 2), NULL, NULL), PM_ERR_PMID);
	buffer_done(&got);
	pmns_free(ns);
}

static bool keep_cluster_0(void *arg, const struct pmns_entry *e)
{
	return (e->pmid >> 10 & 0xfff) == 0;
}

static void trimming(void **state)
{
	struct pmns *ns = sample();
	struct pmns_entry e;

	pmns_trim(ns, keep_cluster_0, NULL);
	check_walk(ns, pmns_traverse, "", 2, "kernel.all.cpu.user kernel.all.cpu.sys ");
	check_walk(ns, pmns_children, "", 1, "kernel ");
	check_walk(ns, pmns_children, "kernel", 1, "kernel.all ");
	assert_int_equal(lookup(ns, "mem", &e), PM_ERR_NAME);
	assert_int_equal(lookup(ns, "mem.free", &e), PM_ERR_NAME);
	assert_int_equal(pmns_lookup_dynamic(ns, "mmv.x", 5, &e), PM_ERR_NAME);
	assert_int_equal(pmns_names(ns, pmns_pmid(60, 1, 1), NULL, NULL), PM_ERR_PMID);
	assert_int_equal(pmns_count(ns), 7);
	pmns_untrim(ns);
	assert_int_equal(pmns_traverse(ns, "", 0, NULL, NULL), 7);
	assert_int_equal(lookup(ns, "mem.free", &e), 0);
	assert_false(pmns_changed(ns));
	pmns_free(ns);
}

/* Names that were handed out stay where they are; every one of many is found again. */
static void many(void **state)
{
	enum { COUNT = 50000 };
	struct pmns *ns = pmns_new();
	struct pmns_entry first, e;
	char name[64];

	assert_int_equal(add(ns, "wide.first", 1), 1);
	assert_int_equal(lookup(ns, "wide.first", &first), 0);
	for (unsigned int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "wide.n%u.leaf%u", i % 7, i);
		assert_int_equal(add(ns, name, 2 + i), 1);
	}
	assert_string_equal(first.name, "wide.first");
	for (unsigned int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "wide.n%u.leaf%u", i % 7, i);
		assert_int_equal(lookup(ns, name, &e), 0);
		assert_int_equal(e.pmid, 2 + i);
		assert_int_equal(pmns_names(ns, 2 + i, NULL, NULL), 1);
	}
	assert_int_equal(pmns_count(ns), COUNT + 1);
	assert_int_equal(pmns_children(ns, "wide", 4, NULL, NULL), 8);
	assert_true(pmns_memory(ns) / COUNT < 100);
	pmns_free(ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(adding),     cmocka_unit_test(limits),
	    cmocka_unit_test(looking_up), cmocka_unit_test(dynamic_roots),
	    cmocka_unit_test(walking),    cmocka_unit_test(names_of_a_pmid),
	    cmocka_unit_test(trimming),   cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_name_tree - names of an archive by branch, newest first; with very many names, and very deep
 * ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libstore/archive_meta.h"
#include "metadata_of.h"
#include "tools/archive/names.h"

enum { MANY = 100000, DEEP = 400 };

static char told[256];
static size_t ntold;

static void tell(const char *name, pmID pmid, void *arg)
{
	assert_ptr_equal(arg, &ntold);
	ntold++;
	if (strlen(told) + strlen(name) + 8 < sizeof(told))
		sprintf(told + strlen(told), " %s=%u", name, pmid);
}

static int walk(const struct name_tree *tree, const char *name)
{
	told[0] = '\0';
	ntold = 0;
	return name_tree_walk(tree, name, tell, &ntold);
}

/* The tree of a .meta; its names are valid as long as the metadata. */
static struct name_tree *new_tree(struct buffer *records, struct archive_meta **ret_meta)
{
	struct member *m = member_of(records);
	uint64_t end;

	assert_int_equal(archive_meta_new(ret_meta), 0);
	assert_int_equal(archive_meta_load(*ret_meta, m, 3, 0, 0, &end), 0);
	member_close(m);
	buffer_done(records);
	return name_tree_new(*ret_meta);
}

static void test_branches(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct archive_meta *meta;
	struct name_tree *tree;

	put_metric(&records, 1, "a.b");
	put_metric(&records, 2, "a.c.d");
	put_metric(&records, 3, "ab");
	put_metric(&records, 4, "a.c.e");
	tree = new_tree(&records, &meta);
	assert_int_equal(walk(tree, "a"), 3);
	assert_string_equal(told, " a.c.e=4 a.c.d=2 a.b=1");
	assert_int_equal(walk(tree, "a.c.d"), 1);
	assert_string_equal(told, " a.c.d=2");
	assert_int_equal(walk(tree, ""), 4);
	assert_string_equal(told, " ab=3 a.c.e=4 a.c.d=2 a.b=1");
	for (size_t i = 0; i < 7; i++) {
		static const char *const none[] = {"b", "a.", ".a", "a..c", "a.c.d.e", "a.b.", "."};

		assert_int_equal(walk(tree, none[i]), PM_ERR_NAME);
		assert_int_equal(ntold, 0);
	}
	name_tree_free(tree);
	name_tree_free(NULL);
	archive_meta_free(meta);
}

/* A branch with this many metrics is fast. */
static void test_many(void **state)
{
	struct buffer records = BUFFER_INIT;
	struct archive_meta *meta;
	struct name_tree *tree;
	char name[32];

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "wide.m%d", i);
		put_metric(&records, (pmID)i, name);
	}
	tree = new_tree(&records, &meta);
	assert_int_equal(walk(tree, "wide"), MANY);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "wide.m%d", i);
		assert_int_equal(walk(tree, name), 1);
	}
	name_tree_free(tree);
	archive_meta_free(meta);
}

static void test_deep(void **state)
{
	struct buffer records = BUFFER_INIT;
	char name[2 * DEEP + 1] = "";
	struct archive_meta *meta;
	struct name_tree *tree;

	for (int i = 0; i < DEEP; i++)
		strcat(name, i == 0 ? "a" : ".a");
	put_metric(&records, 1, name);
	tree = new_tree(&records, &meta);
	assert_int_equal(walk(tree, "a"), 1);
	assert_int_equal(walk(tree, name), 1);
	name_tree_free(tree);
	archive_meta_free(meta);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_branches),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

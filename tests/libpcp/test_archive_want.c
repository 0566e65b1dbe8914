/* test_archive_want - the list of a fetch: found in any order, twice, again, and without memory. */
#include <errno.h>
#include <stdlib.h>

#include "libpcp/archive_want.h"
#include "pcp_test.h"
#include "starve.h"

enum { MANY = 5000 };

static void test_order(void **state)
{
	static const pmID pmids[] = {30, 10, 20};
	struct archive_want want = {NULL};

	assert_int_equal(archive_want_set(&want, 3, pmids), 0);
	for (ptrdiff_t i = 0; i < 3; i++)
		assert_int_equal(archive_want_find(&want, pmids[i]), i);
	for (ptrdiff_t i = 2; i >= 0; i--)
		assert_int_equal(archive_want_find(&want, pmids[i]), i);
	assert_int_equal(archive_want_find(&want, 40), -1);
	assert_int_equal(archive_want_find(&want, 0), -1);
	assert_int_equal(archive_want_find(&want, PM_ID_NULL), -1);
	archive_want_done(&want);
}

/* The first is found; the position of each is returned. */
static void test_twice(void **state)
{
	static const pmID pmids[] = {7, 8, 7, 9, 8};
	static const size_t first[] = {0, 1, 0, 3, 1};
	struct archive_want want = {NULL};

	assert_int_equal(archive_want_set(&want, 5, pmids), 0);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(archive_want_first(&want, i), first[i]);
		assert_int_equal(archive_want_find(&want, pmids[i]), first[i]);
	}
	/* The guess finds the 9 after the second 7. */
	assert_int_equal(archive_want_find(&want, 9), 3);
	archive_want_done(&want);
}

static void test_changes(void **state)
{
	static const pmID pmids[] = {1, 2, 3};
	struct archive_want want = {NULL};
	unsigned int before;

	assert_int_equal(archive_want_set(&want, 3, pmids), 0);
	before = want.changes;
	assert_int_equal(archive_want_set(&want, 3, pmids), 0);
	assert_int_equal(want.changes, before);
	assert_int_equal(archive_want_set(&want, 2, pmids), 0);
	assert_int_equal(want.changes, before + 1);
	assert_int_equal(archive_want_find(&want, 3), -1);
	assert_int_equal(archive_want_set(&want, 2, pmids + 1), 0);
	assert_int_equal(want.changes, before + 2);
	assert_int_equal(archive_want_find(&want, 1), -1);
	assert_int_equal(archive_want_find(&want, 3), 1);
	archive_want_done(&want);
	assert_int_equal(want.changes, before + 2);
}

static ptrdiff_t search(const pmID *pmids, pmID pmid)
{
	for (ptrdiff_t i = 0; i < MANY; i++) {
		if (pmids[i] == pmid)
			return i;
	}
	return -1;
}

static void test_many(void **state)
{
	static pmID pmids[MANY];
	struct archive_want want = {NULL};
	unsigned int seed = 1;

	for (int i = 0; i < MANY; i++)
		pmids[i] = (pmID)rand_r(&seed) % (2 * MANY);
	assert_int_equal(archive_want_set(&want, MANY, pmids), 0);
	for (pmID pmid = 0; pmid < 2 * MANY; pmid++)
		assert_int_equal(archive_want_find(&want, pmid), search(pmids, pmid));
	archive_want_done(&want);
}

/* A list for which there was no memory is ignored, and the next one is complete. */
static void test_starved(void **state)
{
	static const pmID before[] = {1}, pmids[] = {5, 6, 5};
	struct archive_want want = {NULL};
	int r = -ENOMEM;

	for (long at = 0; r == -ENOMEM; at++) {
		assert_int_equal(archive_want_set(&want, 1, before), 0);
		starve_left = at;
		r = archive_want_set(&want, 3, pmids);
		starve_left = -1;
		assert_int_equal(r, at < 5 ? -ENOMEM : 0);
		if (r < 0)
			assert_int_equal(want.n, 0);
	}
	assert_int_equal(archive_want_find(&want, 6), 1);
	archive_want_done(&want);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),   cmocka_unit_test(test_twice),
	    cmocka_unit_test(test_changes), cmocka_unit_test(test_many),
	    cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

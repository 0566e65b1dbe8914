/*
 * Tests of lookup.c: the map from PMIDs to rows finds each row within a few slots, whatever
 * clusters and items an agent has. A map in which clusters overlap still answers, so
 * only the length of the searches shows it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libpcp_pmda/lookup.h"

enum {
	DOMAIN = 60,
	ROWS_MAX = 60000,
	SLOTS_MEAN = 3, /* that a search may look at, on average */
	ITEMS = 1024,
};

/* The clusters of an agent: so many rows each, numbered from first in steps. */
struct layout {
	int rows;
	int in_cluster;
	int first;
	int step;
};

static pmID layout_pmid(const struct layout *l, int row)
{
	int cluster = l->first + row / l->in_cluster * l->step;

	return (pmID)DOMAIN << 22 | (pmID)(cluster & 0xfff) << 10 | (pmID)(row % l->in_cluster);
}

/* Slots that a search looks at until it has the PMID. */
static size_t search_len(const struct pmid_map *map, pmID pmid)
{
	size_t i = pmid_map_slot(map, pmid), len = 1;

	while (map->slots[i].pmid != pmid || map->slots[i].row == 0) {
		i = (i + 1) & (map->cap - 1);
		len++;
	}
	return len;
}

static void check_layout(const struct layout *l, pmdaMetric *metrics)
{
	struct pmid_map map = {0};
	size_t total = 0;

	for (int i = 0; i < l->rows; i++)
		metrics[i].m_desc.pmid = layout_pmid(l, i);
	assert_int_equal(pmid_map_build(&map, metrics, l->rows, PMID_MAP_FIRST), 0);
	for (int i = 0; i < l->rows; i++) {
		assert_ptr_equal(pmid_map_find(&map, metrics[i].m_desc.pmid), &metrics[i]);
		total += search_len(&map, metrics[i].m_desc.pmid);
	}
	if (total > (size_t)l->rows * SLOTS_MEAN)
		fail_msg("%d rows, %d in each cluster from %d in steps of %d: %.1f slots", l->rows,
			 l->in_cluster, l->first, l->step, (double)total / l->rows);
	free(map.slots);
}

static void test_searches_are_short(void **state)
{
	static const int rows[] = {1, 10, 100, 1000, 3000, 4000, 8000, 20000, ROWS_MAX};
	static const int in_cluster[] = {1, 2, 7, 60, 100, 500, 1000, ITEMS};
	static const int steps[] = {1, 2, 8, 64};
	pmdaMetric *metrics = calloc(ROWS_MAX, sizeof(*metrics));

	(void)state;
	assert_non_null(metrics);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (size_t c = 0; c < sizeof(in_cluster) / sizeof(in_cluster[0]); c++) {
			for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
				struct layout l = {rows[r], in_cluster[c], 1, steps[s]};

				/* Cluster numbers have twelve bits. */
				if (rows[r] / in_cluster[c] * steps[s] < 4000)
					check_layout(&l, metrics);
			}
		}
	}
	free(metrics);
}

static void test_absent_pmids_are_not_found(void **state)
{
	pmdaMetric metrics[20] = {0};
	struct pmid_map map = {0};

	(void)state;
	assert_null(pmid_map_find(&map, 1));
	for (int i = 0; i < 20; i++)
		metrics[i].m_desc.pmid = (pmID)(i * 2 + 1);
	assert_int_equal(pmid_map_build(&map, metrics, 20, PMID_MAP_FIRST), 0);
	for (pmID pmid = 0; pmid < 40; pmid++) {
		pmdaMetric *found = pmid_map_find(&map, pmid);

		assert_ptr_equal(found, pmid % 2 == 1 ? &metrics[pmid / 2] : NULL);
	}
	free(map.slots);
}

static void test_first_or_last_row_wins(void **state)
{
	pmdaMetric metrics[2] = {{NULL, {.pmid = 5}}, {NULL, {.pmid = 5}}};
	struct pmid_map map = {0};

	(void)state;
	assert_int_equal(pmid_map_build(&map, metrics, 2, PMID_MAP_FIRST), 0);
	assert_ptr_equal(pmid_map_find(&map, 5), &metrics[0]);
	assert_int_equal(pmid_map_build(&map, metrics, 2, PMID_MAP_LAST), 0);
	assert_ptr_equal(pmid_map_find(&map, 5), &metrics[1]);
	free(map.slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_searches_are_short),
	    cmocka_unit_test(test_absent_pmids_are_not_found),
	    cmocka_unit_test(test_first_or_last_row_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Hash tables of agents: many keys, the same key twice, and nothing lost when the table grows. */
#include "pcp_test.h"

enum { N = 3000 };

static int things[N + 1];

static void test_many(void **state)
{
	__pmHashCtl table;

	__pmHashInit(&table);
	assert_null(__pmHashSearch(1, &table));
	assert_int_equal(__pmHashDel(1, things, &table), 0);
	for (unsigned int i = 0; i < N; i++)
		assert_int_equal(__pmHashAdd(i * 7, &things[i], &table), 1);
	assert_int_equal(table.nodes, N);
	for (unsigned int i = 0; i < N; i++) {
		assert_ptr_equal(__pmHashSearch(i * 7, &table)->data, &things[i]);
		assert_null(__pmHashSearch(i * 7 + 1, &table));
	}
	for (unsigned int i = 0; i < N; i += 2)
		assert_int_equal(__pmHashDel(i * 7, &things[i], &table), 1);
	assert_int_equal(table.nodes, N / 2);
	assert_null(__pmHashSearch(0, &table));
	assert_non_null(__pmHashSearch(7, &table));
	__pmHashClear(&table);
	assert_null(__pmHashSearch(7, &table));
	assert_int_equal(table.nodes, 0);
}

static void test_twice(void **state)
{
	__pmHashCtl table = {0};

	__pmHashAdd(5, &things[0], &table);
	__pmHashAdd(5, &things[1], &table);
	assert_ptr_equal(__pmHashSearch(5, &table)->data, &things[1]);
	for (unsigned int i = 10; i < 500; i++)
		__pmHashAdd(i, &things[N], &table);
	assert_ptr_equal(__pmHashSearch(5, &table)->data, &things[1]);
	assert_int_equal(__pmHashDel(5, &things[2], &table), 0);
	assert_int_equal(__pmHashDel(5, &things[1], &table), 1);
	assert_ptr_equal(__pmHashSearch(5, &table)->data, &things[0]);
	__pmHashClear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

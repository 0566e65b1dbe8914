/* test_hash - tables of numbers against a plain list: docs/spec/pmapi.md 24. */
#include "pcp_test.h"

enum { COUNT = 5000 };

static void many(void **state)
{
	static int values[COUNT];
	__pmHashCtl table = {0};
	__pmHashNode *node;
	int seen = 0;

	for (int i = 0; i < COUNT; i++)
		assert_int_equal(__pmHashAdd((unsigned int)i * 7, &values[i], &table), 1);
	assert_int_equal(table.nodes, COUNT);
	for (int i = 0; i < COUNT; i++)
		assert_ptr_equal(__pmHashSearch((unsigned int)i * 7, &table)->data, &values[i]);
	assert_null(__pmHashSearch(1, &table));
	for (node = __pmHashWalk(&table, PM_HASH_WALK_START); node != NULL;
	     node = __pmHashWalk(&table, PM_HASH_WALK_NEXT)) {
		seen++;
		if (node->key % 2 == 0) /* the one that is given may be deleted */
			assert_int_equal(__pmHashDel(node->key, node->data, &table), 1);
	}
	assert_int_equal(seen, COUNT);
	assert_int_equal(table.nodes, COUNT / 2);
	__pmHashClear(&table);
	assert_int_equal(table.nodes, 0);
	assert_null(__pmHashSearch(7, &table));
}

static void same_key(void **state)
{
	static int values[100];
	__pmHashCtl table = {0};

	for (int i = 0; i < 100; i++)
		__pmHashAdd(42, &values[i], &table); /* the table grows between */
	for (int i = 99; i >= 0; i--) {
		assert_ptr_equal(__pmHashSearch(42, &table)->data, &values[i]);
		assert_int_equal(__pmHashDel(42, &values[i], &table), 1);
	}
	assert_int_equal(__pmHashDel(42, &values[0], &table), 0);
	__pmHashFree(&table);
}

static __pmHashWalkState delete_all(const __pmHashNode *node, void *arg)
{
	return ++*(int *)arg == 3 ? PM_HASH_WALK_DELETE_STOP : PM_HASH_WALK_DELETE_NEXT;
}

static void walks(void **state)
{
	__pmHashCtl table;
	int calls = 0;

	__pmHashInit(&table);
	__pmHashWalkCB(delete_all, &calls, &table);
	assert_int_equal(calls, 0);
	assert_null(__pmHashWalk(&table, PM_HASH_WALK_START));
	assert_int_equal(__pmHashPreAlloc(10, &table), 0);
	for (unsigned int i = 0; i < 5; i++)
		__pmHashAdd(i, NULL, &table);
	assert_int_equal(table.hsize, 10);
	__pmHashWalkCB(delete_all, &calls, &table);
	assert_int_equal(calls, 3);
	assert_int_equal(table.nodes, 2);
	__pmHashClear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(many),
	    cmocka_unit_test(same_key),
	    cmocka_unit_test(walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

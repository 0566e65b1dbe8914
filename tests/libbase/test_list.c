/* test_list - order, deletion, walking while deleting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libbase/list.h"

struct item {
	int value;
	struct list node;
};

static void check(struct list *head, const int *values, size_t n)
{
	size_t i = 0;

	LIST_FOR_EACH (pos, head) {
		assert_true(i < n);
		assert_int_equal(LIST_ENTRY(pos, struct item, node)->value, values[i]);
		i++;
	}
	assert_int_equal(i, n);
	assert_int_equal(list_empty(head), n == 0);
}

static void order(void **state)
{
	struct item items[4] = {{1}, {2}, {3}, {4}};
	struct list head;

	list_init(&head);
	check(&head, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		list_add_tail(&head, &items[i].node);
	check(&head, (const int[]){1, 2, 3, 4}, 4);
	list_del(&items[1].node);
	check(&head, (const int[]){1, 3, 4}, 3);
	list_del(&items[1].node); /* once more does no harm */
	list_del(&items[0].node);
	list_del(&items[3].node);
	check(&head, (const int[]){3}, 1);
	list_add_tail(&head, &items[0].node);
	check(&head, (const int[]){3, 1}, 2);
}

static void delete_while_walking(void **state)
{
	struct item items[5] = {{1}, {2}, {3}, {4}, {5}};
	struct list head;

	list_init(&head);
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		list_add_tail(&head, &items[i].node);
	LIST_FOR_EACH (pos, &head) {
		if (LIST_ENTRY(pos, struct item, node)->value % 2 == 1)
			list_del(pos);
	}
	check(&head, (const int[]){2, 4}, 2);
	LIST_FOR_EACH (pos, &head) {
		list_del(pos);
	}
	check(&head, NULL, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order),
	    cmocka_unit_test(delete_while_walking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

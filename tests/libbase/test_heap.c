/* test_heap - against a sorted array: random adding, removing from anywhere, equal keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libbase/heap.h"

enum { NODES = 200, STEPS = 200000 };

struct item {
	struct heap_node node;
	uint64_t came;
};

static bool is_before(const struct item *a, const struct item *b)
{
	return a->node.key != b->node.key ? a->node.key < b->node.key : a->came < b->came;
}

static const struct item *least(const struct item *items)
{
	const struct item *first = NULL;

	for (int i = 0; i < NODES; i++) {
		if (items[i].node.queued && (first == NULL || is_before(&items[i], first)))
			first = &items[i];
	}
	return first;
}

static void model(void **state)
{
	static struct item items[NODES];
	struct heap heap = {0};
	uint64_t came = 0;

	srandom(1);
	for (int step = 0; step < STEPS; step++) {
		struct item *item = &items[random() % NODES];

		if (random() % 3 == 0 && heap_first(&heap) != NULL)
			item = HEAP_ENTRY(heap_first(&heap), struct item, node);
		if (item->node.queued) {
			heap_del(&heap, &item->node);
		} else {
			item->came = came++;
			heap_add(&heap, &item->node, (uint64_t)random() % 50);
		}
		if (step % 7 != 0)
			continue;
		const struct item *first = least(items);

		assert_ptr_equal(heap_first(&heap), first != NULL ? &first->node : NULL);
	}
}

static void empty(void **state)
{
	struct heap heap = {0};
	struct heap_node node = {0};

	assert_true(heap_empty(&heap));
	assert_null(heap_first(&heap));
	heap_del(&heap, &node); /* in none: nothing happens */
	heap_add(&heap, &node, 7);
	assert_false(heap_empty(&heap));
	heap_del(&heap, &node);
	heap_del(&heap, &node);
	assert_true(heap_empty(&heap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(model),
	    cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ring - order, bounds and counts, against a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ring.h"

struct seen {
	uint64_t next, n;
};

static void visit(const struct ring_event *e, void *arg)
{
	struct seen *seen = arg;

	assert_int_equal(e->address, seen->next++);
	assert_int_equal(e->stamp.tv_sec, (time_t)e->address);
	for (uint32_t i = 0; i < e->size; i++)
		assert_int_equal(e->data[i], (uint8_t)(e->address + i));
	seen->n++;
}

static void put(struct ring *ring, uint64_t number, uint32_t size, size_t room)
{
	struct ring_event e = {.size = size, .address = number, .stamp = {(time_t)number, 0}};
	uint8_t data[500] = {0};

	for (uint32_t i = 0; i < size; i++)
		data[i] = (uint8_t)(number + i);
	ring_put(ring, &e, data, room);
	assert_true(ring_used(ring) <= room && ring->cap <= room);
}

/* Every event is there, or counted; those that are there are the newest. */
static void test_bounds(void **state)
{
	struct ring ring = {0};
	uint64_t n = 0;

	srand(1);
	for (int round = 0; round < 50; round++) {
		uint64_t first = n;
		size_t room = 100 + (size_t)rand() % 20000;
		int puts = rand() % 400;
		struct seen seen;

		for (int i = 0; i < puts; i++)
			put(&ring, n++, (uint32_t)rand() % 500, room);
		seen = (struct seen){first + ring.dropped, 0};
		ring_each(&ring, visit, &seen);
		assert_int_equal(seen.n + ring.dropped, n - first);
		if (ring.dropped > 0)
			assert_int_equal(ring.dropped_stamp.tv_sec,
					 (time_t)(first + ring.dropped - 1));
		ring_clear(&ring);
		assert_int_equal(ring_used(&ring) + ring.dropped + ring.cap, 0);
	}
}

static void test_no_room(void **state)
{
	struct ring ring = {0};

	put(&ring, 0, 0, 0);
	assert_int_equal(ring.dropped, 1);
	put(&ring, 1, 8, 200);
	put(&ring, 2, 400, 200);
	assert_int_equal(ring.dropped, 3);
	assert_int_equal(ring_used(&ring), 0);
	ring_clear(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

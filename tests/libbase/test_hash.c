/* test_hash - the table against a plain array, also where all keys collide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"

enum { ENTRIES = 2000 };

struct entry {
	uint32_t key;
	bool present;
};

static bool has_key(const void *entry, const void *key)
{
	return ((const struct entry *)entry)->key == *(const uint32_t *)key;
}

/* Spread well; a few homes for all; one home for all; homes at the end, so that probes wrap. */
static uint64_t spread(uint32_t key)
{
	return hash_u64(key);
}

static uint64_t crowded(uint32_t key)
{
	return key % 7;
}

static uint64_t single(uint32_t key)
{
	return 5;
}

static uint64_t at_the_end(uint32_t key)
{
	return UINT64_MAX - key % 3;
}

static void check_all(const struct hash *h, struct entry *entries, size_t n,
		      uint64_t (*hash)(uint32_t))
{
	size_t present = 0;

	for (size_t i = 0; i < n; i++) {
		void *found = hash_find(h, hash(entries[i].key), has_key, &entries[i].key);

		assert_ptr_equal(found, entries[i].present ? &entries[i] : NULL);
		present += entries[i].present;
	}
	assert_int_equal(h->count, present);
}

static void against_an_array(void **state)
{
	static uint64_t (*const hashes[])(uint32_t) = {spread, crowded, single, at_the_end};
	static struct entry entries[ENTRIES];

	for (size_t k = 0; k < ARRAY_SIZE(hashes); k++) {
		size_t n = hashes[k] == spread ? ENTRIES : 150;
		struct hash h = HASH_INIT;
		uint32_t seed = 1;

		for (size_t i = 0; i < n; i++)
			entries[i] = (struct entry){.key = (uint32_t)i * 3};
		for (size_t step = 0; step < 4 * n; step++) {
			struct entry *e;

			seed = seed * 1103515245 + 12345;
			e = &entries[(seed >> 8) % n];
			if (e->present)
				assert_true(hash_del(&h, hashes[k](e->key), e));
			else
				assert_int_equal(hash_add(&h, hashes[k](e->key), e), 0);
			e->present = !e->present;
			if (n < ENTRIES || step % 500 == 0)
				check_all(&h, entries, n, hashes[k]);
		}
		check_all(&h, entries, n, hashes[k]);
		hash_done(&h);
		assert_int_equal(h.cap, 0);
	}
}

static void empty_table(void **state)
{
	struct hash h = HASH_INIT;
	size_t pos = 0;
	int entry;

	assert_null(hash_find(&h, 1, NULL, NULL));
	assert_false(hash_del(&h, 1, &entry));
	assert_null(hash_next(&h, &pos));
	hash_done(&h);
}

/* Duplicates are kept; the one that is deleted is the one that was named. */
static void duplicates(void **state)
{
	struct entry a = {.key = 1}, b = {.key = 1}, c = {.key = 1};
	struct hash h = HASH_INIT;

	assert_int_equal(hash_add(&h, 9, &a), 0);
	assert_int_equal(hash_add(&h, 9, &b), 0);
	assert_ptr_equal(hash_find(&h, 9, has_key, &a.key), &a);
	assert_ptr_equal(hash_find(&h, 9, NULL, NULL), &a);
	assert_false(hash_del(&h, 9, &c));
	assert_true(hash_del(&h, 9, &a));
	assert_false(hash_del(&h, 9, &a));
	assert_ptr_equal(hash_find(&h, 9, has_key, &a.key), &b);
	assert_null(hash_find(&h, 10, NULL, NULL));
	hash_done(&h);
}

static void walk(void **state)
{
	static struct entry entries[100];
	struct hash h = HASH_INIT;
	struct entry *e;
	size_t pos = 0, seen = 0;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		assert_int_equal(hash_add(&h, hash_u64(i), &entries[i]), 0);
	while ((e = hash_next(&h, &pos)) != NULL) {
		assert_false(e->present);
		e->present = true;
		seen++;
	}
	assert_int_equal(seen, ARRAY_SIZE(entries));
	hash_done(&h);
}

/* Small numbers and similar names spread over the low bits, which choose the slot. */
static void functions_spread(void **state)
{
	enum { SLOTS = 256, MOST = 24 };
	unsigned int by_number[SLOTS] = {0}, by_name[SLOTS] = {0};

	for (uint32_t i = 0; i < SLOTS * 4; i++) {
		char name[32] = "kernel.percpu.cpu.0000";

		name[18] = (char)('0' + i / 1000);
		name[19] = (char)('0' + i / 100 % 10);
		name[20] = (char)('0' + i / 10 % 10);
		name[21] = (char)('0' + i % 10);
		by_number[hash_u64(i) % SLOTS]++;
		by_name[hash_bytes(name, strlen(name)) % SLOTS]++;
	}
	for (size_t i = 0; i < SLOTS; i++) {
		assert_true(by_number[i] < MOST);
		assert_true(by_name[i] < MOST);
	}
	assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
	assert_true(hash_bytes("abcdefgh", 8) != hash_bytes("abcdefgh\0", 9));
	assert_true(hash_bytes("abcdefgh", 8) == hash_bytes("abcdefgh", 8));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(against_an_array), cmocka_unit_test(empty_table),
	    cmocka_unit_test(duplicates),       cmocka_unit_test(walk),
	    cmocka_unit_test(functions_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

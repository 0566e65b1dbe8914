/*
 * test_golden - records of real archives: read, written again byte for byte, and refused when a
 * byte is missing or left over.
 */
#include "golden.h"
#include "libdisk/index_entry.h"
#include "libdisk/record.h"
#include "walk.h"
#include "wire_test.h"

static struct golden_set golden;

static int group_setup(void **state)
{
	golden_load_folder(&golden, "disk");
	return 0;
}

static int group_teardown(void **state)
{
	golden_free(&golden);
	return 0;
}

static bool is(const struct golden *g, const char *what)
{
	return strncmp(g->name, what, strlen(what)) == 0;
}

static int version_of(const struct golden *g)
{
	const char *v = strstr(g->name, "-v");

	return v != NULL ? v[2] - '0' : 0;
}

/* Reads and writes it as what its name says. */
static int step(struct walk *w, const struct golden *g, const uint8_t *bytes, size_t len)
{
	size_t at;

	w->version = version_of(g);
	if (is(g, "RESULT") || is(g, "MARK"))
		return walk_data_record(w, bytes, len);
	if (is(g, "LOG_LABEL"))
		return walk_meta(w, bytes, len, &at);
	return walk_meta_record(w, bytes, len);
}

static void come_out_as_they_were(void **state)
{
	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];
		struct walk w = {.version = 0};

		if (is(g, "INDEX"))
			continue;
		if (step(&w, g, g->pdu, g->len) != 0 || w.counts.differ != 0)
			fail_msg("%s", g->name);
		/* One is by a writer that did some things otherwise. */
		assert_int_equal(w.counts.older, is(g, "RESULT-v2-event"));
		walk_done(&w);
	}
}

/* A length that the record does not have, and one that it has now. */
static void refuse(const struct golden *g, size_t len, bool repaired)
{
	uint8_t *copy = calloc(1, len + 1);
	struct walk w = {.version = 0};

	memcpy(copy, g->pdu, len < g->len ? len : g->len);
	if (repaired && len >= 8) {
		store_be32(copy, (uint32_t)len);
		store_be32(copy + len - 4, (uint32_t)len);
	}
	copy = realloc(copy, len > 0 ? len : 1); /* a sanitizer sees what is read beyond */
	if (step(&w, g, copy, len) >= 0)
		fail_msg("%s of %zu bytes, %d", g->name, len, repaired);
	walk_done(&w);
	free(copy);
}

static void a_byte_less_or_more_is_refused(void **state)
{
	for (size_t i = 0; i < golden.n; i++) {
		const struct golden *g = &golden.pdus[i];

		if (is(g, "INDEX"))
			continue;
		for (size_t len = 0; len < g->len; len++) {
			refuse(g, len, false);
			refuse(g, len, true);
		}
		if (is(g, "TEXT") || is(g, "LOG_LABEL"))
			continue; /* NULs of a text; a file continues after its label */
		refuse(g, g->len + 1, true);
		refuse(g, g->len + 4, true);
	}
}

static void every_kind_has_one(void **state)
{
	for (uint32_t type = 1; type <= META_LAST; type++) {
		bool found = false;

		for (size_t i = 0; i < golden.n && !found; i++)
			found = is(&golden.pdus[i], meta_name(type)) &&
				load_be32(golden.pdus[i].pdu + 4) == type;
		if (!found)
			fail_msg("no golden %s", meta_name(type));
	}
	golden_get(&golden, "MARK-v2");
	golden_get(&golden, "MARK-v3");
}

static void index_entries(void **state)
{
	static const struct {
		const char *name;
		int version;
	} cases[] = {{"INDEX-v2", 2}, {"INDEX-v3", 3}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct golden *g = golden_get(&golden, cases[i].name);
		struct buffer out = BUFFER_INIT;
		struct index_entry entry;

		assert_int_equal(g->len, index_entry_len(cases[i].version));
		index_entry_load(g->pdu, cases[i].version, &entry);
		assert_int_equal(entry.volume, 0);
		assert_true(entry.data_offset > 0 && entry.meta_offset > 0);
		assert_true(entry.stamp.tv_sec > 1000000000 && entry.stamp.tv_nsec < 1000000000);
		assert_int_equal(index_entry_encode(&out, cases[i].version, &entry), 0);
		assert_memory_equal(out.data, g->pdu, g->len);
		buffer_done(&out);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(come_out_as_they_were),
	    cmocka_unit_test(a_byte_less_or_more_is_refused),
	    cmocka_unit_test(every_kind_has_one),
	    cmocka_unit_test(index_entries),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}

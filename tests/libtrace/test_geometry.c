/* test_geometry - sizes of a segment: the rules of docs/spec/trace-design.md 2 for every size. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libtrace/geometry.h"

static const uint64_t sizes[] = {
    0,        1,        4095,      4096,    10000,
    65535,    65536,    100000,    1 << 18, 1 << 20,
    16 << 20, 16777217, 100 << 20, 1 << 30, (uint64_t)5 << 30,
};
static const uint32_t data_sizes[] = {0,    1,     8,     256,   1000,   1024,    4000,
				      8192, 32700, 40000, 65536, 500000, 1048575, 1048576};

#define EACH(array, i) (size_t i = 0; i < sizeof(array) / sizeof((array)[0]); i++)

static void check(uint64_t size, uint32_t data, const struct geometry *g)
{
	uint64_t arrays[] = {g->cs,      g->lostc,  g->freemap, g->order,
			     g->partial, g->chunk0, g->bytes};
	uint64_t lengths[] = {
	    8 * (uint64_t)g->chunks, 8 * (uint64_t)g->chunks, 8 * (((uint64_t)g->chunks + 63) / 64),
	    8 * (uint64_t)g->chunks, 4 * LAYOUT_PARTIAL,      (uint64_t)g->chunks * g->chunk_size};
	uint32_t room = g->chunk_size - LAYOUT_CHUNK_HEAD;
	uint64_t largest = geometry_user_event_max(data, data);

	assert_true(g->stream_size >= size);
	assert_int_equal(g->chunk_size & (g->chunk_size - 1), 0);
	assert_true(room >= 2 * geometry_record(g, data + 32));
	assert_true(room / g->align <= TRUTH_POS_MAX);
	assert_int_equal(g->chunk_size % g->align, 0);
	assert_true(g->chunks <= LAYOUT_CHUNKS_MAX && g->quota >= 2 && g->quota < g->chunks);
	assert_true(g->cs >= LAYOUT_PAGE + sizeof(struct layout_state));
	for (size_t i = 0; i + 1 < sizeof(arrays) / sizeof(arrays[0]); i++)
		assert_true(arrays[i] + lengths[i] <= arrays[i + 1]);
	/* Not more than the bound, even if headers took nothing. */
	assert_true((uint64_t)g->chunks * g->chunk_size <= 4 * g->stream_size + 65536);
	/* All but the part-filled chunks hold events of stream_size by their maximum sizes: closed
	 * chunks are too full for one more of the largest, or as the quota's argument has it. */
	assert_true(g->stream_size >= geometry_system_event_max() + largest);
	if (g->stream_size > 16 << 20)
		assert_true((uint64_t)(g->chunks - g->quota - 1) *
				(room - geometry_record(g, data + 32)) >=
			    g->stream_size);
	else
		assert_true((uint64_t)(g->chunks - g->quota - 1) * g->chunk_size / 2 >=
			    g->stream_size);
}

static void keeps_the_rules_for_every_size(void **state)
{
	for
		EACH(sizes, i)
		for
			EACH(data_sizes, j)
			{
				struct geometry g;

				assert_int_equal(
				    geometry_make(sizes[i], data_sizes[j], POSIX_TRACE_LOOP, &g),
				    0);
				check(sizes[i], data_sizes[j], &g);
			}
}

static void makes_the_usual_shapes(void **state)
{
	static const struct {
		uint64_t size;
		uint32_t chunk_size, chunks;
	} rows[] = {
	    {65536, 4096, 49},
	    {1 << 20, 16384, 193},
	    {16 << 20, 65536, 769},
	};

	for
		EACH(rows, i)
		{
			struct geometry g;

			assert_int_equal(geometry_make(rows[i].size, 256, POSIX_TRACE_LOOP, &g), 0);
			assert_int_equal(g.stream_size, rows[i].size);
			assert_int_equal(g.chunk_size, rows[i].chunk_size);
			assert_int_equal(g.chunks, rows[i].chunks);
		}
}

static void refuses_what_cannot_be(void **state)
{
	struct geometry g;

	assert_int_equal(geometry_make(1, GEOMETRY_DATA_MAX + 1, POSIX_TRACE_LOOP, &g), -EINVAL);
	assert_int_equal(geometry_make(UINT64_MAX / 2, 8, POSIX_TRACE_LOOP, &g), -ENOMEM);
	assert_int_equal(geometry_make(UINT64_MAX, 8, POSIX_TRACE_LOOP, &g), -ENOMEM);
}

static struct layout_id id_of(const struct geometry *g)
{
	return (struct layout_id){.bytes = g->bytes,
				  .stream_size = g->stream_size,
				  .chunk_size = g->chunk_size,
				  .chunks = g->chunks,
				  .quota = g->quota,
				  .policy = g->policy,
				  .data_max = g->data_max};
}

static void agrees_with_its_own_page(void **state)
{
	for
		EACH(sizes, i)
		for
			EACH(data_sizes, j)
			{
				struct geometry g, again;
				struct layout_id id;

				assert_int_equal(geometry_make(sizes[i], data_sizes[j],
							       POSIX_TRACE_UNTIL_FULL, &g),
						 0);
				id = id_of(&g);
				assert_int_equal(geometry_check(&id, g.bytes, &again), 0);
				assert_memory_equal(&g, &again, sizeof(g));
			}
}

/* Each field of page 0 by itself: other values lead to other bytes, or are refused outright. */
static void refuses_a_page_with_a_wrong_field(void **state)
{
	struct geometry g, again;
	struct layout_id id;

	assert_int_equal(geometry_make(65536, 256, POSIX_TRACE_LOOP, &g), 0);
#define REFUSED(field, value)                                                                      \
	id = id_of(&g);                                                                            \
	id.field = (value);                                                                        \
	assert_int_equal(geometry_check(&id, g.bytes, &again), -EINVAL)
	REFUSED(bytes, g.bytes + 4096);
	REFUSED(chunk_size, 0);
	REFUSED(chunk_size, g.chunk_size + 8);
	REFUSED(chunk_size, g.chunk_size * 2);
	REFUSED(chunk_size, 1u << 31);
	REFUSED(chunks, 0);
	REFUSED(chunks, g.chunks + 1);
	REFUSED(chunks, UINT32_MAX);
	REFUSED(quota, 0);
	REFUSED(quota, g.chunks);
	REFUSED(policy, POSIX_TRACE_APPEND);
	REFUSED(policy, 0);
	REFUSED(data_max, g.chunk_size);
	REFUSED(data_max, UINT32_MAX);
#undef REFUSED
	id = id_of(&g);
	assert_int_equal(geometry_check(&id, g.bytes - 4096, &again), -EINVAL);
}

static void tells_sizes_of_events(void **state)
{
	uint64_t before = 0;

	for (uint64_t n = 0; n < 3000; n++) {
		uint64_t size = geometry_user_event_max(n, 1024);

		assert_true(size >= before && size >= (n < 1024 ? n : 1024));
		before = size;
	}
	assert_int_equal(geometry_user_event_max(5000, 1024), geometry_user_event_max(1024, 1024));
	assert_true(geometry_system_event_max() >= 2 * sizeof(trace_event_set_t));
	assert_true(geometry_user_event_max(UINT64_MAX, UINT64_MAX) > GEOMETRY_DATA_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_the_rules_for_every_size),
	    cmocka_unit_test(makes_the_usual_shapes),
	    cmocka_unit_test(refuses_what_cannot_be),
	    cmocka_unit_test(agrees_with_its_own_page),
	    cmocka_unit_test(refuses_a_page_with_a_wrong_field),
	    cmocka_unit_test(tells_sizes_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

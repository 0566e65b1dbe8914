/* test_chunk - who may write where: taking, lending, closing, overwriting, in order and in chaos.
 */
#include <pthread.h>
#include <stdlib.h>

#include "kit.h"

static struct chunk_writer writer_of(int32_t tid)
{
	return (struct chunk_writer){
	    .pid = 1000, .tid = tid, .thread = (uint64_t)tid, .serial = 5000 + (uint64_t)tid};
}

/* A segment that is in no slot. */
static void make(struct kit *k, uint32_t policy)
{
	struct geometry g;

	memset(k, 0, sizeof(*k));
	assert_int_equal(geometry_make(65536, 256, policy, &g), 0);
	k->fd = segment_create(&k->id, &g, &k->seg);
	assert_true(k->fd >= 0);
}

static void done(struct kit *k)
{
	segment_unmap(&k->seg);
	close(k->fd);
}

/* Puts an event without data into a chunk that is held. */
static void put_one(struct kit *k, struct chunk_hold *h, uint64_t tick)
{
	struct layout_record *r = (void *)h->pos;
	uint32_t size = geometry_record(&k->seg.g, 0);

	assert_true(h->end - h->pos >= (ptrdiff_t)size);
	r->tick = tick;
	r->address = 0;
	atomic_store((_Atomic uint64_t *)(void *)(h->pos + size), 0);
	atomic_store(&r->header, record_header(RECORD_COMMITTED, 0, 77));
	h->pos += size;
	h->count++;
}

static void a_chunk_goes_round(void **state)
{
	struct chunk_writer w = writer_of(11), other = writer_of(12);
	struct chunk_hold h, again;
	struct kit k;

	make(&k, POSIX_TRACE_UNTIL_FULL);
	assert_true(chunk_take(&k.seg, &w, 100, 1, &h));
	assert_int_equal(truth_state(k.seg.cs[h.index]), CHUNK_ACTIVE);
	assert_int_equal(truth_tid(k.seg.cs[h.index]), 11);
	assert_int_equal(k.seg.state->part_filled, 1);
	put_one(&k, &h, 5);
	chunk_give(&k.seg, &w, &h, 6);
	assert_int_equal(truth_state(k.seg.cs[h.index]), CHUNK_PART);
	assert_true(chunk_take(&k.seg, &other, 100, 7, &again));
	assert_int_equal(again.index, h.index);
	assert_int_equal(again.gen, h.gen);
	assert_int_equal(again.count, 1);
	assert_true(again.pos == h.pos + geometry_record(&k.seg.g, 16)); /* names itself */
	put_one(&k, &again, 8);
	chunk_close(&k.seg, &other, &again, 9);
	assert_int_equal(truth_state(k.seg.cs[h.index]), CHUNK_FULL);
	assert_int_equal(segment_chunk(&k.seg, h.index)->count, 2);
	assert_int_equal(k.seg.state->part_filled, 0);
	/* A thread that no longer holds the chunk changes nothing. */
	chunk_give(&k.seg, &w, &h, 6);
	chunk_close(&k.seg, &other, &again, 9);
	assert_int_equal(truth_state(k.seg.cs[h.index]), CHUNK_FULL);
	assert_int_equal(k.seg.state->part_filled, 0);
	assert_int_equal(kit_drain(&k, NULL, NULL), 2);
	assert_int_equal(kit_states(&k, CHUNK_FREE), k.seg.g.chunks);
	done(&k);
}

static void the_quota_is_for_owners(void **state)
{
	struct chunk_hold h[64], lent;
	struct chunk_writer w;
	uint32_t n = 0;
	struct kit k;

	make(&k, POSIX_TRACE_UNTIL_FULL);
	for (;; n++) {
		w = writer_of(100 + (int32_t)n);
		if (!chunk_take(&k.seg, &w, 100, 1, &h[n]))
			break;
		assert_true(n < k.seg.g.quota);
	}
	assert_true(n >= k.seg.g.quota / 2);
	assert_true(chunk_borrow(&k.seg, &w, 100, 1, &lent));
	put_one(&k, &lent, 2);
	chunk_give(&k.seg, &w, &lent, 3);
	assert_int_equal(kit_states(&k, CHUNK_PART), 1);
	/* One chunk serves all that come one after the other. */
	for (int i = 0; i < 20; i++) {
		w = writer_of(200 + i);
		assert_true(chunk_borrow(&k.seg, &w, 100, 1, &lent));
		put_one(&k, &lent, 4);
		chunk_give(&k.seg, &w, &lent, 5);
		assert_int_equal(kit_states(&k, CHUNK_PART), 1);
	}
	assert_int_equal(kit_drain(&k, NULL, NULL), 21);
	/* A corrupted count is corrected after some time. */
	atomic_store(&k.seg.state->part_filled, 1000000);
	for (uint32_t i = 0; i < n; i++) {
		w = writer_of(100 + (int32_t)i);
		chunk_give(&k.seg, &w, &h[i], 6);
	}
	w = writer_of(300);
	for (int i = 0; i < 1000 && !chunk_take(&k.seg, &w, 100, 7, &lent); i++)
		;
	assert_true(k.seg.state->part_filled <= k.seg.g.quota + 1);
	done(&k);
}

static void overwriting_counts_what_was_unread(void **state)
{
	struct chunk_writer w = writer_of(11);
	struct chunk_hold h;
	uint64_t sent = 0;
	struct kit k;

	make(&k, POSIX_TRACE_LOOP);
	for (uint32_t i = 0; i < k.seg.g.chunks; i++) {
		assert_true(chunk_take(&k.seg, &w, 100, 10 * i + 1, &h));
		for (int n = 0; n < 5; n++, sent++)
			put_one(&k, &h, 10 * i + 2 + (uint64_t)n);
		chunk_close(&k.seg, &w, &h, 10 * i + 9);
	}
	assert_int_equal(kit_lost(&k), 0);
	/* The reader has taken two events of the oldest chunk. */
	for (uint32_t i = 0; i < k.seg.g.chunks; i++)
		if (segment_chunk(&k.seg, i)->ticket == 0) {
			uint64_t word = k.seg.cs[i];

			atomic_store(&k.seg.cs[i], truth_make(CHUNK_FULL, 2 * 24 / k.seg.g.align,
							      truth_gen(word), truth_tid(word)));
		}
	assert_true(chunk_take(&k.seg, &w, 100, 99999, &h));
	assert_int_equal(kit_lost(&k), 3);
	assert_int_equal(k.seg.state->first_dropped, 4);
	assert_int_equal(k.seg.state->horizon, 9);
	assert_true(k.seg.state->full && k.seg.state->overrun);
	chunk_close(&k.seg, &w, &h, 99999);
	assert_true(chunk_take(&k.seg, &w, 100, 99999, &h));
	assert_int_equal(kit_lost(&k), 8);
	assert_int_equal(k.seg.state->horizon, 19);
	assert_int_equal(kit_drain(&k, NULL, NULL), sent - 10);
	done(&k);
}

static void what_a_jump_left_is_recovered(void **state)
{
	struct chunk_writer w = writer_of(11);
	struct chunk_hold h, lost;
	struct kit k;

	make(&k, POSIX_TRACE_LOOP);
	assert_true(chunk_take(&k.seg, &w, 100, 1, &h));
	put_one(&k, &h, 2);
	assert_true(chunk_borrow(&k.seg, &w, 100, 1, &lost));
	put_one(&k, &lost, 3);
	/* A record that was written except for its header; and a count that was not incremented. */
	((struct layout_record *)(void *)h.pos)->tick = 4;
	h.count = 0;
	atomic_store(&k.seg.cs[40], truth_make(CHUNK_TAKEN, 0, 7, 11));
	atomic_store(&k.seg.cs[41], truth_make(CHUNK_ACTIVE, 0, 7, 12));
	assert_true(chunk_repair(&k.seg, &w, &h));
	assert_int_equal(h.count, 1);
	chunk_recover(&k.seg, &w, h.index, 5);
	assert_int_equal(truth_state(k.seg.cs[h.index]), CHUNK_ACTIVE);
	assert_int_equal(truth_state(k.seg.cs[lost.index]), CHUNK_FULL);
	assert_int_equal(truth_state(k.seg.cs[40]), CHUNK_FREE);
	assert_int_equal(truth_state(k.seg.cs[41]), CHUNK_ACTIVE);
	done(&k);
}

/* ---- any content ---- */

static _Atomic bool stop;

/* Races on purpose. */
__attribute__((no_sanitize("thread"))) static void *scribble(void *arg)
{
	struct kit *k = arg;
	unsigned seed = 7;

	while (!atomic_load(&stop)) {
		uint64_t *at = (uint64_t *)(void *)(k->seg.base + LAYOUT_PAGE);
		size_t words = (k->seg.g.bytes - LAYOUT_PAGE) / 8, i;

		i = (size_t)rand_r(&seed) % (rand_r(&seed) % 2 ? words : 500);
		__atomic_store_n(&at[i],
				 rand_r(&seed) % 3
				     ? (uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed) << 8
				     : (uint64_t)rand_r(&seed) % 64,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Another process writes at random into everything that is shared: no access outside, no loop
 * without end. (What is recorded meanwhile is worth nothing.) */
static void lives_with_any_content(void **state)
{
	uint64_t end = clock_mono() + 1500000000u;
	pthread_t t;
	struct kit k;

	make(&k, POSIX_TRACE_LOOP);
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&t, NULL, scribble, &k), 0);
	for (int32_t i = 0; clock_mono() < end; i++) {
		struct chunk_writer w = writer_of(i % 50 + 1);
		struct chunk_hold h;

		if (i % 3 == 0 ? chunk_borrow(&k.seg, &w, 100, 1, &h)
			       : chunk_take(&k.seg, &w, 100, 1, &h)) {
			assert_true(h.index < k.seg.g.chunks);
			assert_true(h.pos >= chunk_begin(&k.seg, h.index));
			assert_true(h.pos + 100 <= chunk_end(&k.seg, h.index));
			put_one(&k, &h, 1);
			if (i % 7 == 0)
				chunk_repair(&k.seg, &w, &h);
			if (i % 2 == 0)
				chunk_give(&k.seg, &w, &h, 2);
			else
				chunk_close(&k.seg, &w, &h, 2);
		}
		if (i % 100 == 0)
			chunk_recover(&k.seg, &w, UINT32_MAX, 3);
	}
	atomic_store(&stop, true);
	pthread_join(t, NULL);
	done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_chunk_goes_round),
	    cmocka_unit_test(the_quota_is_for_owners),
	    cmocka_unit_test(overwriting_counts_what_was_unread),
	    cmocka_unit_test(what_a_jump_left_is_recovered),
	    cmocka_unit_test(lives_with_any_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

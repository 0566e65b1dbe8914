/*
 * kit - a stream without a controller: a segment in a slot of this process's gate, its switches,
 * and a drain that walks the chunks. For tests of the record path that want nothing else in
 * between.
 */
#ifndef TEST_LIBTRACE_KIT_H
#define TEST_LIBTRACE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/attach.h"
#include "libtrace/chunk.h"
#include "libtrace/clock.h"
#include "libtrace/family.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"

#include <trace_np.h>

/* Whether the thread sanitizer watches: it takes ten times as long. */
#if defined(__SANITIZE_THREAD__)
#define KIT_WATCHED true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KIT_WATCHED true
#endif
#endif
#ifndef KIT_WATCHED
#define KIT_WATCHED false
#endif

struct kit {
	struct segment seg;
	struct layout_id id;
	unsigned slot;
	int fd;
};

/* The events of a drain. */
struct kit_event {
	uint32_t id, length, flags;
	uint64_t tick, address, thread;
	int32_t pid, tid;
	const uint8_t *data;
	uint32_t chunk;
};
typedef void (*kit_visit)(const struct kit_event *e, void *arg);

/* Ids that the tests use; a group set-up. */
static inline int kit_ids(void **state)
{
	trace_event_id_t id = 0;
	char name[16];

	for (int i = 0; id < 300; i++) {
		snprintf(name, sizeof(name), "kit %d", i);
		assert_int_equal(family_id_of(family_self(), name, &id), 0);
	}
	return 0;
}

static inline void kit_gate(void)
{
	unsigned n = 0, last = 0;

	for (unsigned i = 0; i < REGISTRY_SLOTS; i++)
		if (atomic_load(&trace_registry.running[i / 32]) >> i % 32 & 1) {
			n++;
			last = i;
		}
	atomic_store(&trace_registry.gate, n == 0 ? 0 : n == 1 ? (last + 1) * 64 : GATE_MANY);
}

static inline void kit_open_as(struct kit *k, unsigned slot, uint64_t size, uint32_t data_max,
			       uint32_t policy, uint32_t kind, uint32_t mode)
{
	static uint64_t streams = 1000;
	struct registry_slot *s = &trace_registry.slots[slot], from = {0};
	struct geometry g;
	struct stat st;

	memset(k, 0, sizeof(*k));
	k->slot = slot;
	assert_int_equal(geometry_make(size, data_max, policy, &g), 0);
	k->id.stream_id = ++streams;
	k->id.clock_kind = kind;
	k->id.clock_mode = mode;
	k->fd = segment_create(&k->id, &g, &k->seg);
	assert_true(k->fd >= 0);
	assert_int_equal(fstat(k->fd, &st), 0);
	from.fd = k->fd;
	from.holder.pid = from.controller.pid = getpid();
	from.inode = st.st_ino;
	registry_slot_fill(s, k->id.stream_id, &from);
	atomic_fetch_add(&trace_registry.changes, 1);
}

static inline void kit_open(struct kit *k, uint64_t size, uint32_t data_max, uint32_t policy)
{
	kit_open_as(k, 0, size, data_max, policy, clock_kind(), POSIX_TRACE_CLOCK_ADAPTIVE_NP);
}

static inline void kit_start(struct kit *k)
{
	uint32_t ctl = atomic_load(&k->seg.state->ctl);

	atomic_store(&k->seg.state->t_full, 0);
	atomic_store(&k->seg.state->ctl, ((ctl & ~(uint32_t)CTL_FULL) + CTL_EPOCH) | CTL_RUNNING);
	atomic_fetch_or(&trace_registry.running[k->slot / 32], (uint64_t)1 << k->slot % 32);
	kit_gate();
}

static inline void kit_stop(struct kit *k)
{
	atomic_fetch_and(&k->seg.state->ctl, ~(uint32_t)CTL_RUNNING);
	atomic_fetch_and(&trace_registry.running[k->slot / 32], ~((uint64_t)1 << k->slot % 32));
	kit_gate();
}

static inline void kit_close(struct kit *k)
{
	atomic_store(&k->seg.state->ctl, 0);
	atomic_fetch_and(&trace_registry.running[k->slot / 32], ~((uint64_t)1 << k->slot % 32));
	kit_gate();
	atomic_store(&trace_registry.slots[k->slot].flags, 0);
	atomic_store(&trace_registry.slots[k->slot].stream_id, 0);
	atomic_fetch_add(&trace_registry.changes, 1);
	segment_unmap(&k->seg);
	close(k->fd);
	attach_refresh();
}

static inline void kit_record(const struct layout_record *r, uint64_t header, struct kit_event *e)
{
	const uint8_t *data = (const uint8_t *)r + LAYOUT_RECORD_HEAD;

	e->id = record_id(header);
	e->flags = record_flags(header);
	e->length = record_length(header);
	e->tick = r->tick;
	e->address = r->address;
	if (e->flags & RECORD_NESTED) {
		data += sizeof(struct layout_nested);
		e->length -= sizeof(struct layout_nested);
	}
	e->data = data;
}

/* Visits the committed events of a chunk from an offset on: where the next one would begin. */
static inline uint32_t kit_walk(struct kit *k, uint32_t i, uint32_t offset, kit_visit visit,
				void *arg)
{
	struct layout_chunk *head = segment_chunk(&k->seg, i);
	struct kit_event e = {
	    .thread = head->thread, .pid = head->pid, .tid = head->tid, .chunk = i};

	for (uint32_t at = LAYOUT_CHUNK_HEAD;;) {
		const struct layout_record *r = (void *)((uint8_t *)head + at);
		uint64_t header;

		if (at > k->seg.g.chunk_size - LAYOUT_RECORD_HEAD)
			return at;
		header = atomic_load_explicit(&r->header, memory_order_acquire);
		if (header == 0)
			return at;
		assert_true(record_flags(header) & RECORD_COMMITTED);
		if (record_flags(header) & RECORD_THREAD) {
			const uint64_t *who =
			    (const void *)((const uint8_t *)r + LAYOUT_RECORD_HEAD);

			assert_int_equal(record_length(header), 16);
			e.thread = who[0];
			e.pid = (int32_t)(who[1] >> 32);
			e.tid = (int32_t)who[1];
		} else if (at >= offset) {
			kit_record(r, header, &e);
			if (visit != NULL)
				visit(&e, arg);
		}
		at += geometry_record(&k->seg.g, record_length(header));
	}
}

/* Takes everything there is, chunk by chunk: the number of events. */
static inline uint64_t kit_drain(struct kit *k, kit_visit visit, void *arg)
{
	const struct geometry *g = &k->seg.g;
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->chunks; i++) {
		uint64_t word = atomic_load(&k->seg.cs[i]);
		uint32_t from = LAYOUT_CHUNK_HEAD + truth_pos(word) * g->align, to;

		if (truth_state(word) != CHUNK_ACTIVE && truth_state(word) != CHUNK_PART &&
		    truth_state(word) != CHUNK_FULL)
			continue;
		to = kit_walk(k, i, from, visit, arg);
		n += chunk_count(&k->seg, i, from);
		if (truth_state(word) == CHUNK_FULL) {
			atomic_store(&k->seg.cs[i], truth_make(CHUNK_FREE, 0, truth_gen(word), 0));
			atomic_fetch_or(&k->seg.freemap[i / 64], (uint64_t)1 << i % 64);
		} else {
			uint64_t after =
			    truth_make(truth_state(word), (to - LAYOUT_CHUNK_HEAD) / g->align,
				       truth_gen(word), truth_tid(word));

			assert_true(atomic_compare_exchange_strong(&k->seg.cs[i], &word, after));
		}
	}
	return n;
}

static inline uint64_t kit_lost(struct kit *k)
{
	uint64_t n = atomic_load(&k->seg.state->lost[LOST_FULL]) +
		     atomic_load(&k->seg.state->lost[LOST_ATTACH]);

	for (uint32_t i = 0; i < k->seg.g.chunks; i++)
		n += atomic_load(&k->seg.lostc[i]) & (((uint64_t)1 << LOSTC_BITS) - 1);
	return n;
}

static inline uint32_t kit_states(struct kit *k, enum chunk_state state)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->seg.g.chunks; i++)
		n += truth_state(atomic_load(&k->seg.cs[i])) == state;
	return n;
}

#endif

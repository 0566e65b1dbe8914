/*
 * attach - see attach.h.
 *
 * Writers      table[slot]: any thread, compare-and-swap; NULL -> mapping (attach_now), mapping ->
 *              NULL (attach_drop). detaching: a list without lock; any thread. failed[slot]: any
 *              thread; its values only pace attempts. seen_changes: any thread.
 * Ordering     Sequentially consistent where nothing else is said. The important pair is store
 *              `users`, load table[slot] in a slow path (record_slow.c) against clear table[slot],
 *              load `users` in thread_all_left(): at least one side sees the other's store.
 * Invariants   A mapping is unmapped only when it is out of the table, no cursor has it, and no
 *              frame is between its load from the table and its store into a cursor. Until then
 *              late stores go to private memory that was mapped over it. A struct attached does not
 *              change after it was published, except `next`, which the detacher owns.
 * Never here   a lock: a handler may interrupt any of these functions and call it again. Whichever
 *              compare-and-swap comes second loses and undoes its own mapping.
 * Checked by   test_attach streams_come_and_go_under_threads, any_gate_does_no_harm,
 *              no_descriptor_no_record_but_a_count; kill/test_kill (attach)
 */
#include "libtrace/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "libtrace/clock.h"
#include "libtrace/handoff.h"
#include "libtrace/proc.h"
#include "libtrace/record.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"
#include "libtrace/thread.h"

enum {
	PATH = 48,
	TRY_ALWAYS = 4,  /* events that each try to map a stream that cannot be mapped */
	TRY_AGAIN = 256, /* after that, one event in so many tries */
	WAIT_MS = 128,   /* pause after the first handoff that timed out; doubled each time */
	WAIT_DOUBLINGS = 6,
};

struct registry_file trace_registry;

static _Atomic(struct attached *) table[REGISTRY_SLOTS];
static _Atomic(struct attached *) detaching; /* to be unmapped (third step) */
static _Atomic uint32_t seen_changes; /* value of the registry's counter at the last refresh */

/* Failed attempts to map a stream. Events lost this way are counted in the registry, where the
 * controller sees them, until there is a segment to count them in. */
static struct {
	_Atomic uint64_t stream_id;
	_Atomic uint32_t tries;
	_Atomic uint32_t waits; /* handoffs that timed out */
	_Atomic uint64_t after; /* CLOCK_MONOTONIC ns: no attempt before */
} failed[REGISTRY_SLOTS];

/* ---- mapping ---- */

/* Opens a descriptor of another process: a descriptor, or -errno. Whatever that file may be: a
 * terminal must not become the controlling one, and the call must not block. */
static int open_of(int32_t pid, int32_t fd)
{
	char path[PATH];
	struct text t = text_init(path, sizeof(path));

	if (fd < 0 || pid <= 0)
		return -EINVAL;
	text_add(&t, "/proc/");
	text_add_number(&t, (uint32_t)pid);
	text_add(&t, "/fd/");
	text_add_number(&t, (uint32_t)fd);
	return sys_openat(AT_FDCWD, path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
}

/* Maps the file of a descriptor, if it matches the slot, and closes the descriptor: 0, -errno. */
static int map_checked(int fd, const struct registry_slot *slot, uint64_t stream_id,
		       struct attached *a)
{
	struct layout_id id;
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r == 0 && st.st_ino != slot->inode)
		r = -ESTALE;
	if (r == 0)
		r = segment_map(fd, &a->seg, &id);
	sys_close(fd);
	if (r < 0)
		return r;
	if (id.stream_id == stream_id && clock_usable((enum clock_kind)id.clock_kind))
		return 0;
	segment_unmap(&a->seg);
	return -ESTALE;
}

/* Finds the segment: from the handoff socket; or in the holder; or else in the controller, where
 * the descriptor has the same number. The holder may have ended, and its pid may be reused. */
static int map_found(const struct registry_slot *slot, uint64_t stream_id, struct attached *a)
{
	int r;

	if (slot->handoff != 0)
		return map_checked(handoff_request(slot->handoff), slot, stream_id, a);
	r = map_checked(open_of(slot->holder.pid, slot->fd), slot, stream_id, a);
	if (r == 0 || proc_equal(&slot->holder, &slot->controller))
		return r;
	return map_checked(open_of(slot->controller.pid, slot->fd), slot, stream_id, a);
}

/* Maps the stream of a slot: 0, -errno. Cancellation must be off: open, read and close of the C
 * library are cancellation points. */
static int map_new(unsigned index, const struct registry_slot *slot, uint64_t stream_id,
		   struct attached **ret_attached)
{
	struct attached *a = sys_map_anon(sizeof(*a));
	int r;

	if (a == NULL)
		return -ENOMEM;
	r = map_found(slot, stream_id, a);
	if (r < 0) {
		sys_unmap(a, sizeof(*a));
		return r;
	}
	a->stream_id = stream_id;
	a->slot = index;
	a->fast = record_is_fast(a->seg.clock_kind, a->seg.clock_mode);
	*ret_attached = a;
	return 0;
}

static void unmap(struct attached *a)
{
	sys_unmap(a->seg.base, a->seg.g.bytes);
	sys_unmap(a, sizeof(*a));
}

/* ---- streams that cannot be mapped ---- */

static void failed_begin(unsigned slot)
{
	atomic_store(&failed[slot].tries, 0);
	atomic_store(&failed[slot].waits, 0);
	atomic_store(&failed[slot].after, 0);
}

/* Exponential back-off after a handoff that timed out. */
static void failed_timeout(unsigned slot)
{
	uint32_t n = atomic_fetch_add(&failed[slot].waits, 1);
	uint64_t pause = (uint64_t)WAIT_MS * 1000000 << (n < WAIT_DOUBLINGS ? n : WAIT_DOUBLINGS);

	atomic_store(&failed[slot].after, clock_mono() + pause);
}

static void count_missed(unsigned slot, uint64_t stream_id)
{
	if (atomic_exchange(&failed[slot].stream_id, stream_id) != stream_id)
		failed_begin(slot);
	atomic_fetch_add(&trace_registry.slots[slot].missed, 1);
}

static bool worth_trying(unsigned slot, uint64_t stream_id)
{
	uint32_t n;

	if (atomic_load(&failed[slot].stream_id) != stream_id)
		return true;
	if (clock_mono() < atomic_load(&failed[slot].after))
		return false;
	n = atomic_fetch_add(&failed[slot].tries, 1);
	return n < TRY_ALWAYS || n % TRY_AGAIN == 0;
}

static void account_missed(const struct attached *a)
{
	atomic_fetch_add(&a->seg.state->lost[LOST_ATTACH],
			 atomic_exchange(&trace_registry.slots[a->slot].missed, 0));
	atomic_store(&failed[a->slot].stream_id, 0);
}

/* ---- detaching ---- */

static void push_detaching(struct attached *a)
{
	a->next = atomic_load(&detaching);
	while (!atomic_compare_exchange_weak(&detaching, &a->next, a))
		;
}

/* Second step of removal; the caller has cleared the table entry. After it no store reaches the
 * segment. */
static void cover(struct attached *a)
{
	(void)sys_map(a->seg.base, a->seg.g.bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1);
	push_detaching(a);
}

/* Third step, for all mappings that no thread uses. */
static void unmap_unused(void)
{
	struct attached *a = atomic_load(&detaching), *next;

	if (a == NULL)
		return;
	for (a = atomic_exchange(&detaching, NULL); a != NULL; a = next) {
		next = a->next;
		if (thread_all_left(a->slot, a))
			unmap(a);
		else
			push_detaching(a);
	}
}

/* Does a slot still have that stream? */
static bool slot_has(unsigned slot, uint64_t stream_id)
{
	const struct registry_slot *s = &trace_registry.slots[slot];

	return atomic_load_explicit(&s->stream_id, memory_order_acquire) == stream_id &&
	       (atomic_load_explicit(&s->flags, memory_order_acquire) & SLOT_LIVE) != 0;
}

static void attach_drop(unsigned slot, struct attached *a)
{
	if (atomic_compare_exchange_strong(&table[slot], &a, NULL))
		cover(a);
}

/* ---- the table ---- */

static struct attached *attach_now(unsigned index)
{
	struct attached *a = NULL, *other = NULL;
	struct registry_slot slot;
	uint64_t id;
	int state, r;

	if (!registry_slot_read(&trace_registry.slots[index], &slot))
		return NULL;
	id = atomic_load_explicit(&slot.stream_id, memory_order_relaxed);
	if (!worth_trying(index, id)) {
		count_missed(index, id);
		return NULL;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	r = map_new(index, &slot, id, &a);
	pthread_setcancelstate(state, NULL);
	if (r < 0) {
		count_missed(index, id);
		if (r == -ETIMEDOUT)
			failed_timeout(index);
		return NULL;
	}
	if (!atomic_compare_exchange_strong(&table[index], &other, a)) {
		unmap(a); /* another thread, or a handler, was faster */
		return other->stream_id == id ? other : NULL;
	}
	account_missed(a);
	return a;
}

/* If streams have come or gone since the last slow path: removes those that have gone, whichever
 * slot this event is for. */
static void notice_changes(void)
{
	uint32_t changes = atomic_load(&trace_registry.changes);

	if (atomic_load(&seen_changes) == changes && atomic_load(&detaching) == NULL)
		return;
	atomic_store(&seen_changes, changes);
	attach_refresh();
}

bool attach_holds(const struct attached *a)
{
	return atomic_load_explicit(&seen_changes, memory_order_relaxed) ==
		   atomic_load_explicit(&trace_registry.changes, memory_order_relaxed) &&
	       slot_has(a->slot, a->stream_id);
}

struct attached *attach_slot(unsigned slot)
{
	struct attached *a;

	if (slot >= REGISTRY_SLOTS)
		return NULL;
	notice_changes();
	a = atomic_load(&table[slot]);
	if (a != NULL && slot_has(slot, a->stream_id))
		return a;
	if (a != NULL)
		attach_drop(slot, a);
	return attach_now(slot);
}

struct attached *attach_mapped(unsigned slot)
{
	return slot < REGISTRY_SLOTS ? atomic_load(&table[slot]) : NULL;
}

void attach_refresh(void)
{
	for (unsigned i = 0; i < REGISTRY_SLOTS; i++) {
		struct attached *a = atomic_load(&table[i]);

		if (a != NULL && !slot_has(i, a->stream_id))
			attach_drop(i, a);
	}
	unmap_unused();
}

void attach_after_fork(void)
{
	attach_refresh();
}

/*
 * thread - see thread.h. The pool grows by slabs, each twice as large as the one before; a block is
 * named by its index, so that the free list is one word with a tag. Both words name the process that
 * they are for: a child begins behind the blocks of its parent.
 */
#include "libtrace/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "libtrace/clock.h"
#include "libtrace/family.h"
#include "libtrace/inherit.h"
#include "libtrace/sys.h"

enum {
	SLABS = 18,
	SLAB_FIRST = 16, /* blocks in the first slab */
	INDEX_BITS = 22,
	TAG_BITS = 20,
	KEY_PLAIN = 32, /* keys below it need no memory to be set (glibc) */
};

struct tblk thread_nobody;
__thread struct tblk *thread_self = &thread_nobody;

static _Atomic(struct tblk *) slabs[SLABS];
static _Atomic uint64_t pool_used; /* pid 32 | blocks ever given out 32 */
static _Atomic uint64_t pool_free; /* pid 22 | tag 20 | index + 1 22 */
static pthread_key_t exit_key;
static bool has_exit_key;

static int32_t own_pid(void)
{
	return (int32_t)SYS(SYS_getpid);
}

/* ---- blocks by index ---- */

static unsigned slab_of(uint32_t index)
{
	unsigned k = 0;

	for (uint32_t n = index / SLAB_FIRST + 1; n > 1; n /= 2)
		k++;
	return k;
}

static uint32_t slab_begin(unsigned k)
{
	return SLAB_FIRST * ((1u << k) - 1);
}

static struct tblk *block_at(uint32_t index)
{
	unsigned k = slab_of(index);
	struct tblk *slab;

	if (k >= SLABS)
		return NULL;
	slab = atomic_load_explicit(&slabs[k], memory_order_acquire);
	return slab == NULL ? NULL : slab + (index - slab_begin(k));
}

/* Maps the slab of an index if nobody has: false when there is no memory. */
static bool slab_need(uint32_t index)
{
	unsigned k = slab_of(index);
	struct tblk *none = NULL, *slab;
	size_t bytes;

	if (k >= SLABS)
		return false;
	if (atomic_load_explicit(&slabs[k], memory_order_acquire) != NULL)
		return true;
	bytes = sizeof(struct tblk) * (SLAB_FIRST << k);
	slab = sys_map(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (slab == NULL)
		return false;
	(void)SYS(SYS_madvise, slab, bytes, MADV_WIPEONFORK);
	if (!atomic_compare_exchange_strong(&slabs[k], &none, slab))
		sys_unmap(slab, bytes);
	return true;
}

/* ---- the free list ---- */

static uint64_t free_word(int32_t pid, uint64_t tag, uint32_t link)
{
	return (uint64_t)(uint32_t)pid << (INDEX_BITS + TAG_BITS) |
	       (tag & ((1u << TAG_BITS) - 1)) << INDEX_BITS | link;
}

static struct tblk *pop(int32_t pid)
{
	uint64_t word = atomic_load(&pool_free);

	for (;;) {
		uint32_t link = word & ((1u << INDEX_BITS) - 1);
		uint64_t tag = word >> INDEX_BITS;
		struct tblk *b;

		if (free_word(pid, tag, link) != word || link == 0)
			return NULL;
		b = block_at(link - 1);
		if (b == NULL)
			return NULL;
		if (atomic_compare_exchange_weak(&pool_free, &word,
						 free_word(pid, tag + 1, atomic_load(&b->next))))
			return b;
	}
}

static void push(int32_t pid, struct tblk *b)
{
	uint64_t word = atomic_load(&pool_free);

	for (;;) {
		uint64_t tag = word >> INDEX_BITS;
		uint32_t link = word & ((1u << INDEX_BITS) - 1);
		bool ours = free_word(pid, tag, link) == word;

		atomic_store(&b->next, ours ? link : 0);
		if (atomic_compare_exchange_weak(&pool_free, &word,
						 free_word(pid, tag + 1, b->index + 1)))
			return;
	}
}

/* ---- giving blocks out ---- */

static uint32_t used_by(int32_t pid)
{
	uint64_t word = atomic_load(&pool_used);

	return word >> 32 == (uint32_t)pid ? (uint32_t)word : 0;
}

static struct tblk *fresh(int32_t pid)
{
	uint64_t word = atomic_load(&pool_used), next;
	uint32_t index;

	do {
		index = (uint32_t)word;
		if (index >= (1u << INDEX_BITS) - 1 || !slab_need(index))
			return NULL;
		next = (uint64_t)(uint32_t)pid << 32 | (index + 1);
	} while (!atomic_compare_exchange_weak(&pool_used, &word, next));
	block_at(index)->index = index;
	return block_at(index);
}

static uint64_t new_serial(int32_t pid)
{
	static _Atomic uint32_t count;
	struct timespec ts;

	/* Of a process that has the pid of an earlier one, or no constructor, as little as of two
	 * threads: the clock keeps them apart. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_nsec << 34 ^ (uint64_t)(uint32_t)pid << 20) +
	       atomic_fetch_add(&count, 1) + 1;
}

static void block_init(struct tblk *b, int32_t pid)
{
	b->who = (struct chunk_writer){ .pid = pid,
					.tid = (int32_t)SYS(SYS_gettid),
					.thread = (uint64_t)(uintptr_t)pthread_self(),
					.serial = new_serial(pid) };
	b->last = 0;
	b->ids = 0;
	b->burst = UINT32_MAX;
	b->family = family_self();
	atomic_store(&b->taken, (uint32_t)b->who.tid);
}

/* ---- giving blocks back ---- */

static void forget(struct cursor *c)
{
	c->hold = (struct chunk_hold){ NULL };
	c->filter = NULL;
	c->ctl_at = NULL;
	c->ctl = 0;
	c->limit = c->plain = c->other_clock = 0;
	atomic_store_explicit(&c->att, NULL, memory_order_release);
}

static void leave_stream(struct tblk *b, struct cursor *c)
{
	struct attached *a = atomic_load(&c->att);

	if (a != NULL && c->hold.pos != NULL && chunk_mend(&a->seg, &b->who, &c->hold))
		chunk_give(&a->seg, &b->who, &c->hold, clock_fenced(a->seg.clock_kind));
	forget(c);
}

/* A thread that ends in the middle of something, by cancellation or without the hook. */
static void leave_rest(struct tblk *b)
{
	for (unsigned slot = 0; slot < REGISTRY_SLOTS; slot++) {
		struct attached *a = attach_mapped(slot);

		if (a != NULL)
			chunk_recover(&a->seg, &b->who, UINT32_MAX, clock_fenced(a->seg.clock_kind));
	}
}

static void block_free(struct tblk *b, bool in_order)
{
	int32_t pid = b->who.pid;

	atomic_store(&b->users, 1); /* before the table is looked at */
	for (uint32_t i = 0; i < b->top && i < THREAD_CURSORS; i++)
		leave_stream(b, &b->c[i]);
	if (!in_order)
		leave_rest(b);
	b->top = b->nested = b->stuck = 0;
	b->ids = 0;
	b->who.pid = 0;
	atomic_store(&b->users, 0);
	atomic_store(&b->in, 0);
	atomic_store(&b->taken, 0);
	push(pid, b);
}

/* The end of a thread. Handlers meanwhile take it for the inside of a record. */
static void at_exit_of_thread(void *block)
{
	struct tblk *b = block;
	bool in_order;

	if (b != thread_self || b->who.pid == 0)
		return;
	in_order = atomic_load_explicit(&b->in, memory_order_relaxed) == 0 && b->nested == 0;
	atomic_store_explicit(&b->in, UINTPTR_MAX, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	thread_self = &thread_nobody;
	atomic_signal_fence(memory_order_seq_cst);
	block_free(b, in_order);
}

/* Threads that ended without the hook: the key was too high, or the last of their destructors
 * recorded. Looked for before the pool grows. */
static void collect_dead(int32_t pid)
{
	uint32_t used = used_by(pid);

	for (uint32_t i = 0; i < used; i++) {
		struct tblk *b = block_at(i);
		uint32_t tid = b == NULL ? 0 : atomic_load(&b->taken);

		if (tid == 0 || tid == UINT32_MAX || SYS(SYS_tgkill, pid, tid, 0) != -ESRCH)
			continue;
		if (atomic_compare_exchange_strong(&b->taken, &tid, UINT32_MAX))
			block_free(b, false);
	}
}

static bool pool_would_grow(int32_t pid)
{
	uint32_t used = used_by(pid);

	return used > 0 && used == slab_begin(slab_of(used));
}

/* ---- the calling thread's ---- */

static struct tblk *take(int32_t pid)
{
	struct tblk *b = pop(pid);

	if (b == NULL && pool_would_grow(pid)) {
		collect_dead(pid);
		b = pop(pid);
	}
	return b != NULL ? b : fresh(pid);
}

static struct tblk *make(void)
{
	int32_t pid = own_pid();
	struct tblk *b = take(pid), *none = &thread_nobody;

	if (b == NULL)
		return NULL;
	block_init(b, pid);
	if (!__atomic_compare_exchange_n(&thread_self, &none, b, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST)) { /* a handler was faster */
		block_free(b, true);
		return none;
	}
	if (has_exit_key)
		pthread_setspecific(exit_key, b);
	return b;
}

struct tblk *thread_block(void)
{
	if (thread_self->who.pid != 0)
		return thread_self;
	/* Wiped, or none: in a child of any kind of fork the library must know first. */
	inherit_after_fork();
	thread_self = &thread_nobody;
	return make();
}

struct attached *thread_mend(const struct tblk *b, struct cursor *c)
{
	struct attached *a = atomic_load_explicit(&c->att, memory_order_relaxed);

	if (c->hold.pos == NULL || !chunk_mend(&a->seg, &b->who, &c->hold))
		c->hold.pos = c->hold.end = NULL;
	else if (a->seg.g.align != 8)
		c->hold.end = NULL;
	return a;
}

uint32_t thread_keeps(const struct cursor *c, const struct attached *a)
{
	return atomic_load_explicit(&c->att, memory_order_relaxed) == a && c->hold.pos != NULL
		       ? c->hold.index
		       : UINT32_MAX;
}

bool thread_all_left(unsigned slot, const struct attached *a)
{
	uint32_t used = used_by(own_pid());

	for (uint32_t i = 0; i < used; i++) {
		struct tblk *b = block_at(i);

		if (b == NULL)
			continue;
		if (atomic_load(&b->users) > (b == thread_self ? 1 : 0) ||
		    atomic_load(&b->c[slot + 1].att) == a)
			return false;
	}
	return true;
}

__attribute__((constructor)) static void make_exit_key(void)
{
	pthread_key_t key;

	if (pthread_key_create(&key, at_exit_of_thread) != 0)
		return;
	if (key >= KEY_PLAIN) {
		pthread_key_delete(key);
		return;
	}
	exit_key = key;
	has_exit_key = true;
}

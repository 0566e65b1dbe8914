/*
 * thread - see thread.h. The pool of blocks.
 *
 *     slabs[k]    16 << k blocks, mapped on demand, never unmapped: any block index stays readable
 *     pool_used   pid 32 | number of blocks ever handed out
 *     pool_free   pid 22 | tag 20 | index + 1 of the first free block
 *
 * Writers      slabs[k]: the first thread that maps it, compare-and-swap from NULL. pool_used, pool_free:
 *              any thread or handler, compare-and-swap. A block's `next`: its owner, before thread_push().
 *              `taken`: the owner; a collector by compare-and-swap from the tid of a dead thread.
 * Ordering     All operations on these words are sequentially consistent except where noted.
 * Invariants   A block belongs to one thread from thread_pop() or fresh() until thread_push(). The tag changes with
 *              every push and pop, so a stale pool_free word fails its compare-and-swap.
 * Fork         The words name their process. A child sees its parent's pid in them: it ignores the free
 *              list, and its indexes continue after its parent's.
 * Never here   malloc, locks: handlers run this code. An interrupted operation does not block others.
 * Checked by   test_thread many_threads_at_once, lost_hooks_lose_no_memory, cancellation_does_no_harm;
 *              stress/test_forks
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
	KEY_PLAIN = 32, /* lower keys need no memory to be set (glibc) */
};

struct tblk thread_none;
__thread struct tblk *thread_self = &thread_none;

static _Atomic(struct tblk *) slabs[SLABS];
static _Atomic uint64_t pool_used; /* pid 32 | number of blocks ever handed out 32 */
static _Atomic uint64_t pool_free; /* pid 22 | tag 20 | index + 1 22 */
static pthread_key_t exit_key;
static bool has_exit_key;

static int32_t own_pid(void)
{
	return (int32_t)SYS(SYS_getpid);
}

/* ---- blocks by index ---- */

/* Slab k begins at index 16 * (2^k - 1) and has 16 * 2^k blocks. */
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

/* Acquire: pairs with the compare-and-swap in slab_need(), so a thread that sees a slab sees
 * zeroed memory. NULL only for indexes that were never handed out. */
static struct tblk *block_at(uint32_t index)
{
	unsigned k = slab_of(index);
	struct tblk *slab;

	if (k >= SLABS)
		return NULL;
	slab = atomic_load_explicit(&slabs[k], memory_order_acquire);
	return slab == NULL ? NULL : slab + (index - slab_begin(k));
}

/* Maps the slab of an index if it is missing: false if there is no memory. Threads may map it
 * concurrently; one compare-and-swap wins, the others unmap theirs. MADV_WIPEONFORK is set before
 * publication. */
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

/*
 * Takes the first free block of this process; NULL if there is none. b->next may be read after another
 * thread has taken b: blocks stay mapped, so the read is valid, and the tag has changed, so the
 * compare-and-swap fails and the stale value is dropped.
 */
static struct tblk *thread_pop(int32_t pid)
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

/*
 * Frees a block. The compare-and-swap publishes b->next and the cleared block to the next thread_pop(). If the word
 * names another process (this is a child's first push), a new list begins.
 */
static void thread_push(int32_t pid, struct tblk *b)
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

/* Number of block indexes that threads of this process may have; 0 before its first block. */
static uint32_t used_by(int32_t pid)
{
	uint64_t word = atomic_load(&pool_used);

	return word >> 32 == (uint32_t)pid ? (uint32_t)word : 0;
}

/* The index comes from the word whatever process it names: a child continues after its parent's
 * blocks. The slab exists before the index is handed out, so every index below pool_used has
 * memory. */
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

	/* Two processes may have the same pid one after the other, and a process without
	 * constructor is not distinguishable from its parent: the clock makes their serials differ. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_nsec << 34 ^ (uint64_t)(uint32_t)pid << 20) +
	       atomic_fetch_add(&count, 1) + 1;
}

/* Only this thread knows the block. `taken` is stored last: from then on a collector may examine
 * it. */
static void block_init(struct tblk *b, int32_t pid)
{
	b->writer = (struct chunk_writer){ .pid = pid,
					.tid = (int32_t)SYS(SYS_gettid),
					.thread = (uint64_t)(uintptr_t)pthread_self(),
					.serial = new_serial(pid) };
	b->last = 0;
	b->ids = 0;
	b->burst = UINT32_MAX;
	b->family = family_self();
	atomic_store(&b->taken, (uint32_t)b->writer.tid);
}

/* ---- giving blocks back ---- */

/* att is cleared last, with release: thread_all_left(), which loads it, may then let the mapping
 * go, because no earlier access of this thread to the stream can come after it. */
static void thread_forget(struct cursor *c)
{
	c->hold = (struct chunk_hold){ NULL };
	c->filter = NULL;
	c->ctl_at = NULL;
	c->ctl = 0;
	c->limit = c->plain = c->other_clock = 0;
	atomic_store_explicit(&c->att, NULL, memory_order_release);
}

/* Gives back the cursor's chunk. chunk_repair() first, because the thread may have ended inside a
 * record. The mapping exists as long as att is set. */
static void leave_stream(struct tblk *b, struct cursor *c)
{
	struct attached *a = atomic_load(&c->att);

	if (a != NULL && c->hold.pos != NULL && chunk_repair(&a->seg, &b->writer, &c->hold))
		chunk_give(&a->seg, &b->writer, &c->hold, clock_fenced(a->seg.clock_kind));
	thread_forget(c);
}

/* For a thread that ended inside a record, by cancellation or without the hook: closes all chunks
 * that have its tid, in every mapped stream. `users` is set, so mappings stay (see block_free). */
static void leave_rest(struct tblk *b)
{
	for (unsigned slot = 0; slot < REGISTRY_SLOTS; slot++) {
		struct attached *a = attach_mapped(slot);

		if (a != NULL)
			chunk_recover(&a->seg, &b->writer, UINT32_MAX, clock_fenced(a->seg.clock_kind));
	}
}

/*
 * Clears a block and frees it; the caller owns it (its thread is ending, or the collector took it).
 * users = 1 before the table of mappings is read: see thread_all_left(). The stores of users, in and
 * taken come before thread_push(), whose compare-and-swap publishes them to the next owner.
 */
static void block_free(struct tblk *b, bool in_order)
{
	int32_t pid = b->writer.pid;

	atomic_store(&b->users, 1); /* before the table is read */
	for (uint32_t i = 0; i < b->top && i < THREAD_CURSORS; i++)
		leave_stream(b, &b->c[i]);
	if (!in_order)
		leave_rest(b);
	b->top = b->nested = b->stuck = 0;
	b->ids = 0;
	b->writer.pid = 0;
	atomic_store(&b->users, 0);
	atomic_store(&b->in, 0);
	atomic_store(&b->taken, 0);
	thread_push(pid, b);
}

/*
 * Runs at the end of a thread. Handlers may still interrupt it: `in` is set first, so they use borrowed
 * chunks instead of the cursors; then thread_self is reset, so that later ones make a new block. Compiler
 * barriers suffice, because handlers run on this thread. A block made after the last destructor round
 * is left to collect_dead(). test_thread destructors_may_record.
 */
static void at_exit_of_thread(void *block)
{
	struct tblk *b = block;
	bool in_order;

	if (b != thread_self || b->writer.pid == 0)
		return;
	in_order = atomic_load_explicit(&b->in, memory_order_relaxed) == 0 && b->nested == 0;
	atomic_store_explicit(&b->in, UINTPTR_MAX, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	thread_self = &thread_none;
	atomic_signal_fence(memory_order_seq_cst);
	block_free(b, in_order);
}

/*
 * Finds blocks of threads that ended without the hook: the key was too high, or a destructor recorded after
 * the last round. Called before the pool grows. The compare-and-swap of `taken` selects one collector.
 * A tid that was reused by a new thread of this process counts as alive, and its block waits.
 */
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

/* Would the next fresh() map a slab? */
static bool pool_would_grow(int32_t pid)
{
	uint32_t used = used_by(pid);

	return used > 0 && used == slab_begin(slab_of(used));
}

/* ---- the calling thread's ---- */

/* A freed block, else one of a dead thread, else a new one. */
static struct tblk *thread_take(int32_t pid)
{
	struct tblk *b = thread_pop(pid);

	if (b == NULL && pool_would_grow(pid)) {
		collect_dead(pid);
		b = thread_pop(pid);
	}
	return b != NULL ? b : fresh(pid);
}

/*
 * Makes the block of the calling thread. A handler may interrupt this and make one itself; the
 * compare-and-swap of the thread-local pointer then fails, and this block is freed. No other thread
 * accesses thread_self: atomic only against handlers.
 */
static struct tblk *thread_make(void)
{
	int32_t pid = own_pid();
	struct tblk *b = thread_take(pid), *none = &thread_none;

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
	if (thread_self->writer.pid != 0)
		return thread_self;
	/* Wiped, or never made: the library must detect a fork first. */
	inherit_after_fork();
	thread_self = &thread_none;
	return thread_make();
}

struct attached *thread_repair(const struct tblk *b, struct cursor *c)
{
	struct attached *a = atomic_load_explicit(&c->att, memory_order_relaxed);

	if (c->hold.pos == NULL || !chunk_repair(&a->seg, &b->writer, &c->hold))
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

/*
 * The other side of attach_slot():
 *
 *     slow path    users + 1; load the table; store att (release); users - 1 (release)
 *     detacher     clear the table entry; for every block: load users, then att
 *
 * users + 1, both table accesses and both loads here are sequentially consistent. So a slow path that
 * loaded the mapping from the table before it was cleared has users > 0 here, or has already stored att,
 * or has finished with the mapping. After the entry is cleared no slow path can load it, so once the
 * answer is true it stays true. Blocks are never unmapped, and blocks that are handed out later start
 * with users and att 0. test_attach streams_come_and_go_under_threads.
 */
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

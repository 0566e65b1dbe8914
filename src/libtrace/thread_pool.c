/*
 * thread_pool - the pool of thread blocks; see thread.h.
 *
 *     slabs[k]    16 << k blocks, mapped on demand, never unmapped: any block index stays readable
 *     pool_used   pid 32 | number of blocks ever handed out
 *     pool_free   pid 22 | tag 20 | index + 1 of the first free block
 *
 * Writers      slabs[k]: the first thread that maps it, compare-and-swap from NULL. pool_used,
 *              pool_free: any thread or handler, compare-and-swap. A block's `next`: its owner,
 *              before thread_pool_push(). `taken`: the owner; a collector by compare-and-swap from
 *              the tid of a dead thread.
 * Ordering     All operations on these words are sequentially consistent except where noted.
 * Invariants   A block belongs to one thread from thread_pool_pop() or thread_pool_new() until
 *              thread_pool_push(). The tag changes with every push and pop, so a stale pool_free
 *              word fails its compare-and-swap.
 * Fork         The words name their process. A child sees its parent's pid in them: it ignores the
 *              free list, and its indexes continue after its parent's.
 * Never here   malloc, locks: handlers run this code. An interrupted operation does not block
 *              others.
 * Checked by   test_thread many_threads_at_once, lost_hooks_lose_no_memory,
 *              cancellation_does_no_harm; stress/test_forks
 */
#include "libtrace/thread.h"

#include <sys/mman.h>

#include "libtrace/sys.h"

enum {
	SLABS = 18,
	SLAB_FIRST = 16, /* blocks in the first slab */
	INDEX_BITS = 22,
	TAG_BITS = 20,
};

struct tblk thread_none;
__thread struct tblk *thread_self = &thread_none;

static _Atomic(struct tblk *) slabs[SLABS];
static _Atomic uint64_t pool_used; /* pid 32 | number of blocks ever handed out 32 */
static _Atomic uint64_t pool_free; /* pid 22 | tag 20 | index + 1 22 */

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
struct tblk *thread_pool_at(uint32_t index)
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
 * Takes the first free block of this process; NULL if there is none. b->next may be read after
 * another thread has taken b: blocks stay mapped, so the read is valid, and the tag has changed, so
 * the compare-and-swap fails and the stale value is dropped.
 */
struct tblk *thread_pool_pop(int32_t pid)
{
	uint64_t word = atomic_load(&pool_free);

	for (;;) {
		uint32_t link = word & ((1u << INDEX_BITS) - 1);
		uint64_t tag = word >> INDEX_BITS;
		struct tblk *b;

		if (free_word(pid, tag, link) != word || link == 0)
			return NULL;
		b = thread_pool_at(link - 1);
		if (b == NULL)
			return NULL;
		if (atomic_compare_exchange_weak(&pool_free, &word,
						 free_word(pid, tag + 1, atomic_load(&b->next))))
			return b;
	}
}

/*
 * Frees a block. The compare-and-swap publishes b->next and the cleared block to the next
 * thread_pool_pop(). If the word names another process (this is a child's first push), a new list
 * begins.
 */
void thread_pool_push(int32_t pid, struct tblk *b)
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

/* ---- new blocks ---- */

/* Number of block indexes that threads of this process may have; 0 before its first block. */
uint32_t thread_pool_used(int32_t pid)
{
	uint64_t word = atomic_load(&pool_used);

	return word >> 32 == (uint32_t)pid ? (uint32_t)word : 0;
}

/* The index comes from the word whatever process it names: a child continues after its parent's
 * blocks. The slab exists before the index is handed out, so every index below pool_used has
 * memory. */
struct tblk *thread_pool_new(int32_t pid)
{
	uint64_t word = atomic_load(&pool_used), next;
	uint32_t index;

	do {
		index = (uint32_t)word;
		if (index >= (1u << INDEX_BITS) - 1 || !slab_need(index))
			return NULL;
		next = (uint64_t)(uint32_t)pid << 32 | (index + 1);
	} while (!atomic_compare_exchange_weak(&pool_used, &word, next));
	thread_pool_at(index)->index = index;
	return thread_pool_at(index);
}

/* Would the next thread_pool_new() map a slab? */
bool thread_pool_full(int32_t pid)
{
	uint32_t used = thread_pool_used(pid);

	return used > 0 && used == slab_begin(slab_of(used));
}

/* ---- mappings in use ---- */

/*
 * The other side of attach_slot():
 *
 *     slow path    users + 1; load the table; store att (release); users - 1 (release)
 *     detacher     clear the table entry; for every block: load users, then att
 * users + 1, both table accesses and both loads here are sequentially consistent. So a slow path
 * that loaded the mapping from the table before it was cleared has users > 0 here, or has already
 * stored att, or has finished with the mapping. After the entry is cleared no slow path can load
 * it, so once the answer is true it stays true. Blocks are never unmapped, and blocks that are
 * handed out later start with users and att 0. test_attach streams_come_and_go_under_threads.
 */
bool thread_all_left(unsigned slot, const struct attached *a)
{
	uint32_t used = thread_pool_used((int32_t)SYS(SYS_getpid));

	for (uint32_t i = 0; i < used; i++) {
		struct tblk *b = thread_pool_at(i);

		if (b == NULL)
			continue;
		if (atomic_load(&b->users) > (b == thread_self ? 1 : 0) ||
		    atomic_load(&b->c[slot + 1].att) == a)
			return false;
	}
	return true;
}

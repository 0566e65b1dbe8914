/*
 * thread - see thread.h: gives blocks to threads, and takes them back at their end.
 *
 * Writers      a block that thread_pool.c handed out: its thread and that thread's handlers.
 *              `taken`: the owner; a collector by compare-and-swap from the tid of a dead thread.
 *              thread_self: this thread only; atomic against its handlers.
 * Invariants   A block belongs to one thread until block_free(). While a block is freed, `users` is
 *              not 0, so the mappings that its cursors have stay.
 * Checked by   test_thread lost_hooks_lose_no_memory, cancellation_does_no_harm,
 *              destructors_may_record
 */
#include "libtrace/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "libtrace/clock.h"
#include "libtrace/family.h"
#include "libtrace/inherit.h"
#include "libtrace/sys.h"

enum {
	KEY_PLAIN = 32, /* lower keys need no memory to be set (glibc) */
};

static pthread_key_t exit_key;
static bool has_exit_key;

static int32_t own_pid(void)
{
	return (int32_t)SYS(SYS_getpid);
}

/* ---- giving blocks out ---- */

static uint64_t new_serial(int32_t pid)
{
	static _Atomic uint32_t count;
	struct timespec ts;

	/* Two processes may have the same pid one after the other, and a process without
	 * constructor looks like its parent: the clock makes their serials differ. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_nsec << 34 ^ (uint64_t)(uint32_t)pid << 20) +
	       atomic_fetch_add(&count, 1) + 1;
}

/* Only this thread knows the block. `taken` is stored last: from then on a collector may examine
 * it. */
static void block_init(struct tblk *b, int32_t pid)
{
	b->writer = (struct chunk_writer){.pid = pid,
					  .tid = (int32_t)SYS(SYS_gettid),
					  .thread = (uint64_t)(uintptr_t)pthread_self(),
					  .serial = new_serial(pid)};
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
	c->hold = (struct chunk_hold){NULL};
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
			chunk_recover(&a->seg, &b->writer, UINT32_MAX,
				      clock_fenced(a->seg.clock_kind));
	}
}

/*
 * Clears a block and frees it; the caller owns it (its thread is ending, or the collector took it).
 * users = 1 before the table of mappings is read: see thread_all_left(). The stores of users, in
 * and taken come before thread_pool_push(), whose compare-and-swap publishes them to the next
 * owner.
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
	thread_pool_push(pid, b);
}

/*
 * Runs at the end of a thread. Handlers may still interrupt it: `in` is set first, so they use
 * borrowed chunks instead of the cursors; then thread_self is reset, so that later ones make a new
 * block. Compiler barriers suffice, because handlers run on this thread. A block made after the
 * last destructor round is left to collect_dead(). test_thread destructors_may_record.
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
 * Finds blocks of threads that ended without the hook: the key was too high, or a destructor
 * recorded after the last round. Called before the pool grows. The compare-and-swap of `taken`
 * selects one collector. A tid that was reused by a new thread of this process counts as alive, and
 * its block waits.
 */
static void collect_dead(int32_t pid)
{
	uint32_t used = thread_pool_used(pid);

	for (uint32_t i = 0; i < used; i++) {
		struct tblk *b = thread_pool_at(i);
		uint32_t tid = b == NULL ? 0 : atomic_load(&b->taken);

		if (tid == 0 || tid == UINT32_MAX || SYS(SYS_tgkill, pid, tid, 0) != -ESRCH)
			continue;
		if (atomic_compare_exchange_strong(&b->taken, &tid, UINT32_MAX))
			block_free(b, false);
	}
}

/* ---- the calling thread's ---- */

/* A freed block, else one of a dead thread, else a new one. */
static struct tblk *thread_take(int32_t pid)
{
	struct tblk *b = thread_pool_pop(pid);

	if (b == NULL && thread_pool_full(pid)) {
		collect_dead(pid);
		b = thread_pool_pop(pid);
	}
	return b != NULL ? b : thread_pool_new(pid);
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
	if (!atomic_compare_exchange_strong((_Atomic(struct tblk *) *)&thread_self, &none,
					    b)) { /* a handler was faster */
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

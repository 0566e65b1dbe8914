/*
 * inherit - see inherit.h.
 * The child of a fork takes its parent's streams as they were when fork() was called, not as they
 * are when the child first runs: the parent may have made another stream meanwhile. So the handler
 * before the fork notes them. Notes come from a small pool without a lock (a handler may fork while
 * another thread forks). If the pool is empty, the child takes the streams that it finds.
 */
#include "libtrace/inherit.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "libtrace/attach.h"
#include "libtrace/family.h"
#include "libtrace/proc.h"
#include "libtrace/registry_files.h"
#include "libtrace/sys.h"

enum {
	NOTES = 8,
	SWEEP_EVERY = 256, /* starts and forks */
};

static const uint64_t nothing[REGISTRY_SLOTS];

static struct note {
	_Atomic bool used;
	bool some;                    /* an element of ids is not 0 */
	uint64_t ids[REGISTRY_SLOTS]; /* streams that a child inherits; 0: none in this slot */
} notes[NOTES];
static __thread struct note *note; /* of the fork that this thread is in */

static _Atomic bool started; /* registry_adopt() has run; children inherit the flag */
static _Atomic int32_t busy; /* pid of the process whose thread is in inherit_ensure() */

static struct note *note_take(void)
{
	for (int i = 0; i < NOTES; i++)
		if (!atomic_exchange(&notes[i].used, true))
			return &notes[i];
	return NULL;
}

/* Notes the streams that a child inherits; false: there are none. */
static bool note_streams(const struct registry_file *own, uint64_t *ids)
{
	bool some = false;

	if (atomic_load(&own->changes) == 0)
		return false; /* no slot was ever used: do not touch their pages */
	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot slot;

		ids[i] =
		    registry_slot_read(&own->slots[i], &slot) && (slot.flags & SLOT_INHERITED) != 0
			? slot.stream_id
			: 0;
		some = some || ids[i] != 0;
	}
	return some;
}

static void inherit_before_fork(void)
{
	struct registry_file *own = registry_own();

	note = own != NULL ? note_take() : NULL;
	if (note == NULL)
		return;
	note->some = note_streams(own, note->ids);
	if (note->some)
		atomic_fetch_add(&own->in_flight, 1);
}

static void after_fork_in_parent(void)
{
	if (note != NULL)
		atomic_store(&note->used, false);
	note = NULL;
}

/* Registry, family, mappings, in this order: each needs the previous one. */
static void take_over(const uint64_t *ids)
{
	registry_after_fork(&trace_registry, ids);
	family_after_fork();
	attach_after_fork();
}

/* A small share of the processes removes what killed processes have left. */
static bool sweeping(void)
{
	struct proc_id me = proc_self();
	uint64_t mixed = (me.start << 22 | (uint32_t)me.pid) * 0x9e3779b97f4a7c15u;

	return (mixed >> 32) % SWEEP_EVERY == 0;
}

static void after_fork_in_child(void)
{
	proc_forget_self();
	take_over(note == NULL ? NULL : note->some ? note->ids : nothing);
	for (int i = 0; i < NOTES; i++)
		atomic_store(&notes[i].used, false);
	note = NULL;
	if (sweeping())
		registry_sweep(geteuid());
}

static void start(void)
{
	proc_wipe_on_fork();
	registry_adopt(&trace_registry);
	atomic_store(&started, true);
	if (sweeping())
		registry_sweep(geteuid());
}

void inherit_ensure(void)
{
	int32_t me, before;

	if (registry_own() != NULL)
		return;
	/* A child may inherit the parent's pid here. */
	me = (int32_t)SYS(SYS_getpid);
	before = atomic_load(&busy);
	if (before == me || !atomic_compare_exchange_strong(&busy, &before, me))
		return; /* another thread is in here, or the frame that this handler interrupted */
	if (atomic_load(&started))
		take_over(NULL);
	else
		start();
	atomic_store(&busy, 0);
}

void inherit_after_fork(void)
{
	inherit_ensure();
}

struct family *family_self(void)
{
	inherit_ensure();
	return family_own();
}

__attribute__((constructor)) static void constructor(void)
{
	inherit_ensure();
	pthread_atfork(inherit_before_fork, after_fork_in_parent, after_fork_in_child);
}

static bool forking(void)
{
	for (int i = 0; i < NOTES; i++)
		if (atomic_load(&notes[i].used))
			return true;
	return false;
}

/* The handlers in the parent cannot distinguish a failed fork from a successful one. It stays in
 * the count, as does a child that was killed before it registered. If no fork is in progress and
 * there are no children, the count is reset. It is read before that check, so that a fork in
 * between is not forgotten. */
static void forget_lost_children(void)
{
	struct registry_file *own = registry_own();
	uint32_t counted = own != NULL ? atomic_load(&own->in_flight) : 0;

	if (counted != 0 && !forking() &&
	    SYS(SYS_waitid, P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT, NULL) == -ECHILD)
		atomic_compare_exchange_strong(&own->in_flight, &counted, 0);
}

/* Runs after all destructors that shut down streams of the process. A registry that still has a
 * stream is left for its controller. */
__attribute__((destructor(101))) static void destructor(void)
{
	forget_lost_children();
	registry_abandon();
}

/*
 * registry - the slots of a registry, its gate, and its file; see registry.h. registry_files.c
 * finds and makes files, registry_life.c continues them, registry_sweep.c removes them.
 *
 * Writers      stream_id: the claimer (0 -> claim -> id), a remover (id -> 0), compare-and-swap
 *              except the claimer's release store. flags: the claimer (0 -> LIVE and tag), then
 *              starters, stoppers and removers, compare-and-swap. Fields between: the claimer,
 *              relaxed stores. gate, running[]: registry_gate_update(), compare-and-swap with an
 *              epoch.
 * Ordering     A reader loads both words (acquire), the fields, and both words again after a fence:
 *              equal words mean that the fields belong to them. The tag in flags is derived from
 *              the id, so flags of an earlier stream never match the slot's next one. Changes of
 *              flags and the swaps of the gate are sequentially consistent.
 * Checked by   test_registry threads_publish_at_once, killed_while_publishing,
 *              a_scribbler_breaks_nothing
 */
#include "libtrace/registry.h"

#include "libtrace/proc.h"
#include "libtrace/registry_files.h"
#include "libtrace/sys.h"

enum {
	GATE_LOOKS = 10000, /* other processes may change slots meanwhile, but not for ever */
	FLAGS_LOOKS = 64,
};

_Static_assert(sizeof(struct registry_file) == 6 * LAYOUT_PAGE,
	       "the gate, and the slots behind it");

/* A claim names the claimer: pid 22 | start 41. */
static uint64_t registry_claim_of(const struct proc_id *proc)
{
	return SLOT_CLAIM | (uint64_t)((uint32_t)proc->pid & 0x3fffff) << 41 |
	       (proc->start & 0x1ffffffffff);
}

static bool registry_claim_dead(uint64_t claim)
{
	struct proc_id proc = {.pid = (int32_t)(claim >> 41 & 0x3fffff),
			       .start = claim & 0x1ffffffffff};

	return !proc_alive(&proc);
}

static uint32_t tag_of(uint64_t stream_id)
{
	return (uint32_t)(stream_id * 0x9e3779b97f4a7c15u >> 40) << 8;
}

/* The fields between the two words are stored and loaded one by one. A reader that meets a slot
 * in another process's hands may see a mixture; it detects that by reading the two words again. */
#define PUT(field, value)                                                                          \
	atomic_store_explicit((_Atomic __typeof__(field) *)&(field), (value), memory_order_relaxed)
#define GET(field)                                                                                 \
	atomic_load_explicit((const _Atomic __typeof__(field) *)&(field), memory_order_relaxed)

static void put_proc(struct proc_id *to, const struct proc_id *from)
{
	PUT(to->pid, from->pid);
	PUT(to->start, from->start);
}

static struct proc_id get_proc(const struct proc_id *from)
{
	return (struct proc_id){.pid = GET(from->pid), .start = GET(from->start)};
}

/* A consistent copy. Loads of flags ignore RUNNING in the comparison, because it changes without
 * the fields. */
bool registry_slot_read(const struct registry_slot *slot, struct registry_slot *ret_slot)
{
	uint64_t id = atomic_load_explicit(&slot->stream_id, memory_order_acquire);
	uint32_t flags = atomic_load_explicit(&slot->flags, memory_order_acquire);

	if (id == 0 || (id & SLOT_CLAIM) != 0 || (flags & SLOT_LIVE) == 0 ||
	    (flags & ~(uint32_t)SLOT_BITS) != tag_of(id))
		return false;
	ret_slot->fd = GET(slot->fd);
	ret_slot->holder = get_proc(&slot->holder);
	ret_slot->inode = GET(slot->inode);
	ret_slot->controller = get_proc(&slot->controller);
	ret_slot->created = GET(slot->created);
	ret_slot->handoff = GET(slot->handoff);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&slot->stream_id, memory_order_relaxed) != id ||
	    ((atomic_load_explicit(&slot->flags, memory_order_relaxed) ^ flags) &
	     ~(uint32_t)SLOT_RUNNING) != 0)
		return false;
	atomic_store_explicit(&ret_slot->stream_id, id, memory_order_relaxed);
	atomic_store_explicit(&ret_slot->flags, flags & SLOT_BITS, memory_order_relaxed);
	return true;
}

/* Fills in a slot that is claimed and has no flags, then makes it visible. */
void registry_slot_fill(struct registry_slot *slot, uint64_t id, const struct registry_slot *from)
{
	uint32_t flags = atomic_load_explicit(&from->flags, memory_order_relaxed) & SLOT_BITS;

	PUT(slot->fd, from->fd);
	put_proc(&slot->holder, &from->holder);
	PUT(slot->inode, from->inode);
	put_proc(&slot->controller, &from->controller);
	PUT(slot->created, from->created);
	PUT(slot->handoff, from->handoff);
	atomic_store_explicit(&slot->missed, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->stream_id, id, memory_order_release);
	atomic_store_explicit(&slot->flags, flags | SLOT_LIVE | tag_of(id), memory_order_seq_cst);
}

/* The plain look avoids a compare-and-swap, which would take the cache line, on every used slot. */
static bool slot_claim(struct registry_slot *slot, uint64_t claim)
{
	uint64_t none = 0;

	return atomic_load_explicit(&slot->stream_id, memory_order_relaxed) == 0 &&
	       atomic_compare_exchange_strong(&slot->stream_id, &none, claim);
}

/* Returns whether the slot had that stream. */
bool registry_slot_remove(struct registry_slot *slot, uint64_t id)
{
	uint32_t flags = atomic_load(&slot->flags);

	if (atomic_load(&slot->stream_id) != id)
		return false;
	for (int i = 0; i < FLAGS_LOOKS && (flags & ~(uint32_t)SLOT_BITS) == tag_of(id); i++)
		if (atomic_compare_exchange_strong(&slot->flags, &flags, 0))
			break;
	return atomic_compare_exchange_strong(&slot->stream_id, &id, 0);
}

/* Sets or clears RUNNING if the slot still has that stream; returns whether it changed. The tag
 * is compared in the same word that is swapped, so a slot that another stream got meanwhile is
 * not touched. */
bool registry_slot_run(struct registry_slot *slot, uint64_t id, bool running)
{
	uint32_t flags = atomic_load(&slot->flags);

	if (atomic_load(&slot->stream_id) != id)
		return false;
	for (int i = 0; i < FLAGS_LOOKS; i++) {
		uint32_t wanted = running ? flags | SLOT_RUNNING : flags & ~(uint32_t)SLOT_RUNNING;

		if ((flags & ~(uint32_t)SLOT_BITS) != tag_of(id) || (flags & SLOT_LIVE) == 0 ||
		    wanted == flags)
			return false;
		if (atomic_compare_exchange_strong(&slot->flags, &flags, wanted))
			return true;
	}
	return false;
}

/* The running slots of a word of running[]. */
static uint32_t running_of(const struct registry_file *file, unsigned word)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 32; i++) {
		uint32_t flags = atomic_load(&file->slots[word * 32 + i].flags);

		if ((flags & (SLOT_LIVE | SLOT_RUNNING)) == (SLOT_LIVE | SLOT_RUNNING))
			bits |= 1u << i;
	}
	return bits;
}

/* The value of the gate that follows from the slots. */
static uint32_t gate_of(const struct registry_file *file)
{
	uint32_t gate = 0;

	for (unsigned w = 0; w < REGISTRY_SLOTS / 32; w++)
		for (uint32_t bits = running_of(file, w); bits != 0; bits &= bits - 1)
			gate = gate == 0 ? (w * 32 + (unsigned)__builtin_ctz(bits) + 1) * 64
					 : GATE_MANY;
	return gate;
}

static void running_update(struct registry_file *file, unsigned w)
{
	uint64_t old = atomic_load(&file->running[w]);

	for (int look = 0; look < GATE_LOOKS; look++) {
		uint32_t bits = running_of(file, w);

		/* The epoch changes even if the bits do not: a word that was computed before this
		 * look must not be stored after it. */
		if (atomic_compare_exchange_strong(&file->running[w], &old,
						   ((old >> 32) + 1) << 32 | bits))
			return;
	}
}

static union gate_word {
	struct {
		uint32_t gate, epoch;
	} word;
	uint64_t both;
} gate_next(uint64_t old, uint32_t gate)
{
	union gate_word next = {.both = old};

	next.word.gate = gate;
	next.word.epoch++;
	return next;
}

/*
 * Every process that has changed flags calls this afterwards. It reads a word before the flags that
 * the word depends on, and swaps it only if it is still the same. So the flags of one swap are not
 * older than the previous swap, and a change of flags that was followed by a swap is part of every
 * later one. A process that dies before its swap leaves the words as they were; the next swap
 * includes its change. The loop is bounded: it repeats only after another process's swap, and a
 * process that swaps for ever harms processes of its own user only.
 */
void registry_gate_update(struct registry_file *file)
{
	uint64_t old;

	for (unsigned w = 0; w < REGISTRY_SLOTS / 32; w++)
		running_update(file, w);
	old = atomic_load(&file->both);
	for (int look = 0; look < GATE_LOOKS; look++)
		if (atomic_compare_exchange_strong(&file->both, &old,
						   gate_next(old, gate_of(file)).both))
			return;
}

/* `changes` first: a slow path that sees the new gate and then compares `changes` refreshes its
 * mappings. */
void registry_changed(struct registry_file *file)
{
	atomic_fetch_add(&file->changes, 1);
	registry_gate_update(file);
}

/* The claim names this process: if it is killed before the slot is filled in, registry_clean()
 * frees the slot. */
static int publish(struct registry_file *file, uint64_t claim, const struct registry_slot *slot)
{
	uint64_t id = atomic_load_explicit(&slot->stream_id, memory_order_relaxed);

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		if (!slot_claim(&file->slots[i], claim))
			continue;
		registry_slot_fill(&file->slots[i], id, slot);
		registry_changed(file);
		return i;
	}
	return -EAGAIN;
}

/* Clock ticks after boot, the unit of start times. */
static uint64_t ticks_now(void)
{
	struct timespec ts;
	long per_second = sysconf(_SC_CLK_TCK);

	if (per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * (uint64_t)per_second +
	       (uint64_t)ts.tv_nsec / (1000000000u / (uint64_t)per_second);
}

int registry_publish_here(struct registry_file *file, const struct registry_slot *slot)
{
	struct proc_id self = proc_self();
	struct registry_slot with_time = {.fd = slot->fd,
					  .holder = slot->holder,
					  .inode = slot->inode,
					  .controller = slot->controller,
					  .handoff = slot->handoff,
					  .created = ticks_now()};
	int r;

	atomic_init(&with_time.stream_id, atomic_load(&slot->stream_id));
	atomic_init(&with_time.flags, atomic_load(&slot->flags));
	r = publish(file, registry_claim_of(&self), &with_time);
	if (r != -EAGAIN || !registry_clean(file))
		return r;
	return publish(file, registry_claim_of(&self), &with_time);
}

/* A slot whose claimer is dead; or whose controller and holder are dead, so that no process
 * finishes its stream. */
static bool slot_dead(struct registry_slot *slot, uint64_t id)
{
	struct proc_id controller = get_proc(&slot->controller);
	struct proc_id holder = get_proc(&slot->holder);

	return (id & SLOT_CLAIM) != 0 ? registry_claim_dead(id)
				      : !proc_alive(&controller) && !proc_alive(&holder);
}

/* Removes by compare-and-swap from the id that was judged, so a slot that was reused meanwhile
 * stays. */
bool registry_clean(struct registry_file *file)
{
	bool some = false;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot *slot = &file->slots[i];
		uint64_t id = atomic_load_explicit(&slot->stream_id, memory_order_acquire);

		if (id != 0 && slot_dead(slot, id) && registry_slot_remove(slot, id))
			some = true;
	}
	if (some)
		registry_changed(file);
	return some;
}

/* ---- the calling process's own registry ---- */

uint64_t registry_family_of(const struct proc_id *proc)
{
	return proc->start << 22 | ((uint32_t)proc->pid & 0x3fffff);
}

/* The calling process's own registry. pid says for which process: after a fork that ran no
 * handlers it is the parent's, and the rest is ignored. */
static struct {
	_Atomic int32_t pid;
	_Atomic bool named;
	struct registry_file *_Atomic file;
} own;

/* The acquire of pid pairs with the release in registry_own_set(): a thread that sees its own pid
 * sees the file. getpid() is a system call, so it is correct in a child of any kind of fork. */
struct registry_file *registry_own(void)
{
	if (atomic_load_explicit(&own.pid, memory_order_acquire) != (int32_t)SYS(SYS_getpid))
		return NULL;
	return atomic_load_explicit(&own.file, memory_order_relaxed);
}

/* pid last, with release. Between the stores other threads see pid of no or another process,
 * hence no registry. */
void registry_own_set(struct registry_file *file, const struct proc_id *self, bool named)
{
	atomic_store(&own.file, file);
	atomic_store(&own.named, named);
	atomic_store_explicit(&own.pid, self->pid, memory_order_release);
}

bool registry_own_named(void)
{
	return atomic_load(&own.named);
}

/* ---- the files ---- */

static bool head_right(const struct registry_file *file, const struct proc_id *proc)
{
	return file->magic == REGISTRY_MAGIC && file->version == REGISTRY_VERSION &&
	       proc_equal(&file->proc, proc);
}

struct registry_file *registry_map(int dir, const char *name, uid_t uid, const struct proc_id *proc,
				   void *at)
{
	struct registry_file *file;
	size_t size;
	int fd = registry_dir_file(dir, name, uid, &size);

	if (fd < 0)
		return NULL;
	file = size != sizeof(*file) ? NULL
				     : sys_map(at, size, PROT_READ | PROT_WRITE,
					       MAP_SHARED | (at != NULL ? MAP_FIXED : 0), fd);
	sys_close(fd);
	if (file == NULL || head_right(file, proc))
		return file;
	/* The previous mapping at a fixed address is gone: restore private memory. */
	if (at != NULL)
		sys_map(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1);
	else
		sys_unmap(file, size);
	return NULL;
}

struct walk {
	uid_t uid;
	struct proc_id self; /* its registry is not part of the walk */
	registry_visit visit;
	void *arg;
};

static int walk_one(int dir, const struct dir_entry *entry, void *arg)
{
	struct walk *w = arg;
	struct registry_file *file;
	int r;

	if (entry->kind != DIR_REGISTRY || proc_equal(&entry->proc, &w->self))
		return 0;
	file = registry_map(dir, entry->name, w->uid, &entry->proc, NULL);
	if (file == NULL)
		return 0;
	r = w->visit(file, w->arg);
	sys_unmap(file, sizeof(*file));
	return r;
}

int registry_walk_dir(uid_t uid, registry_visit visit, void *arg)
{
	struct walk w = {.uid = uid, .self = proc_self(), .visit = visit, .arg = arg};
	int dir = registry_dir_open(uid, false);
	int r;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	r = registry_dir_list(dir, walk_one, &w);
	sys_close(dir);
	return r;
}

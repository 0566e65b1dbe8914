/*
 * registry_files - find, make and change the registries of the caller's user; see registry_files.h.
 */
#include "libtrace/registry_files.h"

#include "libtrace/proc.h"
#include "libtrace/sys.h"

enum {
	PASSES = 16, /* of a change: repeated because of children made meanwhile */
};

/* One attempt; -ENOENT with `make`: the directory was removed meanwhile. */
static int open_in(const struct proc_id *proc, uid_t uid, bool make,
		   struct registry_file **ret_file)
{
	char name[DIR_NAME];
	struct registry_file *file;
	int dir = registry_dir_open(uid, make);
	int r = 0;

	if (dir < 0)
		return dir;
	registry_dir_name(name, proc);
	file = registry_map(dir, name, uid, proc, NULL);
	if (file == NULL && make) {
		r = registry_make_for(dir, proc, uid);
		if (r == 0)
			file = registry_map(dir, name, uid, proc, NULL);
	}
	sys_close(dir);
	if (file == NULL)
		return r < 0 ? r : -ENOENT;
	*ret_file = file;
	return 0;
}

int registry_open_here(const struct proc_id *proc, uid_t uid, bool make,
		       struct registry_file **ret_file)
{
	int r = open_in(proc, uid, make, ret_file);

	for (int try = 1; try < DIR_TRIES && r == -ENOENT && make; try++)
		r = open_in(proc, uid, make, ret_file);
	return r;
}

/* A change of a stream in every registry. */
struct change {
	uint64_t id;
	bool remove, running;
	bool dead; /* a dead process's registry had it: the caller must sweep */
	unsigned changed;
};

enum {
	ONLY_ONE = 1, /* not inherited: no other process has it */
};

static int change_one(struct registry_file *file, void *arg)
{
	struct change *c = arg;
	bool changed = false, only_one = false;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot *slot = &file->slots[i];
		uint32_t flags = atomic_load(&slot->flags);

		if (atomic_load_explicit(&slot->stream_id, memory_order_relaxed) != c->id)
			continue;
		only_one = (flags & (SLOT_LIVE | SLOT_INHERITED)) == SLOT_LIVE;
		if (c->remove ? registry_slot_remove(slot, c->id)
			      : registry_slot_run(slot, c->id, c->running))
			changed = true;
	}
	if (changed) {
		struct proc_id proc = file->proc;

		registry_changed(file);
		c->changed++;
		c->dead = c->dead || (c->remove && !proc_alive(&proc));
	}
	return only_one ? ONLY_ONE : 0;
}

/*
 * A child that is made meanwhile copies the slots of its parent, names its registry, and then reads
 * its parent's slots again. So a walk that begins after another walk has changed the parent finds
 * the child, or the child has seen the change: walks are repeated until one has nothing to do.
 */
static void change_all(struct change *c, uid_t uid)
{
	for (int pass = 0; pass < PASSES; pass++) {
		struct registry_file *own = registry_own();
		unsigned before = c->changed;

		if (own != NULL && change_one(own, c) == ONLY_ONE)
			return;
		if (registry_walk_dir(uid, change_one, c) == ONLY_ONE || c->changed == before)
			return;
	}
}

void registry_withdraw_here(uint64_t stream_id, uid_t uid)
{
	struct change c = {.id = stream_id, .remove = true};

	change_all(&c, uid);
	if (c.dead)
		registry_sweep(uid);
}

void registry_set_running_here(uint64_t stream_id, uid_t uid, bool running)
{
	struct change c = {.id = stream_id, .running = running};

	change_all(&c, uid);
}

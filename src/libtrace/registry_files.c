/*
 * registry_files - find, make and walk the files of registries; see registry.h.
 *
 * The caller's own registry is never opened a second time: it is the one that is mapped over the gate, or
 * private memory if no file could be made.
 */
#include "libtrace/registry_files.h"

#include "libtrace/inherit.h"
#include "libtrace/proc.h"
#include "libtrace/sys.h"

enum {
	PASSES = 16, /* of a withdrawal: a pass repeats because of children made during the last
		      * one */
};

static bool head_right(const struct registry_file *file, const struct proc_id *proc)
{
	return file->magic == REGISTRY_MAGIC && file->version == REGISTRY_VERSION &&
	       proc_equal(&file->proc, proc);
}

struct registry_file *registry_map(int dir, const char *name, uid_t uid,
				   const struct proc_id *proc, void *at)
{
	struct registry_file *file;
	size_t size;
	int fd = registry_dir_file(dir, name, uid, &size);

	if (fd < 0)
		return NULL;
	file = size != sizeof(*file)
		       ? NULL
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

/* One attempt; -ENOENT with `make`: the directory was removed meanwhile. */
static int open_in(const struct proc_id *proc, uid_t uid, bool make, struct registry_file **ret)
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
	*ret = file;
	return 0;
}

int registry_open(const struct proc_id *proc, uid_t uid, bool make, struct registry_file **ret)
{
	struct proc_id self = proc_self();
	int r;

	if (proc_equal(proc, &self)) {
		inherit_ensure();
		*ret = registry_own();
		return *ret != NULL ? 0 : -EAGAIN; /* another thread is making it */
	}
	if (uid != geteuid()) {
		/* A daemon that started as the caller's user has its registry there; one that has
		 * executed another program since left it there, and uses one of its own. */
		if (!registry_foreign_adopted(proc, uid) &&
		    open_in(proc, geteuid(), false, ret) == 0)
			return 0;
		return registry_foreign_open(proc, uid, make, ret);
	}
	r = open_in(proc, uid, make, ret);
	for (int try = 1; try < DIR_TRIES && r == -ENOENT && make; try++)
		r = open_in(proc, uid, make, ret);
	return r;
}

void registry_close(struct registry_file *file)
{
	if (file == NULL || file == registry_own())
		return;
	registry_foreign_close(file);
	sys_unmap(file, sizeof(*file));
}

int registry_publish(struct registry_file *file, const struct registry_slot *slot)
{
	uid_t uid;
	struct proc_id proc;

	if (registry_foreign_is(file, &uid, &proc))
		return registry_foreign_publish(&proc, uid, slot);
	return registry_publish_here(file, slot);
}

struct walk {
	uid_t uid;
	struct proc_id self; /* its registry is not part of the walk */
	registry_visit visit;
	void *arg;
	bool cut; /* another user's directory is too large */
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
	struct walk w = { .uid = uid, .self = proc_self(), .visit = visit, .arg = arg };
	int dir = registry_dir_open(uid, false);
	int r;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	r = registry_dir_list(dir, walk_one, &w);
	sys_close(dir);
	return r;
}

static int walk_user(uid_t uid, void *arg)
{
	struct walk *w = arg;
	int r = uid == geteuid() ? 0 : registry_foreign_walk(uid, w->visit, w->arg);

	w->cut = w->cut || r == -EOVERFLOW;
	return r > 0 ? r : 0; /* a broken directory is a matter of its user */
}

int registry_walk(uid_t uid, registry_visit visit, void *arg)
{
	struct walk w = { .visit = visit, .arg = arg };
	struct registry_file *own = registry_own();
	int r = own != NULL ? visit(own, arg) : 0;

	if (r == 0)
		r = registry_walk_dir(geteuid(), visit, arg);
	if (r > 0 || uid == geteuid())
		return r;
	if (uid != (uid_t)-1)
		return registry_foreign_walk(uid, visit, arg);
	r = registry_dir_users(walk_user, &w);
	return r == 0 && w.cut ? -EOVERFLOW : r;
}

struct missed {
	uint64_t stream_id, events;
};

static int add_missed(struct registry_file *file, void *arg)
{
	struct missed *m = arg;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (atomic_load(&file->slots[i].stream_id) == m->stream_id)
			m->events += atomic_load(&file->slots[i].missed);
	return 0;
}

uint64_t registry_missed(uint64_t stream_id, uid_t uid)
{
	struct missed m = { stream_id, 0 };

	(void)registry_walk(uid, add_missed, &m);
	return m.events;
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
 * A child that is made meanwhile copies the slots of its parent, names its registry, and then reads its
 * parent's slots again. So a walk that begins after another walk has changed the parent finds the child,
 * or the child has seen the change: walks are repeated until one has nothing to do.
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
	struct change c = { .id = stream_id, .remove = true };

	change_all(&c, uid);
	if (c.dead)
		registry_sweep(uid);
}

void registry_set_running_here(uint64_t stream_id, uid_t uid, bool running)
{
	struct change c = { .id = stream_id, .running = running };

	change_all(&c, uid);
}

void registry_withdraw(uint64_t stream_id, uid_t uid)
{
	registry_withdraw_here(stream_id, geteuid());
	if (uid != geteuid())
		registry_foreign_withdraw(stream_id, uid);
}

void registry_set_running(uint64_t stream_id, uid_t uid, bool running)
{
	registry_set_running_here(stream_id, geteuid(), running);
	if (uid != geteuid())
		registry_foreign_set_running(stream_id, uid, running);
}

/* Distinct streams, and the last controller that was found alive. */
struct count {
	unsigned n;
	struct proc_id alive;
	uint64_t ids[REGISTRY_SLOTS];
};

static bool controller_alive(struct count *c, const struct proc_id *controller)
{
	if (proc_equal(&c->alive, controller))
		return true;
	if (!proc_alive(controller))
		return false;
	c->alive = *controller;
	return true;
}

static int count_one(struct registry_file *file, void *arg)
{
	struct count *c = arg;
	struct registry_slot slot;

	for (int i = 0; i < REGISTRY_SLOTS && c->n < REGISTRY_SLOTS; i++) {
		unsigned known = 0;

		if (!registry_slot_read(&file->slots[i], &slot) ||
		    !controller_alive(c, &slot.controller))
			continue;
		while (known < c->n && c->ids[known] != slot.stream_id)
			known++;
		if (known == c->n)
			c->ids[c->n++] = slot.stream_id;
	}
	return c->n < REGISTRY_SLOTS ? 0 : 1;
}

unsigned registry_streams(uid_t uid)
{
	struct count c = { 0 };

	registry_sweep(uid);
	registry_walk(uid, count_one, &c);
	return c.n;
}

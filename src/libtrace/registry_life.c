/*
 * registry_life - make a registry, and continue it in another program or process.
 *
 * Writers      A new file: its maker only, until link(2) gives it its name, which publishes it
 *              complete. Afterwards slots and gate as registry.h says. adopted, family, shared,
 *              in_flight: atomics. own: the calling process; any thread may read it.
 * Invariants   A registry with a name is complete, so no process publishes in one that is still
 *              taking its parent's slots. The first process to link a name wins; the others get
 *              EEXIST. A family's file stays while a registry names it; a child that is being made
 *              is counted in its parent's in_flight until its registry has a name.
 * Fork         The child copies its parent's slots (registry_take), links its registry, then
 *              reads its parent's slots again (registry_take_again). A controller changes the
 *              parent, then walks all registries until a walk has nothing to do (change_all in
 *              registry_files.c). If a walk misses the child, the child's link came after that walk
 *              read the directory, so its second read comes after the change of the parent, and
 *              sees it.
 * Death        A process killed before link(2) leaves nothing; after it, a complete registry, which
 *              a sweep removes.
 * Checked by   test_registry forks_against_control, a_stop_reaches_children_that_are_being_made,
 *              killed_while_publishing, nothing_is_left_behind; test_inherit
 */
#include <string.h>

#include "libtrace/proc.h"
#include "libtrace/registry_files.h"
#include "libtrace/sys.h"

enum {
	FOLLOW_LOOKS = 64, /* while a controller keeps starting and stopping the stream */
};

/* The file has no name yet, or is private memory: no other process reads it. */
static void head_fill(struct registry_file *head, const struct proc_id *proc)
{
	head->version = REGISTRY_VERSION;
	head->magic = REGISTRY_MAGIC;
	head->proc = *proc;
	head->pid_space = proc_space();
	atomic_store(&head->family, registry_family_of(proc));
}

/* The slots that a new registry inherits. */
struct parentage {
	struct registry_file *from;
	const uint64_t *ids; /* only these streams; NULL: any */
	uint64_t latest;     /* published at this clock tick or earlier */
	bool counted;        /* in from->in_flight, until the new registry has its name */
};

/*
 * Copies the inherited slots. `file` has no name yet, so this process is its only writer; `from`
 * changes meanwhile, but registry_slot_read() returns only consistent slots. A change that comes
 * after the read is found by registry_take_again(). `shared` is set in both files before the
 * child's family can be used: it makes a process that ends look for other users of the family.
 */
static unsigned registry_take(struct registry_file *file, const struct parentage *l)
{
	unsigned n = 0;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot slot;

		if (l->ids != NULL && l->ids[i] == 0)
			continue;
		if (!registry_slot_read(&l->from->slots[i], &slot) ||
		    (slot.flags & SLOT_INHERITED) == 0 || slot.created > l->latest ||
		    (l->ids != NULL && l->ids[i] != slot.stream_id))
			continue;
		slot.flags |= SLOT_COPY;
		registry_slot_fill(&file->slots[i], slot.stream_id, &slot);
		n++;
	}
	if (n > 0) {
		atomic_store(&file->family, atomic_load(&l->from->family));
		atomic_store(&file->shared, 1);
		atomic_store(&l->from->shared, 1);
	}
	return n;
}

/*
 * Makes a slot of the new registry equal to the parent's; false: the parent has no such stream any
 * more.
 * Both words are accessed sequentially consistently. A controller that starts or stops the stream
 * changes the parent's slot, then the child's (a walk); this function reads the parent's, then
 * changes the child's. If the controller changed both between this read and this change, the change
 * undid the controller's; so it reads the parent's slot again, until there is nothing to change. A
 * controller that comes after the last read changes the child's slot itself. registry_slot_run()
 * checks id and tag, so a slot that went to another stream is not touched.
 */
static bool follow(struct registry_slot *ours, uint64_t id, const struct registry_slot *theirs)
{
	struct registry_slot now;
	bool changed = true;

	for (int look = 0; look < FOLLOW_LOOKS && changed; look++) {
		if (!registry_slot_read(theirs, &now) || now.stream_id != id) {
			registry_slot_remove(ours, id);
			return false;
		}
		/* Ordered with the controller's accesses: the child's flags were stored before
		 * this load. */
		uint32_t flags = atomic_load_explicit(&theirs->flags, memory_order_seq_cst);
		changed = registry_slot_run(ours, id, (flags & SLOT_RUNNING) != 0);
	}
	return true;
}

/* The registry has its name. Changes to the parent before that are repeated here; from now on a
 * controller changes both. */
static unsigned registry_take_again(struct registry_file *file, const struct parentage *l)
{
	unsigned n = 0;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot mine;

		/* A stream that a controller has published here meanwhile has no SLOT_COPY: it is
		 * not the parent's. */
		if (registry_slot_read(&file->slots[i], &mine) && (mine.flags & SLOT_COPY) != 0 &&
		    follow(&file->slots[i], mine.stream_id, &l->from->slots[i]))
			n++;
	}
	registry_changed(file);
	return n;
}

/* The directory of the process's own registry. A set-user-id program uses root's, in which only
 * root can write, or none: then it can only trace itself. */
static int own_dir(const struct proc_id *self)
{
	uid_t uid = geteuid();

	if (self->start == 0 || (proc_secure() && uid != 0))
		return -EPERM;
	return registry_dir_open(uid, true);
}

/*
 * Makes a registry, names it and maps it, at an address if that is not NULL: 0, -EEXIST, -errno.
 * Everything is stored before link(2): another process that opens the name sees a complete file.
 * The file is made with O_TMPFILE, so a kill before link(2) leaves nothing. With `at`, MAP_FIXED
 * replaces the page that the record path reads: the kernel exchanges the mapping under the lock
 * that a page fault needs, so a load of the gate sees the old page or the new one, whose gate
 * follows its slots.
 */
static int make_in(int dir, const struct proc_id *proc, bool adopted, const struct parentage *l,
		   void *at, struct registry_file **ret_file)
{
	char name[DIR_NAME];
	struct registry_file *file = NULL;
	int fd = registry_dir_make(dir, sizeof(*file));
	int r = fd < 0 ? fd : 0;

	if (r == 0)
		file = sys_map(at, sizeof(*file), PROT_READ | PROT_WRITE,
			       MAP_SHARED | (at != NULL ? MAP_FIXED : 0), fd);
	if (r == 0 && file == NULL)
		r = -ENOMEM;
	if (r == 0) {
		head_fill(file, proc);
		atomic_store(&file->adopted, adopted);
		if (l != NULL && registry_take(file, l) > 0)
			registry_changed(file);
		registry_dir_name(name, proc);
		r = registry_dir_link(fd, dir, name);
	}
	sys_close(fd);
	if (r < 0 && at == NULL)
		sys_unmap(file, sizeof(*file));
	if (r < 0)
		return r;
	*ret_file = file;
	return 0;
}

/* The same in private memory. */
static struct registry_file *make_private(const struct proc_id *self, const struct parentage *l)
{
	struct registry_file *file = sys_map_anon(sizeof(*file));

	if (file == NULL)
		return NULL;
	head_fill(file, self);
	if (l != NULL && registry_take(file, l) > 0)
		registry_changed(file);
	return file;
}

/* Moves a registry over `at`, where it becomes the gate. One mremap(), atomic for the record path
 * as above. */
static int map_over(struct registry_file *at, struct registry_file *file)
{
	int saved = errno;
	void *p = mremap(file, sizeof(*file), sizeof(*file), MREMAP_MAYMOVE | MREMAP_FIXED, at);

	errno = saved;
	return p == MAP_FAILED ? -ENOMEM : 0;
}

/*
 * Makes the own registry in a directory (negative: in private memory) and moves it to `at`: the
 * number of slots taken over; -errno if nothing was done.
 * Order: link, registry_take_again, in_flight - 1, move to `at`. in_flight goes down only after the
 * registry has its name and names its family: until then the parent's registry keeps the family's
 * file. The slots are current before the record path can see them.
 */
static int make_own(int dir, struct registry_file *at, const struct proc_id *self,
		    const struct parentage *l)
{
	struct registry_file *file = NULL;
	unsigned n = 0;
	int r = 0;

	if (dir >= 0) /* directly over the old one, if that is no longer needed */
		r = make_in(dir, self, true, l, l == NULL ? at : NULL, &file);
	else
		file = make_private(self, l);
	if (r < 0)
		return r;
	if (file == NULL)
		return -ENOMEM;
	if (l != NULL)
		n = registry_take_again(file, l);
	if (l != NULL && l->counted)
		atomic_fetch_sub(&l->from->in_flight, 1);
	if (file != at)
		r = map_over(at, file);
	registry_own_set(at, self, dir >= 0);
	return r < 0 ? r : (int)n;
}

/* The file with this process's name: it left it there before exec, or a controller made it. Slots
 * stay as they are; the gate is derived from them again, because a process killed between flags
 * and gate may have left an old one. */
static int continue_own(int dir, struct registry_file *at, const struct proc_id *self)
{
	char name[DIR_NAME];
	struct registry_file *file;
	struct registry_slot slot;
	int n = 0;

	registry_dir_name(name, self);
	file = registry_map(dir, name, geteuid(), self, at);
	if (file == NULL)
		return -ENOENT;
	registry_own_set(at, self, true);
	atomic_store(&file->adopted, 1);
	atomic_store(&file->in_flight, 0); /* of the previous program */
	for (int i = 0; i < REGISTRY_SLOTS; i++)
		n += registry_slot_read(&file->slots[i], &slot);
	registry_gate_update(file);
	return n;
}

/* Removes an invalid file with this process's name, which a process of the same user wrote. */
static void remove_wrong(int dir, const struct proc_id *self)
{
	char name[DIR_NAME];

	registry_dir_name(name, self);
	(void)SYS(SYS_unlinkat, dir, name, 0);
}

/* Maps the registry of a process's parent, if it has one that can be seen. */
static struct registry_file *parent_open(int dir, const struct proc_id *child, uid_t uid)
{
	struct proc_id parent;
	char name[DIR_NAME];

	if (proc_parent(child, &parent) < 0)
		return NULL;
	registry_dir_name(name, &parent);
	return registry_map(dir, name, uid, &parent, NULL);
}

int registry_make_for(int dir, const struct proc_id *proc, uid_t uid)
{
	struct parentage l = {.latest = proc->start};
	struct registry_file *file;
	int r;

	/* The process may be a child that is about to take its parent's streams. */
	l.from = parent_open(dir, proc, uid);
	r = make_in(dir, proc, false, l.from != NULL ? &l : NULL, NULL, &file);
	if (r == 0) {
		if (l.from != NULL)
			registry_take_again(file, &l);
		sys_unmap(file, sizeof(*file));
	}
	sys_unmap(l.from, sizeof(*l.from));
	return r == -EEXIST ? 0 : r;
}

/* One attempt: -EEXIST (another process was faster), -ENOENT (the directory was removed
 * meanwhile), .... */
static int adopt_in(int dir, struct registry_file *at, const struct proc_id *self, bool again)
{
	struct parentage l = {.latest = self->start};
	int r = dir < 0 ? dir : continue_own(dir, at, self);

	if (r >= 0)
		return r;
	if (dir >= 0 && again)
		remove_wrong(dir, self);
	if (dir >= 0 && !proc_secure())
		l.from = parent_open(dir, self, geteuid());
	r = make_own(dir, at, self, l.from != NULL ? &l : NULL);
	sys_unmap(l.from, sizeof(*l.from));
	return r;
}

/* Repeats if another process made the file, or removed the directory, between two steps. Only the
 * second EEXIST removes a file, because the first may be a registry that a controller was just
 * making. Ends with private memory. */
int registry_adopt(struct registry_file *at)
{
	struct proc_id self = proc_self();
	int r = -EEXIST;

	for (int try = 0; try < DIR_TRIES && (r == -EEXIST || r == -ENOENT); try++) {
		int dir = own_dir(&self);

		r = adopt_in(dir, at, &self, try > 0 && r == -EEXIST);
		sys_close(dir);
	}
	return r >= 0 ? r : make_own(-1, at, &self, NULL);
}

/* A controller made this registry first, and selected the inherited streams by the clock. Removes
 * the copies that fork() did not note. Slots of other controllers (without SLOT_COPY) stay. */
static void remove_unnoted(struct registry_file *file, const uint64_t *ids)
{
	for (int i = 0; ids != NULL && i < REGISTRY_SLOTS; i++) {
		struct registry_slot slot;

		if (registry_slot_read(&file->slots[i], &slot) && slot.stream_id != ids[i] &&
		    (slot.flags & SLOT_COPY) != 0)
			registry_slot_remove(&file->slots[i], slot.stream_id);
	}
	registry_changed(file);
}

/*
 * `at` maps the parent's registry until make_own() or continue_own() replaces it. No frame of this
 * process records meanwhile: the fork handler runs before fork() returns, and a child that the
 * library detects late comes here from its first slow path. in_flight of the parent goes down
 * exactly once: in make_own(), or here if a controller made the registry first. test_inherit
 * a_controller_may_be_faster, forks_that_fail.
 */
int registry_after_fork(struct registry_file *at, const uint64_t *ids)
{
	struct parentage l = {.from = at, .ids = ids, .latest = UINT64_MAX};
	const struct parentage *parentage;
	struct proc_id self = proc_self();
	int r = -ENOENT;

	for (int i = 0; ids != NULL && i < REGISTRY_SLOTS; i++)
		l.counted = l.counted || ids[i] != 0;
	parentage = ids == NULL || l.counted ? &l : NULL;
	for (int try = 0; try < DIR_TRIES && (r == -EEXIST || r == -ENOENT); try++) {
		int dir = own_dir(&self);

		r = dir < 0 ? dir : make_own(dir, at, &self, parentage);
		if (r == -EEXIST) {
			if (l.counted)
				atomic_fetch_sub(&at->in_flight, 1);
			l.counted = false;
			r = continue_own(dir, at, &self);
			if (r >= 0)
				remove_unnoted(at, ids);
			else
				remove_wrong(dir, &self);
		}
		sys_close(dir);
	}
	return r >= 0 ? r : make_own(-1, at, &self, parentage);
}

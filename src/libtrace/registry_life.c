/*
 * registry_life - when registries come, continue in another program or process, and go.
 *
 * A registry gets its name when it is filled in, so nobody publishes in one that is still taking
 * over its parent's slots. Afterwards the parent's slots are looked at again: registry_files.c says
 * why.
 */
#include <string.h>

#include "libtrace/proc.h"
#include "libtrace/registry_files.h"
#include "libtrace/sys.h"

enum {
	SWEEP_FAMILIES = 512, /* files a sweep: two of each process that came since the last one */
	SETTLED_S = 2,	     /* a child has given its registry a name by then */
	FOLLOW_LOOKS = 64,   /* at a slot that a controller starts and stops meanwhile */
};

uint64_t registry_family_of(const struct proc_id *proc)
{
	return proc->start << 22 | ((uint32_t)proc->pid & 0x3fffff);
}

static void head_fill(struct registry_file *head, const struct proc_id *proc)
{
	head->version = REGISTRY_VERSION;
	head->magic = REGISTRY_MAGIC;
	head->proc = *proc;
	head->pid_space = proc_space();
	atomic_store(&head->family, registry_family_of(proc));
}

/* The calling process's own; pid: of which process that is true. */
static struct {
	_Atomic int32_t pid;
	_Atomic bool named;
	struct registry_file *_Atomic file;
} own;

struct registry_file *registry_own(void)
{
	if (atomic_load_explicit(&own.pid, memory_order_acquire) != (int32_t)SYS(SYS_getpid))
		return NULL;
	return atomic_load_explicit(&own.file, memory_order_relaxed);
}

static void own_set(struct registry_file *file, const struct proc_id *self, bool named)
{
	atomic_store(&own.file, file);
	atomic_store(&own.named, named);
	atomic_store_explicit(&own.pid, self->pid, memory_order_release);
}

/* What a new registry takes from that of its parent. */
struct legacy {
	struct registry_file *from;
	const uint64_t *ids;	 /* of these streams alone; NULL: of any */
	uint64_t latest;	 /* published at this clock tick at the latest */
	bool counted;		 /* in from->in_flight, until the new registry has its name */
};

static unsigned take(struct registry_file *file, const struct legacy *l)
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

/* A slot of ours as that of the parent is; false: it has none any more. A controller may have been
 * at both between our look at theirs and what we did to ours: then we undid it, and look again. */
static bool follow(struct registry_slot *ours, uint64_t id, const struct registry_slot *theirs)
{
	struct registry_slot now;
	bool changed = true;

	for (int look = 0; look < FOLLOW_LOOKS && changed; look++) {
		if (!registry_slot_read(theirs, &now) || now.stream_id != id) {
			registry_slot_remove(ours, id);
			return false;
		}
		/* In one order with the controller's: ours is written before theirs is read again. */
		uint32_t flags = atomic_load_explicit(&theirs->flags, memory_order_seq_cst);
		changed = registry_slot_run(ours, id, (flags & SLOT_RUNNING) != 0);
	}
	return true;
}

/* The registry has its name: what changed at the parent before that is mended here, what changes
 * from now on is done to both. */
static unsigned take_again(struct registry_file *file, const struct legacy *l)
{
	unsigned n = 0;

	for (int i = 0; i < REGISTRY_SLOTS; i++) {
		struct registry_slot mine;

		/* What a controller has published meanwhile is not from the parent. */
		if (registry_slot_read(&file->slots[i], &mine) && (mine.flags & SLOT_COPY) != 0 &&
		    follow(&file->slots[i], mine.stream_id, &l->from->slots[i]))
			n++;
	}
	registry_changed(file);
	return n;
}

/* Where a registry of the calling process may be kept. A set-user-id program is at home with root,
 * where nobody but root can write, or nowhere: then it traces itself alone. */
static int own_dir(const struct proc_id *self)
{
	uid_t uid = geteuid();

	if (self->start == 0 || (proc_secure() && uid != 0))
		return -EPERM;
	return registry_dir_open(uid, true);
}

/* Makes a registry, names it and maps it, at an address if that is not NULL: 0, -EEXIST, -errno. */
static int make_in(int dir, const struct proc_id *proc, bool adopted, const struct legacy *l,
		   void *at, struct registry_file **ret)
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
		if (l != NULL && take(file, l) > 0)
			registry_changed(file);
		registry_dir_name(name, proc);
		r = registry_dir_link(fd, dir, name);
	}
	sys_close(fd);
	if (r < 0 && at == NULL)
		sys_unmap(file, sizeof(*file));
	if (r < 0)
		return r;
	*ret = file;
	return 0;
}

/* The same in memory that nobody else sees. */
static struct registry_file *make_private(const struct proc_id *self, const struct legacy *l)
{
	struct registry_file *file = sys_map_anon(sizeof(*file));

	if (file == NULL)
		return NULL;
	head_fill(file, self);
	if (l != NULL && take(file, l) > 0)
		registry_changed(file);
	return file;
}

/* Moves a registry over `at`: from there on it is the gate. */
static int settle(struct registry_file *at, struct registry_file *file)
{
	int saved = errno;
	void *p = mremap(file, sizeof(*file), sizeof(*file), MREMAP_MAYMOVE | MREMAP_FIXED, at);

	errno = saved;
	return p == MAP_FAILED ? -ENOMEM : 0;
}

/* Makes the own registry in a directory (negative: in private memory) and settles it: how many
 * slots it took over; -errno and nothing is done. */
static int found(int dir, struct registry_file *at, const struct proc_id *self,
		 const struct legacy *l)
{
	struct registry_file *file = NULL;
	unsigned n = 0;
	int r = 0;

	if (dir >= 0) /* straight over the old one, if nothing of that is needed any more */
		r = make_in(dir, self, true, l, l == NULL ? at : NULL, &file);
	else
		file = make_private(self, l);
	if (r < 0)
		return r;
	if (file == NULL)
		return -ENOMEM;
	if (l != NULL)
		n = take_again(file, l);
	if (l != NULL && l->counted)
		atomic_fetch_sub(&l->from->in_flight, 1);
	if (file != at)
		r = settle(at, file);
	own_set(at, self, dir >= 0);
	return r < 0 ? r : (int)n;
}

/* The file of our name: we left it behind for this program, or a controller came first. */
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
	own_set(at, self, true);
	atomic_store(&file->adopted, 1);
	atomic_store(&file->in_flight, 0); /* whoever was on the way was another program's child */
	for (int i = 0; i < REGISTRY_SLOTS; i++)
		n += registry_slot_read(&file->slots[i], &slot);
	registry_gate_update(file);
	return n;
}

/* A file with our name that is no registry: somebody of our user wrote it. */
static void remove_wrong(int dir, const struct proc_id *self)
{
	char name[DIR_NAME];

	registry_dir_name(name, self);
	(void)SYS(SYS_unlinkat, dir, name, 0);
}

/* The registry of a process's parent, if it has one that we can see. */
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
	struct legacy l = { .latest = proc->start };
	struct registry_file *file;
	int r;

	/* It may be a child that is just about to take over its parent's streams. */
	l.from = parent_open(dir, proc, uid);
	r = make_in(dir, proc, false, l.from != NULL ? &l : NULL, NULL, &file);
	if (r == 0) {
		if (l.from != NULL)
			take_again(file, &l);
		sys_unmap(file, sizeof(*file));
	}
	sys_unmap(l.from, sizeof(*l.from));
	return r == -EEXIST ? 0 : r;
}

/* One try: -EEXIST (somebody was just faster), -ENOENT (the directory went away under us), .... */
static int adopt_in(int dir, struct registry_file *at, const struct proc_id *self, bool again)
{
	struct legacy l = { .latest = self->start };
	int r = dir < 0 ? dir : continue_own(dir, at, self);

	if (r >= 0)
		return r;
	if (dir >= 0 && again)
		remove_wrong(dir, self);
	if (dir >= 0 && !proc_secure())
		l.from = parent_open(dir, self, geteuid());
	r = found(dir, at, self, l.from != NULL ? &l : NULL);
	sys_unmap(l.from, sizeof(*l.from));
	return r;
}

int registry_adopt(struct registry_file *at)
{
	struct proc_id self = proc_self();
	int r = -EEXIST;

	for (int try = 0; try < DIR_TRIES && (r == -EEXIST || r == -ENOENT); try++) {
		int dir = own_dir(&self);

		r = adopt_in(dir, at, &self, try > 0 && r == -EEXIST);
		sys_close(dir);
	}
	return r >= 0 ? r : found(-1, at, &self, NULL);
}

/* A controller made our registry before we did, and judged by the clock what we inherit. */
static void correct(struct registry_file *file, const uint64_t *ids)
{
	for (int i = 0; ids != NULL && i < REGISTRY_SLOTS; i++) {
		struct registry_slot slot;

		if (registry_slot_read(&file->slots[i], &slot) && slot.stream_id != ids[i] &&
		    (slot.flags & SLOT_COPY) != 0)
			registry_slot_remove(&file->slots[i], slot.stream_id);
	}
	registry_changed(file);
}

int registry_after_fork(struct registry_file *at, const uint64_t *ids)
{
	struct legacy l = { .from = at, .ids = ids, .latest = UINT64_MAX };
	const struct legacy *legacy;
	struct proc_id self = proc_self();
	int r = -ENOENT;

	for (int i = 0; ids != NULL && i < REGISTRY_SLOTS; i++)
		l.counted = l.counted || ids[i] != 0;
	legacy = ids == NULL || l.counted ? &l : NULL;
	for (int try = 0; try < DIR_TRIES && (r == -EEXIST || r == -ENOENT); try++) {
		int dir = own_dir(&self);

		r = dir < 0 ? dir : found(dir, at, &self, legacy);
		if (r == -EEXIST) {
			if (l.counted)
				atomic_fetch_sub(&at->in_flight, 1);
			l.counted = false;
			r = continue_own(dir, at, &self);
			if (r >= 0)
				correct(at, ids);
			else
				remove_wrong(dir, &self);
		}
		sys_close(dir);
	}
	return r >= 0 ? r : found(-1, at, &self, legacy);
}

/* Families whose first process is dead, and whether another still uses them. */
struct families {
	unsigned n;
	uint64_t id[SWEEP_FAMILIES];
	bool used[SWEEP_FAMILIES];
};

static int mark_used(struct registry_file *file, void *arg)
{
	struct families *f = arg;
	uint64_t id = atomic_load(&file->family);

	for (unsigned i = 0; i < f->n; i++)
		if (f->id[i] == id)
			f->used[i] = true;
	return 0;
}

static void remove_family(int dir, uint64_t id)
{
	char name[DIR_NAME];

	for (enum dir_kind kind = DIR_FAMILY; kind <= DIR_FIELDS; kind++) {
		registry_dir_family(name, kind, id);
		(void)SYS(SYS_unlinkat, dir, name, 0);
	}
}

static void remove_unused(int dir, uid_t uid, struct families *f)
{
	struct registry_file *mine = registry_own();

	if (f->n == 0)
		return;
	if (mine != NULL)
		mark_used(mine, f);
	registry_walk_dir(uid, mark_used, f);
	for (unsigned i = 0; i < f->n; i++)
		if (!f->used[i])
			remove_family(dir, f->id[i]);
}

static int gather(int dir, const struct dir_entry *entry, void *arg)
{
	struct families *f = arg;
	struct proc_id first = { .pid = (int32_t)(entry->family & 0x3fffff),
				 .start = entry->family >> 22 };

	if ((entry->kind == DIR_FAMILY || entry->kind == DIR_FIELDS) &&
	    f->n < SWEEP_FAMILIES && !proc_alive(&first))
		f->id[f->n++] = entry->family;
	return 0;
}

/* Streams that this very process is the target of. */
static bool is_target(struct registry_file *file)
{
	struct registry_slot slot;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (registry_slot_read(&file->slots[i], &slot) && (slot.flags & SLOT_COPY) == 0)
			return true;
	return false;
}

/* A directory in which nothing has come or gone for a while. */
static bool settled(int dir)
{
	struct stat st;
	struct timespec now;

	return sys_fstat(dir, &st) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	       (now.tv_sec - st.st_mtim.tv_sec > SETTLED_S || now.tv_sec < st.st_mtim.tv_sec);
}

/* Whether it is of a pid name space that is not ours: containers may share /dev/shm. */
static bool is_elsewhere(const struct registry_file *file)
{
	uint32_t here = proc_space();

	return file->pid_space != 0 && here != 0 && file->pid_space != here;
}

/*
 * The registry of a dead process stays while a stream that it is the target of can be read (whose
 * controller finds the names through it), and while a child may be about to take its family over.
 */
static int remove_dead(int dir, const struct dir_entry *entry, void *arg)
{
	struct registry_file *file;
	bool needed;

	if (entry->kind != DIR_REGISTRY || proc_alive(&entry->proc))
		return 0;
	file = registry_map(dir, entry->name, geteuid(), &entry->proc, NULL);
	if (file != NULL) {
		needed = is_elsewhere(file);
		if (!needed)
			registry_clean(file);
		needed = needed || is_target(file) ||
			 (atomic_load(&file->in_flight) != 0 && !settled(dir));
		sys_unmap(file, sizeof(*file));
		if (needed)
			return 0;
	}
	(void)SYS(SYS_unlinkat, dir, entry->name, 0);
	return 0;
}

/* Whether there are descriptors for a walk below a walk. Without them nothing is removed: what
 * cannot be looked at would be taken for unused. */
static bool can_look(int dir)
{
	int a = (int)SYS(SYS_fcntl, dir, F_DUPFD_CLOEXEC, 0);
	int b = a < 0 ? a : (int)SYS(SYS_fcntl, dir, F_DUPFD_CLOEXEC, 0);

	sys_close(a);
	sys_close(b);
	return b >= 0;
}

/* First the registries, then the families that none of those that are left names. A child that
 * shares a family is counted by its parent until its own registry has a name: so either the
 * parent's is left, or the walk that follows meets the child's. */
void registry_sweep(uid_t uid)
{
	struct families f = { 0 };
	int dir;

	if (uid != geteuid() || !proc_own_view())
		return; /* its own user's next start does it, where pids tell who lives */
	dir = registry_dir_open(uid, false);
	if (dir < 0)
		return;
	if (can_look(dir)) {
		registry_dir_list(dir, remove_dead, NULL);
		registry_dir_list(dir, gather, &f);
		remove_unused(dir, uid, &f);
	}
	sys_close(dir);
	registry_dir_remove(uid);
}

void registry_abandon(void)
{
	struct registry_file *file = registry_own();
	struct proc_id self = proc_self();
	struct families f = { .n = 1 };
	char name[DIR_NAME];
	int dir;

	if (file == NULL || !atomic_load(&own.named))
		return;
	registry_clean(file);
	/* Whoever withdraws the last stream tidies up then; or the next user of the library. */
	if (is_target(file) || atomic_load(&file->in_flight) != 0)
		return;
	dir = registry_dir_open(geteuid(), false);
	if (dir < 0)
		return;
	f.id[0] = atomic_load(&file->family);
	registry_dir_name(name, &self);
	(void)SYS(SYS_unlinkat, dir, name, 0);
	f.used[0] = !can_look(dir);
	if (atomic_load(&file->shared) != 0)
		registry_walk_dir(geteuid(), mark_used, &f);
	if (!f.used[0])
		remove_family(dir, f.id[0]);
	sys_close(dir);
	registry_dir_remove(geteuid());
}

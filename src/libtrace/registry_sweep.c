/*
 * registry_sweep - remove the files of dead processes, and those of the caller at its normal end.
 *
 * Order        First the registries, then the families that no remaining registry names
 *              (registry_sweep).
 * Invariants   A family's file stays while a registry names it; a child that is being made is
 *              counted in its parent's in_flight until its registry has a name (registry_life.c).
 * Checked by   test_registry nothing_is_left_behind, a_sweep_without_descriptors_removes_nobody,
 *              a_sweep_in_another_pid_name_space_removes_nobody; test_inherit forks_that_fail
 */
#include "libtrace/registry_files.h"

#include "libtrace/proc.h"
#include "libtrace/sys.h"

enum {
	SWEEP_FAMILIES = 512, /* files per sweep: two of each process since the last one */
	QUIET_S = 2,          /* after this time a child has linked its registry */
};

/* Families whose first process is dead, and whether a registry still names them. */
struct families {
	unsigned n;
	uint64_t id[SWEEP_FAMILIES];
	bool used[SWEEP_FAMILIES];
};

/* A registry that is seen later than its link names its final family: registry_take() stored it
 * before. */
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

/* The walk comes after the removal of registries (registry_sweep), see there. */
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
	struct proc_id first = {.pid = (int32_t)(entry->family & 0x3fffff),
				.start = entry->family >> 22};

	if ((entry->kind == DIR_FAMILY || entry->kind == DIR_FIELDS) && f->n < SWEEP_FAMILIES &&
	    !proc_alive(&first))
		f->id[f->n++] = entry->family;
	return 0;
}

/* Does it have a stream of which this very process is the target? */
static bool is_target(struct registry_file *file)
{
	struct registry_slot slot;

	for (int i = 0; i < REGISTRY_SLOTS; i++)
		if (registry_slot_read(&file->slots[i], &slot) && (slot.flags & SLOT_COPY) == 0)
			return true;
	return false;
}

/* Has the directory been unchanged for a while? Any child in flight then has its registry, or is
 * dead. */
static bool is_quiet(int dir)
{
	struct stat st;
	struct timespec now;

	return sys_fstat(dir, &st) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	       (now.tv_sec - st.st_mtim.tv_sec > QUIET_S || now.tv_sec < st.st_mtim.tv_sec);
}

/* Is it from another pid name space? Containers may share /dev/shm. */
static bool other_pid_space(const struct registry_file *file)
{
	uint32_t here = proc_space();

	return file->pid_space != 0 && here != 0 && file->pid_space != here;
}

/*
 * Removes the registry of a dead process, unless it is still needed: for a stream of which the
 * process is the target (its controller finds the names through it), or for a child that may be
 * about to take the family.
 */
static int remove_dead(int dir, const struct dir_entry *entry, void *arg)
{
	struct registry_file *file;
	bool needed;

	if (entry->kind != DIR_REGISTRY || proc_alive(&entry->proc))
		return 0;
	file = registry_map(dir, entry->name, geteuid(), &entry->proc, NULL);
	if (file != NULL) {
		needed = other_pid_space(file);
		if (!needed)
			registry_clean(file);
		needed = needed || is_target(file) ||
			 (atomic_load(&file->in_flight) != 0 && !is_quiet(dir));
		sys_unmap(file, sizeof(*file));
		if (needed)
			return 0;
	}
	(void)SYS(SYS_unlinkat, dir, entry->name, 0);
	return 0;
}

/* Are two spare descriptors available for a nested walk? Without them nothing is removed: a file
 * that cannot be opened would count as unused. */
static bool have_descriptors(int dir)
{
	int a = (int)SYS(SYS_fcntl, dir, F_DUPFD_CLOEXEC, 0);
	int b = a < 0 ? a : (int)SYS(SYS_fcntl, dir, F_DUPFD_CLOEXEC, 0);

	sys_close(a);
	sys_close(b);
	return b >= 0;
}

/*
 * First the registries, then the families that no remaining registry names. A child that shares a
 * family is counted by its parent until its own registry has a name. So either the parent's
 * registry is still there, or the child's was linked before the parent's count went down, hence
 * before the walk of mark_used(), which finds it. test_inherit forks_that_fail, test_names
 * many_names_of_a_dead_process.
 */
void registry_sweep(uid_t uid)
{
	struct families f = {0};
	int dir;

	if (uid != geteuid() || !proc_own_view())
		return; /* left to the next start of a process of that user */
	dir = registry_dir_open(uid, false);
	if (dir < 0)
		return;
	if (have_descriptors(dir)) {
		registry_dir_list(dir, remove_dead, NULL);
		registry_dir_list(dir, gather, &f);
		remove_unused(dir, uid, &f);
	}
	sys_close(dir);
	registry_dir_remove(uid);
}

/* Unlinks the own registry first, then looks for other users of the family: a process that is not
 * found by the walk has not named this family, and a child in flight has kept the registry
 * (in_flight). */
void registry_abandon(void)
{
	struct registry_file *file = registry_own();
	struct proc_id self = proc_self();
	struct families f = {.n = 1};
	char name[DIR_NAME];
	int dir;

	if (file == NULL || !registry_own_named())
		return;
	registry_clean(file);
	/* The process that withdraws the last stream removes it, or the next user of the library.
	 * */
	if (is_target(file) || atomic_load(&file->in_flight) != 0)
		return;
	dir = registry_dir_open(geteuid(), false);
	if (dir < 0)
		return;
	f.id[0] = atomic_load(&file->family);
	registry_dir_name(name, &self);
	(void)SYS(SYS_unlinkat, dir, name, 0);
	f.used[0] = !have_descriptors(dir);
	if (atomic_load(&file->shared) != 0)
		registry_walk_dir(geteuid(), mark_used, &f);
	if (!f.used[0])
		remove_family(dir, f.id[0]);
	sys_close(dir);
	registry_dir_remove(geteuid());
}

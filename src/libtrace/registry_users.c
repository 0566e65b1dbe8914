/*
 * registry_users - the registries of any user; see registry.h. Those of the caller's user are used
 * directly (registry_files.c), those of others through copies and children (registry_files.h).
 * The caller's own registry is never opened a second time: it is the one that is mapped over the
 * gate, or private memory if no file could be made.
 */
#include "libtrace/registry_files.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "libtrace/clock.h"
#include "libtrace/proc.h"
#include "libtrace/sys.h"

enum {
	PICTURES = 2 * REGISTRY_SLOTS, /* in use at a time: one per stream */
	KERNEL_SIGSET = 8,
	NO_GROUP = 65534,
	RUN_MS = 3000, /* for one operation on a user's files */
	KILL_MS = 1000,
	WALK_ENTRIES = 20000, /* limit for a user's directory */
	WALK_MS = 2000,
};

/* Copies in use. They are identified by address, not by content, which is the user's. */
static struct picture {
	_Atomic(struct registry_file *) file;
	struct proc_id proc;
	uid_t uid;
} pictures[PICTURES];
static struct registry_file *const taken = (struct registry_file *)-1;

static pid_t clone_plain(void)
{
	/* Like fork(), without exit signal and handlers; all arguments are zero, so their order
	 * does not matter. */
	return (pid_t)SYS(SYS_clone, 0, 0, 0, 0, 0);
}

/*
 * Takes the user's rights in the file system and keeps root's real id, so that the user can neither
 * signal nor trace this process, and a FUSE file system of the user's does not answer it. Changes
 * to the group 65534; a name space without that group keeps its own.
 */
static int take_rights(uid_t uid)
{
	int r = (int)SYS(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);

	if (r == 0)
		r = (int)SYS(SYS_SETGROUPS, 0, NULL);
	if (r == 0)
		r = (int)SYS(SYS_SETRESGID, -1, NO_GROUP, -1);
	if (r == 0 || r == -EINVAL)
		r = (int)SYS(SYS_SETRESUID, -1, uid, -1);
	return r;
}

/* Waits this long for a child: returns whether it has ended. */
static bool ended(pid_t pid, int pidfd, int limit_ms)
{
	struct pollfd pfd = {.fd = pidfd, .events = POLLIN};
	uint64_t until = clock_mono() + (uint64_t)limit_ms * 1000000;
	int saved = errno;
	long r;

	while ((r = SYS(SYS_wait4, pid, NULL, __WCLONE | WNOHANG, NULL)) == 0 || r == -EINTR) {
		uint64_t now = clock_mono();

		if (now >= until)
			return false;
		(void)poll(&pfd, pidfd >= 0, pidfd >= 0 ? (int)((until - now) / 1000000) + 1 : 1);
		errno = saved;
	}
	return true;
}

/* The time that the child takes depends on its user's files: the wait is bounded. */
static bool await(pid_t pid)
{
	int pidfd = (int)SYS(SYS_pidfd_open, pid, 0);
	bool in_time = ended(pid, pidfd, RUN_MS);

	if (!in_time) {
		(void)SYS(SYS_kill, pid, SIGKILL);
		(void)ended(pid, pidfd, KILL_MS);
	}
	sys_close(pidfd);
	return in_time;
}

int registry_foreign_run(uid_t uid, int (*run)(void *arg), void *arg)
{
	_Atomic int *result =
	    sys_map(NULL, LAYOUT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	uint64_t all = ~(uint64_t)0, before;
	pid_t pid;
	int r;

	if (result == NULL)
		return -ENOMEM;
	atomic_store(result, -EIO);
	/* No handler of the application runs in the child. */
	(void)SYS(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, KERNEL_SIGSET);
	pid = clone_plain();
	if (pid == 0) {
		r = take_rights(uid);
		atomic_store(result, r == 0 ? run(arg) : r);
		for (;;)
			(void)SYS(SYS_exit_group, 0);
	}
	(void)SYS(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_SIGSET);
	r = pid;
	if (pid > 0)
		r = await(pid) ? atomic_load(result) : -ETIMEDOUT;
	sys_unmap(result, LAYOUT_PAGE);
	return r;
}

/* One operation on the registries of the user whose ids the child has. */
struct request {
	const struct proc_id *proc;
	const struct registry_slot *slot;
	uint64_t id;
	bool running;
};

static int foreign_run_make(void *arg)
{
	struct request *q = arg;
	struct registry_file *file;
	int r = registry_open_here(q->proc, geteuid(), true, &file);

	if (r == 0)
		sys_unmap(file, sizeof(*file));
	return r;
}

static int foreign_run_publish(void *arg)
{
	struct request *q = arg;
	struct registry_file *file;
	int r = registry_open_here(q->proc, geteuid(), true, &file);

	if (r < 0)
		return r;
	r = registry_publish_here(file, q->slot);
	sys_unmap(file, sizeof(*file));
	return r;
}

static int foreign_run_withdraw(void *arg)
{
	struct request *q = arg;

	registry_withdraw_here(q->id, geteuid());
	return 0;
}

static int foreign_run_set_running(void *arg)
{
	struct request *q = arg;

	registry_set_running_here(q->id, geteuid(), q->running);
	return 0;
}

/* Reads a registry into private memory: NULL if it is invalid or not proc's. */
static struct registry_file *picture_read(int dir, const char *name, uid_t uid,
					  const struct proc_id *proc)
{
	struct registry_file *file = sys_map_anon(sizeof(*file));
	size_t size;
	int fd = registry_dir_file(dir, name, uid, &size);
	bool right = file != NULL && fd >= 0 &&
		     sys_read(fd, file, sizeof(*file)) == (long)sizeof(*file) &&
		     file->magic == REGISTRY_MAGIC && file->version == REGISTRY_VERSION &&
		     proc_equal(&file->proc, proc);

	sys_close(fd);
	if (right)
		return file;
	sys_unmap(file, sizeof(*file));
	return NULL;
}

static int picture_keep(struct registry_file *file, const struct proc_id *proc, uid_t uid)
{
	for (int i = 0; i < PICTURES; i++) {
		struct registry_file *none = NULL;

		if (!atomic_compare_exchange_strong(&pictures[i].file, &none, taken))
			continue;
		pictures[i].proc = *proc;
		pictures[i].uid = uid;
		atomic_store_explicit(&pictures[i].file, file, memory_order_release);
		return 0;
	}
	return -EAGAIN;
}

int registry_foreign_open(const struct proc_id *proc, uid_t uid, bool make,
			  struct registry_file **ret_file)
{
	struct request q = {.proc = proc};
	struct registry_file *file;
	char name[DIR_NAME];
	int r = make ? registry_foreign_run(uid, foreign_run_make, &q) : 0;
	int dir = r < 0 ? r : registry_dir_open(uid, false);

	if (dir < 0)
		return dir;
	registry_dir_name(name, proc);
	file = picture_read(dir, name, uid, proc);
	sys_close(dir);
	if (file == NULL)
		return -ENOENT;
	r = picture_keep(file, proc, uid);
	if (r < 0) {
		sys_unmap(file, sizeof(*file));
		return r;
	}
	*ret_file = file;
	return 0;
}

bool registry_foreign_adopted(const struct proc_id *proc, uid_t uid)
{
	struct registry_file *file;
	bool adopted = false;

	if (registry_foreign_open(proc, uid, false, &file) < 0)
		return false;
	adopted = atomic_load(&file->adopted) != 0;
	registry_close(file);
	return adopted;
}

bool registry_foreign_is(const struct registry_file *file, uid_t *ret_uid, struct proc_id *ret_id)
{
	for (int i = 0; i < PICTURES; i++)
		if (atomic_load_explicit(&pictures[i].file, memory_order_acquire) == file) {
			*ret_uid = pictures[i].uid;
			*ret_id = pictures[i].proc;
			return true;
		}
	return false;
}

void registry_foreign_close(const struct registry_file *file)
{
	for (int i = 0; i < PICTURES; i++)
		if (atomic_load(&pictures[i].file) == file)
			atomic_store(&pictures[i].file, NULL);
}

int registry_foreign_publish(const struct proc_id *proc, uid_t uid,
			     const struct registry_slot *slot)
{
	struct request q = {.proc = proc, .slot = slot};

	return registry_foreign_run(uid, foreign_run_publish, &q);
}

void registry_foreign_withdraw(uint64_t stream_id, uid_t uid)
{
	struct request q = {.id = stream_id};

	registry_foreign_run(uid, foreign_run_withdraw, &q);
}

void registry_foreign_set_running(uint64_t stream_id, uid_t uid, bool running)
{
	struct request q = {.id = stream_id, .running = running};

	registry_foreign_run(uid, foreign_run_set_running, &q);
}

struct pictured {
	uid_t uid;
	registry_visit visit;
	void *arg;
};

static int picture_one(int dir, const struct dir_entry *entry, void *arg)
{
	struct pictured *p = arg;
	struct registry_file *file;
	int r;

	if (entry->kind != DIR_REGISTRY)
		return 0;
	file = picture_read(dir, entry->name, p->uid, &entry->proc);
	if (file == NULL)
		return 0;
	r = p->visit(file, p->arg);
	sys_unmap(file, sizeof(*file));
	return r;
}

int registry_foreign_walk(uid_t uid, registry_visit visit, void *arg)
{
	struct pictured p = {uid, visit, arg};
	int dir = registry_dir_open(uid, false);
	int r;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	r = registry_dir_list_bounded(dir, picture_one, &p, WALK_ENTRIES, WALK_MS);
	sys_close(dir);
	return r;
}

/* ---- registries of any user ---- */

int registry_open(const struct proc_id *proc, uid_t uid, bool make, struct registry_file **ret_file)
{
	struct proc_id self = proc_self();
	if (proc_equal(proc, &self)) {
		*ret_file = registry_own();
		return *ret_file != NULL ? 0 : -EAGAIN; /* another thread is making it */
	}
	if (uid != geteuid()) {
		/* A daemon that started as the caller's user has its registry there; one that has
		 * executed another program since left it there, and uses one of its own. */
		if (!registry_foreign_adopted(proc, uid) &&
		    registry_open_here(proc, geteuid(), false, ret_file) == 0)
			return 0;
		return registry_foreign_open(proc, uid, make, ret_file);
	}
	return registry_open_here(proc, uid, make, ret_file);
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

/* A walk over all users' registries. */
struct walk_users {
	registry_visit visit;
	void *arg;
	bool cut; /* another user's directory is too large */
};

static int walk_user(uid_t uid, void *arg)
{
	struct walk_users *w = arg;
	int r = uid == geteuid() ? 0 : registry_foreign_walk(uid, w->visit, w->arg);

	w->cut = w->cut || r == -EOVERFLOW;
	return r > 0 ? r : 0; /* a broken directory is a matter of its user */
}

int registry_walk(uid_t uid, registry_visit visit, void *arg)
{
	struct walk_users w = {.visit = visit, .arg = arg};
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
	struct missed m = {stream_id, 0};

	(void)registry_walk(uid, add_missed, &m);
	return m.events;
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
	struct count c = {0};

	registry_sweep(uid);
	registry_walk(uid, count_one, &c);
	return c.n;
}

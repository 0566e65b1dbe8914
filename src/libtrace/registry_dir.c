/* registry_dir - see registry_dir.h. */
#include "libtrace/registry_dir.h"

#include <dirent.h>
#include <string.h>
#include <sys/file.h>

#include "libtrace/clock.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"
#include "libtrace/host.h"

enum {
	LIST_BYTES = 4096,
	GROW_TRIES = 1000,      /* each interrupted by a signal */
	USERS_ENTRIES = 100000, /* of /dev/shm, which every user may fill */
	USERS_MS = 10000,       /* including the visits */
	MAKE_TRIES = 8,         /* each failed because another process did the same */
	LOCK_TRIES = 100,       /* 1 ms apart */
};

#define SHM  "/dev/shm"
#define NAME "pitot-"

/* Places of the directory, in order: the path before and after the user id. */
static const struct place {
	const char *before, *after;
} places[] = {
    {SHM "/" NAME, ""},   {"/run/user/", "/pitot"}, {SHM "/" NAME, ".1"},
    {SHM "/" NAME, ".2"}, {SHM "/" NAME, ".3"},     {SHM "/" NAME, ".4"},
    {SHM "/" NAME, ".5"}, {SHM "/" NAME, ".6"},     {SHM "/" NAME, ".7"},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static const char shm[] = SHM;

static void place_path(char path[DIR_NAME], const struct place *place, uid_t uid)
{
	struct text t = text_init(path, DIR_NAME);

	text_add(&t, place->before);
	text_add_number(&t, uid);
	text_add(&t, place->after);
}

/* In a directory that is not the user's alone, others could add or exchange files. */
static int dir_check(int fd, uid_t uid)
{
	struct stat st;
	int r = sys_fstat(fd, &st);

	if (r < 0)
		return r;
	return S_ISDIR(st.st_mode) && st.st_uid == uid && (st.st_mode & 077) == 0 ? 0 : -EPERM;
}

static int dir_open_at(const char *path, uid_t uid)
{
	int fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct stat st;
	int r;

	if (fd == -EACCES && sys_lstat(path, &st) == 0) /* another user's, or of unexpected mode */
		return -EPERM;
	if (fd < 0) /* ELOOP, ENOTDIR: a file of another type */
		return fd == -ELOOP || fd == -ENOTDIR ? -EPERM : fd;
	r = dir_check(fd, uid);
	if (r < 0) {
		sys_close(fd);
		return r;
	}
	return fd;
}

/* Restores the permissions that the application's umask removed. */
static int dir_make_at(const char *path, uid_t uid)
{
	int r = (int)SYS(SYS_mkdirat, AT_FDCWD, path, 0700);

	if (r == 0)
		(void)SYS(SYS_fchmodat, AT_FDCWD, path, 0700);
	if (r < 0 && r != -EEXIST)
		return r;
	return dir_open_at(path, uid);
}

/* The first descriptor that `open` returns; else the first error other than -ENOENT. */
static int first_place(uid_t uid, int (*open)(const char *path, uid_t uid), size_t *ret_place)
{
	char path[DIR_NAME];
	int first = -ENOENT;

	for (size_t i = 0; i < PLACES; i++) {
		int fd;

		place_path(path, &places[i], uid);
		fd = open(path, uid);
		if (fd >= 0) {
			*ret_place = i;
			return fd;
		}
		if (first == -ENOENT)
			first = fd;
	}
	return first;
}

/* Does the user have another directory than that one? */
static bool has_other(uid_t uid, size_t place)
{
	char path[DIR_NAME];
	int fd = -1;

	for (size_t i = 0; i < PLACES && fd < 0; i++) {
		place_path(path, &places[i], uid);
		fd = i != place ? dir_open_at(path, uid) : -1;
	}
	sys_close(fd);
	return fd >= 0;
}

/*
 * Two processes that make the directory at once, while a stranger frees a place, may make two. Each
 * looks for another one after it made its own, so at least one of them finds it, and removes its
 * own again.
 */
static int make_place(uid_t uid)
{
	char path[DIR_NAME];
	size_t place;
	int fd = first_place(uid, dir_make_at, &place);

	if (fd < 0 || !has_other(uid, place))
		return fd;
	place_path(path, &places[place], uid);
	if (SYS(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR) < 0)
		return fd; /* another process uses it already */
	sys_close(fd);
	return -EAGAIN;
}

/*
 * Makers take turns: they lock /dev/shm itself with flock(2), for all places. Any user can hold
 * that lock, and a holder can be stopped, so a maker waits 100 ms at most; without the lock
 * make_place() alone decides. Returns the descriptor that holds the lock, to be closed, or -1. The
 * kernel releases the lock of a maker that dies.
 */
static int lock_makers(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	int fd = sys_openat(AT_FDCWD, shm, O_RDONLY | O_DIRECTORY, 0);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (SYS(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		(void)SYS(SYS_nanosleep, &nap, NULL);
	}
	if (fd >= 0)
		sys_close(fd);
	return -1;
}

/* The directory that another maker made meanwhile, or a new one. */
static int make_in_turn(uid_t uid)
{
	int lock = lock_makers();
	size_t place;
	int fd = first_place(uid, dir_open_at, &place);

	if (fd < 0)
		fd = make_place(uid);
	if (lock >= 0) {
		(void)SYS(SYS_flock, lock, LOCK_UN); /* a forked child may have it, too */
		sys_close(lock);
	}
	return fd;
}

int registry_dir_open(uid_t uid, bool make)
{
	size_t place;
	int fd = -EAGAIN;

	for (int i = 0; i < MAKE_TRIES && fd == -EAGAIN; i++) {
		fd = first_place(uid, dir_open_at, &place);
		if (fd < 0 && make)
			fd = make_in_turn(uid);
	}
	return fd;
}

/* Could a directory be made there? */
static bool is_free(const char *path)
{
	char parent[DIR_NAME];
	struct text t = text_init(parent, sizeof(parent));
	struct stat st;

	text_add(&t, path);
	*strrchr(parent, '/') = '\0';
	return sys_lstat(path, &st) == -ENOENT &&
	       SYS(SYS_faccessat, AT_FDCWD, parent, W_OK | X_OK, 0) == 0;
}

int registry_dir_place(uid_t uid, char ret_path[DIR_NAME], struct stat *ret_st)
{
	size_t place;
	int fd = first_place(uid, dir_open_at, &place), r = fd;

	if (fd >= 0) {
		place_path(ret_path, &places[place], uid);
		r = sys_fstat(fd, ret_st);
		sys_close(fd);
		return r;
	}
	for (place = 0; place < PLACES; place++) {
		place_path(ret_path, &places[place], uid);
		if (is_free(ret_path))
			return -ENOENT;
	}
	for (place = 0; place < PLACES; place++) {
		place_path(ret_path, &places[place], uid);
		if (sys_lstat(ret_path, ret_st) == 0)
			return -EPERM;
	}
	place_path(ret_path, &places[0], uid);
	return r == -ENOENT ? -EACCES : r;
}

void registry_dir_remove(uid_t uid)
{
	char path[DIR_NAME];

	for (size_t i = 0; i < PLACES; i++) {
		place_path(path, &places[i], uid);
		(void)SYS(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	}
}

void registry_dir_name(char name[DIR_NAME], const struct proc_id *proc)
{
	struct text t = text_init(name, DIR_NAME);

	text_add_number(&t, (uint32_t)proc->pid);
	text_add(&t, ".");
	text_add_number(&t, proc->start);
}

static const char *const prefix[] = {
    [DIR_FAMILY] = "family.", [DIR_FIELDS] = "fields.", [DIR_REMAINS] = "remains."};

void registry_dir_family(char name[DIR_NAME], enum dir_kind kind, uint64_t id)
{
	struct text t = text_init(name, DIR_NAME);

	text_add(&t, prefix[kind]);
	text_add_number(&t, id);
}

static void entry_parse(const char *name, struct dir_entry *ret_entry)
{
	struct text t = text_init(ret_entry->name, sizeof(ret_entry->name));
	uint64_t n;

	text_add(&t, name);
	ret_entry->kind = DIR_OTHER;
	for (enum dir_kind k = DIR_FAMILY; k <= DIR_REMAINS; k++) {
		const char *p = name + strlen(prefix[k]);

		if (strncmp(name, prefix[k], strlen(prefix[k])) == 0 && text_number(&p, &n) &&
		    *p == '\0') {
			ret_entry->kind = k;
			ret_entry->family = n;
			return;
		}
	}
	if (!text_number(&name, &n) || n == 0 || n > INT32_MAX || *name++ != '.')
		return;
	ret_entry->proc = (struct proc_id){.pid = (int32_t)n};
	if (text_number(&name, &ret_entry->proc.start) && *name == '\0')
		ret_entry->kind = DIR_REGISTRY;
}

int registry_dir_grow(int fd, size_t total)
{
	int r = -EINTR;
	struct host_xfsz held;

	host_xfsz_hold(&held);
	/* Not by writing: another process may have grown the file already, and use it. */
	for (int i = 0; r == -EINTR && i < GROW_TRIES; i++)
		r = sys_fallocate(fd, total);
	host_xfsz_release(&held, r == -EFBIG);
	return r;
}

int registry_dir_make(int dir, size_t total)
{
	int fd = sys_openat(dir, ".", O_TMPFILE | O_RDWR, 0600);
	int r;

	if (fd < 0)
		return fd;
	(void)SYS(SYS_fchmod, fd, 0600); /* regardless of the umask */
	r = registry_dir_grow(fd, total);
	if (r < 0) {
		sys_close(fd);
		return r;
	}
	return fd;
}

int registry_dir_link(int fd, int dir, const char *name)
{
	char path[DIR_NAME];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	return (int)SYS(SYS_linkat, AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW);
}

int registry_dir_file(int dir, const char *name, uid_t uid, size_t *ret_size)
{
	int fd = sys_openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return fd == -ELOOP ? -EINVAL : fd;
	if (sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != uid || st.st_size < 0) {
		sys_close(fd);
		return -EINVAL;
	}
	*ret_size = (size_t)st.st_size;
	return fd;
}

/* An entry as getdents64 returns it. */
struct raw_entry {
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

typedef int (*raw_visit)(int dir, const char *name, void *arg);

/* Limits for a directory that others fill. */
struct bound {
	unsigned entries;
	uint64_t until; /* CLOCK_MONOTONIC, ns */
};

static bool bound_reached(struct bound *b)
{
	return b != NULL && (b->entries-- == 0 || clock_mono() >= b->until);
}

/* bound: NULL for no limit. */
static int raw_list(int dir, raw_visit visit, void *arg, struct bound *bound)
{
	_Alignas(8) char buf[LIST_BYTES];
	int r = 0;
	long n;

	while (r == 0 && (n = SYS(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (long at = 0; r == 0 && at < n;) {
			struct raw_entry *e = (struct raw_entry *)(buf + at);

			at += e->reclen;
			if (bound_reached(bound))
				return -EOVERFLOW;
			if (e->name[0] != '.')
				r = visit(dir, e->name, arg);
		}
	return r != 0 ? r : (int)n;
}

struct listing {
	dir_visit visit;
	void *arg;
};

static int registry_dir_list_one(int dir, const char *name, void *arg)
{
	struct listing *l = arg;
	struct dir_entry entry;

	entry_parse(name, &entry);
	return entry.kind == DIR_OTHER ? 0 : l->visit(dir, &entry, l->arg);
}

static int list_within(int dir, dir_visit visit, void *arg, struct bound *bound)
{
	struct listing l = {visit, arg};

	if (lseek(dir, 0, SEEK_SET) != 0)
		return -EIO;
	return raw_list(dir, registry_dir_list_one, &l, bound);
}

int registry_dir_list(int dir, dir_visit visit, void *arg)
{
	return list_within(dir, visit, arg, NULL);
}

int registry_dir_list_bounded(int dir, dir_visit visit, void *arg, unsigned entries, unsigned ms)
{
	struct bound bound = {entries, clock_mono() + (uint64_t)ms * 1000000};

	return list_within(dir, visit, arg, &bound);
}

struct users {
	dir_user_visit visit;
	void *arg;
};

/* Is it the first existing name of that user? So each user is visited once. */
static bool is_first(const char *name, uid_t uid)
{
	char path[DIR_NAME];
	struct stat st;

	for (size_t i = 0; i < PLACES; i++) {
		place_path(path, &places[i], uid);
		if (strncmp(path, SHM "/", sizeof(shm)) != 0)
			continue;
		if (strcmp(path + sizeof(shm), name) == 0)
			return true;
		if (sys_lstat(path, &st) == 0)
			return false;
	}
	return false;
}

static int list_user(int dir, const char *name, void *arg)
{
	static const char head[] = NAME;
	const char *p = name + sizeof(head) - 1;
	struct users *u = arg;
	uint64_t uid;

	if (strncmp(name, head, sizeof(head) - 1) != 0 || !text_number(&p, &uid) ||
	    uid >= UINT32_MAX || !is_first(name, (uid_t)uid))
		return 0;
	return u->visit((uid_t)uid, u->arg);
}

int registry_dir_users(dir_user_visit visit, void *arg)
{
	struct users u = {visit, arg};
	struct bound bound = {USERS_ENTRIES, clock_mono() + (uint64_t)USERS_MS * 1000000};
	int fd = sys_openat(AT_FDCWD, shm, O_RDONLY | O_DIRECTORY, 0);
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	r = raw_list(fd, list_user, &u, &bound);
	sys_close(fd);
	return r;
}

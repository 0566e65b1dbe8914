/*
 * vfs - open files, inodes, names and asynchronous requests: /proc/sys/fs; and file locks:
 * /proc/locks.
 *
 *     1: POSIX  ADVISORY  WRITE 1234 08:01:1234 0 EOF
 *     1: -> POSIX  ADVISORY  WRITE 1235 08:01:1234 0 EOF          waits: not counted
 */

#include "linux.h"
#include "scan.h"

struct vfs {
	int64_t files[3]; /* in use, free, most that there can be */
	int64_t inodes[2];
	int64_t names[2];
	int64_t aio;
	int64_t aio_max;
};

enum { READ, WRITE, COUNT, NCOUNTS };

struct locks {
	uint32_t posix[NCOUNTS];
	uint32_t flock[NCOUNTS];
	uint32_t lease[NCOUNTS];
};

/* clang-format off */
#define VFS(n, name, member, text)                                                                 \
	{ "vfs." name, 27, n, S32, INSTANT, ONE, AGENT_NONE, FIELD(vfs, member), text, NULL, 0 }

static const struct agent_metric vfs_metrics[] = {
	VFS(0, "files.count", files[0], "Open files"),
	VFS(1, "files.free", files[1], "Open files that nothing uses"),
	VFS(2, "files.max", files[2], "Most files that can be open"),
	VFS(3, "inodes.count", inodes[0], "Inodes in memory"),
	VFS(4, "inodes.free", inodes[1], "Inodes in memory that nothing uses"),
	VFS(5, "dentry.count", names[0], "Names of files in memory"),
	VFS(6, "dentry.free", names[1], "Names of files in memory that nothing uses"),
	VFS(7, "aio.count", aio, "Asynchronous requests under way"),
	VFS(8, "aio.max", aio_max, "Most asynchronous requests that can be under way"),
};

#define LOCK(n, name, member, text)                                                                \
	{ "vfs.locks." name, 75, n, U32, INSTANT, ONE, AGENT_NONE, FIELD(locks, member), text,     \
	  NULL, 0 }
#define LOCK_ROWS(n, kind, what)                                                                   \
	LOCK(n + READ, #kind ".read", kind[READ], "Locks of " what " for reading"),                \
	LOCK(n + WRITE, #kind ".write", kind[WRITE], "Locks of " what " for writing"),             \
	LOCK(n + COUNT, #kind ".count", kind[COUNT], "Locks of " what)

static const struct agent_metric locks_metrics[] = {
	LOCK_ROWS(0, posix, "fcntl(2)"),
	LOCK_ROWS(3, flock, "flock(2)"),
	LOCK_ROWS(6, lease, "leases and delegations"),
};

/* A file, and how many of its numbers go where. */
static const struct {
	const char *path;
	int n;
	size_t offset;
} vfs_files[] = {
	{ "proc/sys/fs/file-nr", 3, offsetof(struct vfs, files) },
	{ "proc/sys/fs/inode-state", 2, offsetof(struct vfs, inodes) },
	{ "proc/sys/fs/dentry-state", 2, offsetof(struct vfs, names) },
	{ "proc/sys/fs/aio-nr", 1, offsetof(struct vfs, aio) },
	{ "proc/sys/fs/aio-max-nr", 1, offsetof(struct vfs, aio_max) },
};
/* clang-format on */

static int vfs_refresh(struct agent_refresh *r, void *snapshot)
{
	int status = 0;

	for (size_t i = 0; i < NROWS(vfs_files); i++) {
		int64_t *at = (int64_t *)(void *)((char *)snapshot + vfs_files[i].offset);
		bool wanted = false;
		struct scan s;
		long n;

		for (int k = 0; k < vfs_files[i].n; k++)
			wanted |=
			    agent_wanted(r, NULL, vfs_files[i].offset + (size_t)k * sizeof(*at));
		if (!wanted)
			continue;
		n = agent_read(r, vfs_files[i].path, &s.p);
		if (n < 0)
			status = (int)n;
		for (int k = 0; n >= 0 && k < vfs_files[i].n; k++)
			if (!scan_i64(&s, &at[k]))
				break;
	}
	return status;
}

/* "RW" is both. */
static void count_lock(uint32_t *counts, const char *access, size_t len)
{
	counts[READ] += (len == 4 && memcmp(access, "READ", 4) == 0) ||
			(len == 2 && memcmp(access, "RW", 2) == 0);
	counts[WRITE] += (len == 5 && memcmp(access, "WRITE", 5) == 0) ||
			 (len == 2 && memcmp(access, "RW", 2) == 0);
	counts[COUNT]++;
}

/* The meaning of the second word of a line. */
static uint32_t *lock_kind(struct locks *locks, const char *kind, size_t len)
{
	static const struct {
		const char *kind;
		size_t offset;
	} kinds[] = {
	    {"POSIX", offsetof(struct locks, posix)},  {"OFDLCK", offsetof(struct locks, posix)},
	    {"ACCESS", offsetof(struct locks, posix)}, {"FLOCK", offsetof(struct locks, flock)},
	    {"LEASE", offsetof(struct locks, lease)},  {"DELEG", offsetof(struct locks, lease)},
	};

	for (size_t i = 0; i < NROWS(kinds); i++)
		if (strncmp(kinds[i].kind, kind, len) == 0 && kinds[i].kind[len] == '\0')
			return (uint32_t *)(void *)((char *)locks + kinds[i].offset);
	return NULL;
}

static int locks_refresh(struct agent_refresh *r, void *snapshot)
{
	struct locks *locks = snapshot;
	const char *kind, *access;
	size_t len, access_len;
	struct scan s;
	long n = agent_read(r, "proc/locks", &s.p);

	if (n < 0)
		return (int)n;
	*locks = (struct locks){{0}, {0}, {0}};
	do {
		uint32_t *counts;

		if (!scan_skip(&s, 1) || !scan_word(&s, &kind, &len) || !scan_skip(&s, 1) ||
		    !scan_word(&s, &access, &access_len))
			continue;
		counts = lock_kind(locks, kind, len);
		if (counts != NULL)
			count_lock(counts, access, access_len);
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster vfs_cluster = {
    .name = "vfs",
    .source = "/proc/sys/fs",
    .size = sizeof(struct vfs),
    .refresh = vfs_refresh,
    .metrics = vfs_metrics,
    .nmetrics = NROWS(vfs_metrics),
};

const struct agent_cluster locks_cluster = {
    .name = "locks",
    .source = "/proc/locks",
    .size = sizeof(struct locks),
    .refresh = locks_refresh,
    .metrics = locks_metrics,
    .nmetrics = NROWS(locks_metrics),
};

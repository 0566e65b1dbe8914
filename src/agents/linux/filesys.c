/*
 * filesys - file systems on devices, and those in memory: /proc/mounts and statvfs(2).
 *
 *     /dev/mapper/vg0-root / ext4 rw,relatime 0 0
 *
 * A file system of a device (its name begins with /dev) is an instance by the name of the device,
 * where it is mounted first; read-only images (squashfs), network and pseudo file systems are left
 * out. One in memory (tmpfs) is an instance by the name of its folder. Blanks in names are \040 in
 * the file, and stay so in instance names.
 *
 * statvfs may hang as long as a device or a server does not answer, so all this runs in a thread of
 * its own, and a mount that hangs is left out until it answers.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>

#include "linux.h"
#include "scan.h"

struct filesys {
	uint64_t capacity;
	uint64_t used;
	uint64_t free;
	uint64_t avail;
	uint64_t maxfiles;
	uint64_t usedfiles;
	uint64_t freefiles;
	uint64_t blocksize;
	double full;
	const char *mountdir;
	uint32_t readonly;
};

struct filesys_all {
	uint32_t nfilesys;
};

static const struct agent_indom filesys_indom = {
    5, 0, NULL, 0, "File systems on devices", "By the name of the device.",
};
static const struct agent_indom tmpfs_indom = {
    18, 0, NULL, 0, "File systems in memory (tmpfs)", "By the name of the folder.",
};

/* clang-format off */
static const struct agent_metric filesys_metrics[] = {
	{ "hinv.nfilesys", 5, 0, U32, DISCRETE, ONE, AGENT_COUNT, FIELD(filesys_all, nfilesys),
	  "File systems on devices", "Instances of filesys.", 0 },
	{ "filesys.capacity", 5, 1, U64, DISCRETE, &filesys_indom, AGENT_KBYTE,
	  FIELD(filesys, capacity),
	  "Size of each file system", NULL, 0 },
	{ "filesys.used", 5, 2, U64, INSTANT, &filesys_indom, AGENT_KBYTE, FIELD(filesys, used),
	  "Space in use in each file system", NULL, 0 },
	{ "filesys.free", 5, 3, U64, INSTANT, &filesys_indom, AGENT_KBYTE, FIELD(filesys, free),
	  "Space free in each file system",
	  "What is kept back for root included; see filesys.avail.", 0 },
	{ "filesys.maxfiles", 5, 4, U32, DISCRETE, &filesys_indom, AGENT_NONE,
	  FIELD(filesys, maxfiles),
	  "Inodes of each file system", "0 where they are made as needed.", 0 },
	{ "filesys.usedfiles", 5, 5, U32, INSTANT, &filesys_indom, AGENT_NONE,
	  FIELD(filesys, usedfiles),
	  "Inodes in use in each file system", NULL, 0 },
	{ "filesys.freefiles", 5, 6, U32, INSTANT, &filesys_indom, AGENT_NONE,
	  FIELD(filesys, freefiles),
	  "Inodes free in each file system", NULL, 0 },
	{ "filesys.mountdir", 5, 7, STR, DISCRETE, &filesys_indom, AGENT_NONE,
	  FIELD(filesys, mountdir),
	  "Folder where each file system is mounted", "The first one, if there are several.", 0 },
	{ "filesys.full", 5, 8, F64, INSTANT, &filesys_indom, AGENT_NONE, FIELD(filesys, full),
	  "How full each file system is, in percent",
	  "Of what others than root can use: used / (used + avail).", 0 },
	{ "filesys.blocksize", 5, 9, U32, INSTANT, &filesys_indom, AGENT_BYTE,
	  FIELD(filesys, blocksize),
	  "Block size of each file system", NULL, 0 },
	{ "filesys.avail", 5, 10, U64, INSTANT, &filesys_indom, AGENT_KBYTE, FIELD(filesys, avail),
	  "Space free to others than root in each file system", NULL, 0 },
	{ "filesys.readonly", 5, 11, U32, INSTANT, &filesys_indom, AGENT_NONE,
	  FIELD(filesys, readonly),
	  "Whether each file system is mounted read-only", "1 if it is, 0 if it is not.", 0 },

	{ "tmpfs.capacity", 34, 1, U64, DISCRETE, &tmpfs_indom, AGENT_KBYTE,
	  FIELD(filesys, capacity),
	  "Size of each file system in memory", "What it may grow to.", 0 },
	{ "tmpfs.used", 34, 2, U64, INSTANT, &tmpfs_indom, AGENT_KBYTE, FIELD(filesys, used),
	  "Space in use in each file system in memory", NULL, 0 },
	{ "tmpfs.free", 34, 3, U64, INSTANT, &tmpfs_indom, AGENT_KBYTE, FIELD(filesys, free),
	  "Space free in each file system in memory", NULL, 0 },
	{ "tmpfs.maxfiles", 34, 4, U32, DISCRETE, &tmpfs_indom, AGENT_NONE,
	  FIELD(filesys, maxfiles),
	  "Inodes of each file system in memory", NULL, 0 },
	{ "tmpfs.usedfiles", 34, 5, U32, INSTANT, &tmpfs_indom, AGENT_NONE,
	  FIELD(filesys, usedfiles),
	  "Inodes in use in each file system in memory", NULL, 0 },
	{ "tmpfs.freefiles", 34, 6, U32, INSTANT, &tmpfs_indom, AGENT_NONE,
	  FIELD(filesys, freefiles),
	  "Inodes free in each file system in memory", NULL, 0 },
	{ "tmpfs.full", 34, 7, F64, INSTANT, &tmpfs_indom, AGENT_NONE, FIELD(filesys, full),
	  "How full each file system in memory is, in percent", NULL, 0 },
};
/* clang-format on */

/* The words of a line of /proc/mounts. */
enum { DEVICE, FOLDER, TYPE, OPTIONS, NWORDS };

struct mount {
	const char *word[NWORDS];
	size_t len[NWORDS];
};

static bool read_mount(struct scan *s, struct mount *m)
{
	for (int i = 0; i < NWORDS; i++)
		if (!scan_word(s, &m->word[i], &m->len[i]))
			return false;
	return true;
}

static bool word_is(const struct mount *m, int i, const char *text)
{
	return m->len[i] == strlen(text) && memcmp(m->word[i], text, m->len[i]) == 0;
}

static const struct agent_indom *mount_domain(const struct mount *m)
{
	if (word_is(m, TYPE, "tmpfs"))
		return &tmpfs_indom;
	if (word_is(m, DEVICE, "rootfs"))
		return &filesys_indom;
	if (m->len[DEVICE] < 4 || memcmp(m->word[DEVICE], "/dev", 4) != 0)
		return NULL;
	return word_is(m, TYPE, "squashfs") ? NULL : &filesys_indom;
}

/* "\040" is a blank: a backslash and three octal digits mean a byte. */
static size_t unescape(char *out, size_t size, const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		if (text[i] == '\\' && i + 3 < len && text[i + 1] >= '0' && text[i + 1] <= '3' &&
		    text[i + 2] >= '0' && text[i + 2] <= '7' && text[i + 3] >= '0' &&
		    text[i + 3] <= '7') {
			out[n++] = (char)((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
					  (text[i + 3] - '0'));
			i += 3;
		} else {
			out[n++] = text[i];
		}
	}
	out[n] = '\0';
	return n;
}

static bool has_option(const struct mount *m, const char *option)
{
	const char *at = m->word[OPTIONS];
	const char *end = at + m->len[OPTIONS];
	size_t len = strlen(option);

	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t n = (size_t)((comma != NULL ? comma : end) - at);

		if (n == len && memcmp(at, option, n) == 0)
			return true;
		at += n + 1;
	}
	return false;
}

static void fill_sizes(struct filesys *f, const struct statvfs *v)
{
	uint64_t unit = v->f_frsize != 0 ? v->f_frsize : v->f_bsize;

	f->capacity = v->f_blocks * unit / 1024;
	f->used = (v->f_blocks - v->f_bfree) * unit / 1024;
	f->free = v->f_bfree * unit / 1024;
	f->avail = v->f_bavail * unit / 1024;
	f->maxfiles = v->f_files;
	f->usedfiles = v->f_files - v->f_ffree;
	f->freefiles = v->f_ffree;
	f->blocksize = v->f_bsize;
	if (f->used + f->avail != 0)
		f->full = 100.0 * (double)f->used / (double)(f->used + f->avail);
}

static int read_filesys(struct agent_refresh *r, const struct agent_indom *indom,
			const struct mount *m)
{
	int key = indom == &tmpfs_indom ? FOLDER : DEVICE;
	struct filesys *f = agent_add(r, indom, m->word[key], m->len[key]);
	const char *root = agent_root(r);
	size_t root_len = strlen(root);
	char path[PATH_MAX + 1];
	struct statvfs v;
	size_t len;

	if (f == NULL)
		return -ENOMEM;
	if (root_len >= PATH_MAX / 2)
		return -ENAMETOOLONG;
	memcpy(path, root, root_len);
	len = unescape(path + root_len, sizeof(path) - root_len, m->word[FOLDER], m->len[FOLDER]);
	f->mountdir = agent_string(r, path + root_len, len);
	f->readonly = has_option(m, "ro");
	if (agent_may_hang_on(r, path) == 0 && statvfs(path, &v) == 0)
		fill_sizes(f, &v);
	return 0;
}

/*
 * Devices are often mounted in several places (bind mounts, containers): only the first counts, so
 * a set of the names seen is kept, of hashes: a collision would merely hide a mount.
 */
struct seen {
	uint64_t slot[4096];
	unsigned int n;
};

static bool seen_before(struct seen *seen, const char *name, size_t len)
{
	uint64_t h = 14695981039346656037u;
	unsigned int at;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 1099511628211u;
	h |= 1; /* 0 is free */
	for (at = (unsigned int)(h >> 40) % 4096; seen->slot[at] != 0; at = (at + 1) % 4096)
		if (seen->slot[at] == h)
			return true;
	if (seen->n < 4096 / 2) {
		seen->slot[at] = h;
		seen->n++;
	}
	return false;
}

static int filesys_refresh(struct agent_refresh *r, void *snapshot)
{
	struct filesys_all *all = snapshot;
	struct seen seen = {.n = 0};
	struct mount m;
	struct scan s;
	long n = agent_readf(r, &s.p, "proc/self/mounts");
	int status = 0;

	if (n == -ENOENT)
		n = agent_readf(r, &s.p, "proc/mounts");
	if (n < 0)
		return (int)n;
	all->nfilesys = 0;
	do {
		const struct agent_indom *indom;
		int key;

		if (!read_mount(&s, &m) || (indom = mount_domain(&m)) == NULL)
			continue;
		key = indom == &tmpfs_indom ? FOLDER : DEVICE;
		if (seen_before(&seen, m.word[key], m.len[key]))
			continue;
		status = read_filesys(r, indom, &m);
		all->nfilesys += indom == &filesys_indom;
	} while (status == 0 && scan_next_line(&s));
	return status;
}

const struct agent_cluster filesys_cluster = {
    .name = "filesys",
    .source = "/proc/mounts and statvfs(2)",
    .size = sizeof(struct filesys_all),
    .refresh = filesys_refresh,
    .metrics = filesys_metrics,
    .nmetrics = NROWS(filesys_metrics),
    .fills = {{&filesys_indom, sizeof(struct filesys), 1},
	      {&tmpfs_indom, sizeof(struct filesys), 1}},
    .wait_ms = 20,
    .may_hang = 1,
};

/* archive_compress - see archive_compress.h. */
#include "libstore/archive_compress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libstore/member.h"
#include "libstore/pack.h"
#include "libstore/store_name.h"

enum { CHUNK = 256 << 10 };

/* 0 if both members hold the same bytes; -EIO if not. */
static int compare_members(struct member *a, struct member *b)
{
	uint64_t size = member_size(a);
	size_t left;

	if (member_size(b) != size)
		return -EIO;
	for (uint64_t at = 0; at < size;) {
		size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		const uint8_t *p = member_at(a, at, n, &left), *q = member_at(b, at, n, &left);

		if (p == NULL || q == NULL || memcmp(p, q, n) != 0)
			return -EIO;
		at += n;
	}
	return 0;
}

static int compare_files(const char *plain, const char *packed)
{
	struct member *a, *b;
	int r = member_open(plain, &a);

	if (r != 0)
		return r;
	/* It was made of ours: however well it was compressed, there is a bound. */
	r = member_open_to(packed, member_size(a) + 1, &b);
	if (r == -EFBIG)
		r = -EIO;
	if (r == 0) {
		r = compare_members(a, b);
		member_close(b);
	}
	member_close(a);
	return r;
}

/* Copies the mode and the time of the last write: ages count from that time. */
static int take_over(int in, int out)
{
	struct timespec times[2];
	struct stat st;

	if (fstat(in, &st) < 0 || fchmod(out, st.st_mode & 07777) < 0)
		return -errno;
	if (fchown(out, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return -errno;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (futimens(out, times) < 0 || fsync(out) < 0)
		return -errno;
	return 0;
}

static int write_packed(const char *path, const char *tmp, enum archive_form form)
{
	AUTO_FD int in = open(path, O_RDONLY | O_CLOEXEC);
	AUTO_FD int out = -1;
	int r;

	if (in < 0)
		return -errno;
	if (unlink(tmp) < 0 && errno != ENOENT) /* of one that was killed */
		return -errno;
	out = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	r = pack_file(form, in, out);
	return r == 0 ? take_over(in, out) : r;
}

static int sync_folder(const char *path)
{
	AUTO_FD int fd = store_open_dir(path);

	if (fd < 0)
		return fd;
	return fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}

/* Until it is whole and compared, its name is PATH.new.xz, which is not the name of a member. */
static const struct names {
	const char *packed, *tmp;
} names[] = {
    [ARCHIVE_XZ] = {".xz", ".new.xz"},
    [ARCHIVE_ZST] = {".zst", ".new.zst"},
};

static int make_packed(const char *path, enum archive_form form)
{
	char tmp[PATH_MAX], packed[PATH_MAX];
	int r = store_name(tmp, path, names[form].tmp);

	if (r == 0)
		r = store_name(packed, path, names[form].packed);
	if (r != 0)
		return r;
	r = write_packed(path, tmp, form);
	if (r == 0)
		r = compare_files(path, tmp);
	if (r == 0)
		r = store_rename_new(tmp, packed);
	if (r != 0)
		unlink(tmp);
	return r;
}

/* Of a call that was killed before its last step, in whatever form. 1: there is none. */
static int compare_packed(const char *path)
{
	char packed[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int r = store_name(packed, path, names[i].packed);

		if (r != 0)
			return r;
		if (access(packed, F_OK) != 0)
			continue;
		r = compare_files(path, packed);
		return r == -EIO ? -EEXIST : r;
	}
	return 1;
}

/* Two compressors must not take each other's files for their own. Where a folder cannot be locked,
 * there is no such protection. */
static int lock(const char *path, int *ret_fd)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return -EBUSY;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int archive_compress(const char *path, enum archive_form form)
{
	AUTO_FD int held = -1;
	int r = lock(path, &held);

	if (r == 0)
		r = compare_packed(path);
	if (r == 1)
		r = make_packed(path, form);
	if (r == 0)
		r = sync_folder(path);
	if (r == 0 && unlink(path) < 0)
		r = -errno;
	return r;
}

void archive_compress_clean(const char *path)
{
	AUTO_FD int held = -1;
	char tmp[PATH_MAX];

	if (lock(path, &held) == -EBUSY)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (store_name(tmp, path, names[i].tmp) == 0)
			unlink(tmp);
	}
}

/* file - see file.h. */
#include "libbase/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

int file_read_full(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write_full(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

bool file_is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int file_read_all(const char *path, size_t max, struct buffer *b)
{
	enum { CHUNK = 4096 };
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t total = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		uint8_t *p = buffer_reserve(b, CHUNK);
		ssize_t n;

		if (p == NULL)
			return b->err;
		n = read(fd, p, b->cap - b->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		total += (size_t)n;
		if (total > max)
			return -EFBIG;
		buffer_commit(b, (size_t)n);
	}
}

int file_mkdirs(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strlen(path);
	struct stat st;

	if (len == 0 || len >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i <= len; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, mode) < 0 && errno != EEXIST) {
			/* A read-only parent that is there already answers EROFS or EACCES. */
			int err = errno;

			if (stat(part, &st) < 0 || !S_ISDIR(st.st_mode))
				return -err;
		}
		part[i] = path[i];
	}
	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static int remove_at(int dir_fd, const char *name)
{
	int fd, r = 0;
	struct dirent *e;
	DIR *d;

	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	d = fdopendir(fd);
	if (d == NULL) {
		r = -errno;
		close(fd);
		return r;
	}
	while (r == 0 && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = remove_at(fd, e->d_name);
	}
	closedir(d);
	if (r == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		r = -errno;
	return r;
}

int file_remove_tree(const char *path)
{
	return remove_at(AT_FDCWD, path);
}

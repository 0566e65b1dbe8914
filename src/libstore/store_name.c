/* store_name - see store_name.h. */
#include "libstore/store_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int store_name(char *ret_path, const char *base, const char *suffix)
{
	int n = snprintf(ret_path, PATH_MAX, "%s%s", base, suffix);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int store_name_volume(char *ret_path, const char *base, int volume)
{
	int n = snprintf(ret_path, PATH_MAX, "%s.%d", base, volume);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int store_rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* A file system that can't: a second name, then without the first. */
	if (link(from, to) < 0)
		return -errno;
	return unlink(from) < 0 ? -errno : 0;
}

int store_open_dir(const char *path)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash != NULL ? (size_t)(slash - path) : 0;
	int fd;

	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	if (slash == NULL)
		memcpy(dir, ".", 2);
	else if (len == 0)
		memcpy(dir, "/", 2);
	else {
		memcpy(dir, path, len);
		dir[len] = '\0';
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* member_unpack - see member_unpack.h. */
#include "libstore/member_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libbase/file.h"
#include "libstore/member.h"
#include "libstore/member_source.h"

/* For file systems that have no O_TMPFILE. */
static int open_and_unlink(const char *dir)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/archive-XXXXXX", dir);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int member_unpack_begin(struct member_unpack *unpack)
{
	const char *dir = getenv("PCP_TMPFILE_DIR");
	int fd;

	if (dir == NULL || dir[0] == '\0')
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = open_and_unlink(dir);
	if (fd < 0)
		fd = memfd_create("archive", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	*unpack = (struct member_unpack){fd, 0};
	return 0;
}

int member_unpack_add(struct member_unpack *unpack, const void *bytes, size_t len)
{
	if (len > MEMBER_UNPACKED_MAX - unpack->size)
		return -EFBIG;
	unpack->size += len;
	return file_write_full(unpack->fd, bytes, len);
}

int member_unpack_end(struct member_unpack *unpack, int r, struct member_source **ret_source)
{
	if (r < 0) {
		close(unpack->fd);
		return r;
	}
	return member_source_plain(unpack->fd, NULL, ret_source);
}

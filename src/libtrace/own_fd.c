/* own_fd - see own_fd.h. */
#include "libtrace/own_fd.h"

#include <sys/stat.h>
#include <unistd.h>

uint64_t host_fd_mark(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 0;
	return ((uint64_t)st.st_dev << 40 ^ st.st_ino << 1) | 1;
}

bool host_fd_is(int fd, uint64_t mark)
{
	return mark != 0 && host_fd_mark(fd) == mark;
}

void host_fd_close(int fd, uint64_t mark)
{
	if (host_fd_is(fd, mark))
		close(fd);
}

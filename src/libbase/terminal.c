/* terminal - see terminal.h. Static: the descriptor, of the thread that starts the daemon. */
#include "libbase/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"

enum { COPY_MAX = 1 << 20 /* bytes of a log that ends with the reason for not starting */ };

static int kept = -1;

void terminal_keep(void)
{
	if (isatty(STDERR_FILENO) == 1)
		kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

void terminal_release(void)
{
	if (kept >= 0)
		close(kept);
	kept = -1;
}

static int copy(const char *path, off_t from, int to)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char part[4096];

	if (fd < 0 || lseek(fd, from, SEEK_SET) < 0)
		return -errno;
	for (ssize_t n, left = COPY_MAX; left > 0; left -= n) {
		n = read(fd, part, sizeof(part));
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if (file_write_full(to, part, (size_t)n) < 0)
			return -EIO;
	}
	return 0;
}

int terminal_tell(const char *program, const char *log_path, off_t from)
{
	int r = -ENOTTY;

	if (kept < 0)
		return r;
	if (isatty(STDERR_FILENO) == 1) {
		r = 0; /* it was all said there */
	} else if (file_is_regular(log_path)) {
		dprintf(kept, "%s: not started. Its log \"%s\" says:\n", program, log_path);
		r = copy(log_path, from, kept);
	}
	terminal_release();
	return r;
}

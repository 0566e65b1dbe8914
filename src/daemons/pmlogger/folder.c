/* folder - see folder.h. */
#include "daemons/pmlogger/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"

/* Whose an archive is; false for one that is compressed, or no archive. */
static bool read_label(const char *base, struct log_label *ret_label, struct timespec *ret_changed)
{
	uint8_t head[LOG_LABEL_LEN_V3];
	char path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if ((size_t)snprintf(path, sizeof(path), "%s.meta", base) >= sizeof(path))
		return false;
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret_changed = st.st_mtim;
	n = read(fd, head, sizeof(head));
	return n > 0 && log_label_decode(head, (size_t)n, ret_label) == 0;
}

static bool is_alive(pid_t pid)
{
	return pid != getpid() && (kill(pid, 0) == 0 || errno != ESRCH);
}

bool folder_is_left(const char *base, const char *host, struct timespec *ret_changed)
{
	struct log_label label;

	return read_label(base, &label, ret_changed) && log_label_has_host(&label, host) &&
	       !is_alive(label.pid);
}

void folder_of(const char *base, char *ret_dir, unsigned int size)
{
	char *slash;

	snprintf(ret_dir, size, "%s", base);
	slash = strrchr(ret_dir, '/');
	if (slash != NULL)
		slash[slash == ret_dir] = '\0';
	else
		snprintf(ret_dir, size, ".");
}

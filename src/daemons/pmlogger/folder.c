/* folder - see folder.h. */
#include "daemons/pmlogger/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libbase/hostid.h"
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

static bool folder_is_alive(pid_t pid)
{
	return pid != getpid() && (kill(pid, 0) == 0 || errno != ESRCH);
}

bool folder_is_left(const char *base, const char *host, struct timespec *ret_changed)
{
	struct log_label label;

	return read_label(base, &label, ret_changed) && log_label_has_host(&label, host) &&
	       !folder_is_alive(label.pid);
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

/*
 * The folio: the file "Latest" of a folder of archives
 */

static const char folio_name[] = "Latest";

/* True for a folder, and what is in it. */
static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return len > 0 && strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* As it is called in this folder. */
static const char *in_folder(const char *base, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(base, dir, len) == 0 && base[len] == '/' ? base + len + 1 : base;
}

static int folio_put(const char *text, size_t len)
{
	char tmp[64];
	int r;

	snprintf(tmp, sizeof(tmp), ".%s.%d", folio_name, (int)getpid());
	unlink(tmp);
	AUTO_FD int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	r = file_write_full(fd, text, len);
	if (r == 0 && rename(tmp, folio_name) < 0)
		r = -errno;
	if (r < 0)
		unlink(tmp);
	return r;
}

int folio_write(const char *host, const char *base)
{
	const char *archives = pmGetOptionalConfig("PCP_ARCHIVE_DIR");
	char cwd[PATH_MAX], here[256], when[32], text[2 * PATH_MAX];
	time_t now = timing_now().tv_sec;
	int len;

	if (archives == NULL || getcwd(cwd, sizeof(cwd)) == NULL || !is_below(cwd, archives))
		return 0;
	hostid_name(here, sizeof(here));
	len = snprintf(text, sizeof(text),
		       "PCPFolio\nVersion: 1\n# use pmafm(1) to process this PCP archive folio\n#\n"
		       "Created: on %s at %sCreator: pmlogger\n"
		       "#               Host                    Basename\n"
		       "Archive:        %-23s %s\n",
		       here, ctime_r(&now, when), host, in_folder(base, cwd));
	return len < (int)sizeof(text) ? folio_put(text, (size_t)len) : -ENAMETOOLONG;
}

/* folio - see folio.h. */
#include "daemons/pmlogger/folio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libbase/hostid.h"

static const char name[] = "Latest";

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

static int put(const char *text, size_t len)
{
	char tmp[64];
	int r;

	snprintf(tmp, sizeof(tmp), ".%s.%d", name, (int)getpid());
	unlink(tmp);
	AUTO_FD int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	r = file_write_full(fd, text, len);
	if (r == 0 && rename(tmp, name) < 0)
		r = -errno;
	if (r < 0)
		unlink(tmp);
	return r;
}

int folio_write(const char *host, const char *base)
{
	const char *archives = pmGetOptionalConfig("PCP_ARCHIVE_DIR");
	char cwd[PATH_MAX], here[256], when[32], text[2 * PATH_MAX];
	time_t now = time(NULL);
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
	return len < (int)sizeof(text) ? put(text, (size_t)len) : -ENAMETOOLONG;
}

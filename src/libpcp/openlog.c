/*
 * openlog - a stream goes on in a log file: docs/spec/pmapi.md 22 (pmOpenLog).
 *
 * A log of before is unlinked, so that who still writes into it does not write into ours; what is
 * not a regular file is opened as it is. The last words at exit go to every log opened here.
 */
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

#define LOGS_MAX 8

/* Opened at the start of a daemon, by one thread. */
static FILE *logs[LOGS_MAX];
static int nlogs;

static void last_words(void)
{
	time_t now = time(NULL);
	char stamp[32];

	for (int i = 0; i < nlogs; i++) {
		fprintf(logs[i], "\nLog finished %s", ctime_r(&now, stamp));
		fflush(logs[i]);
	}
}

static void first_words(FILE *f, const char *progname)
{
	time_t now = time(NULL);
	char host[MAXHOSTNAMELEN] = "", stamp[32];

	gethostname(host, sizeof(host) - 1);
	fprintf(f, "Log for %s on %s started %s\n", progname, host, ctime_r(&now, stamp));
	fflush(f);
}

static int open_fresh(const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* The stream's descriptor becomes the file. */
static int redirect(FILE *f, const char *path)
{
	AUTO_FD int fd = open_fresh(path);

	if (fd < 0)
		return fd;
	fflush(f);
	return dup2(fd, fileno(f)) < 0 ? -errno : 0;
}

FILE *pmOpenLog(const char *progname, const char *path, FILE *old, int *status)
{
	char text[PM_MAXERRMSGLEN];
	int r = 0;

	if (strcmp(path, "-") != 0)
		r = redirect(old, path);
	*status = r >= 0;
	if (r < 0) {
		pmprintf("%s: cannot open log \"%s\" for writing : %s\n", progname, path,
			 pmErrStr_r(r, text, sizeof(text)));
		pmflush();
		return old;
	}
	setlinebuf(old);
	first_words(old, progname);
	if (nlogs == 0)
		atexit(last_words);
	if (nlogs < LOGS_MAX)
		logs[nlogs++] = old;
	return old;
}

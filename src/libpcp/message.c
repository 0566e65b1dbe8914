/*
 * message - the messages of a program: docs/spec/pmapi.md 22, 24.
 *
 * pmprintf collects text for the user, and pmflush shows it at once; one buffer for all threads,
 * under message_lock. pmNotifyErr writes a line of a daemon's log, pmOpenLog opens that log. The
 * name of the program is in front of both.
 */
#include "libpcp/message.h"

#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pcp/deprecated.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

/* ---- Messages to the user ------------------------------------------------------------------- */

/* A longer text gets a slider in the window. */
#define LINES_ON_SCREEN 24

extern char **environ;

static pthread_mutex_t message_lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer message;

int pmprintf(const char *fmt, ...)
{
	va_list ap;
	size_t before;
	int r;

	pthread_mutex_lock(&message_lock);
	before = message.len;
	va_start(ap, fmt);
	buffer_vprintf(&message, fmt, ap);
	va_end(ap);
	r = message.err < 0 ? message.err : (int)(message.len - before);
	pthread_mutex_unlock(&message_lock);
	return r;
}

static int show_on_stderr(const char *text)
{
	fputs(text, stderr);
	fflush(stderr);
	return 0;
}

static int show_in_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "ae");
	int r = 0;

	if (f == NULL) {
		r = -errno;
		fprintf(stderr, "pmflush: cannot append to file '%s' (from $PCP_STDERR): %s\n",
			path, strerror(-r));
		show_on_stderr(text);
		return r;
	}
	fputs(text, f);
	return fclose(f) == 0 ? 0 : -errno;
}

static int count_lines(const char *text)
{
	int n = 0;

	while ((text = strchr(text, '\n')) != NULL) {
		n++;
		text++;
	}
	return n;
}

/* Runs the program that shows a window, without a shell. */
static int show_in_window(char *text)
{
	char *prog = pmGetOptionalConfig("PCP_XCONFIRM_PROG");
	char *argv[] = {prog, "-t",    text,   "-c",      "-B",
			"OK", "-icon", "info", "-header", "PCP Information",
			NULL, NULL};
	pid_t pid;
	int status, r;

	if (prog == NULL)
		return show_on_stderr(text);
	if (count_lines(text) > LINES_ON_SCREEN)
		argv[10] = "-useslider";
	r = posix_spawn(&pid, prog, NULL, NULL, argv, environ);
	if (r != 0) {
		fprintf(stderr, "%s: %s\n", prog, strerror(r));
		show_on_stderr(text);
		return -r;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}

bool message_pending(void)
{
	bool pending;

	pthread_mutex_lock(&message_lock);
	pending = message.len > 0;
	pthread_mutex_unlock(&message_lock);
	return pending;
}

bool message_goes_to_terminal(void)
{
	const char *where = getenv("PCP_STDERR");

	return (where == NULL || *where == '\0') && isatty(STDERR_FILENO) == 1;
}

static int show(char *text)
{
	const char *where = getenv("PCP_STDERR");

	if (where == NULL || *where == '\0')
		return show_on_stderr(text);
	if (strcmp(where, "DISPLAY") == 0)
		return show_in_window(text);
	return show_in_file(where, text);
}

int pmflush(void)
{
	struct buffer taken;
	int r = 0;

	pthread_mutex_lock(&message_lock);
	taken = message;
	message = BUFFER_INIT;
	pthread_mutex_unlock(&message_lock);
	if (taken.len > 0)
		r = show((char *)buffer_str(&taken));
	buffer_done(&taken);
	return r;
}

/* ---- Lines of a daemon's log ---------------------------------------------------------------- */

/* "Fri Nov 20 15:36:08", out of what ctime gives. */
#define STAMP_LEN 19

static const char *const level_names[] = {
    [LOG_EMERG] = "Emergency", [LOG_ALERT] = "Alert",     [LOG_CRIT] = "Critical",
    [LOG_ERR] = "Error",       [LOG_WARNING] = "Warning", [LOG_NOTICE] = "Notice",
    [LOG_INFO] = "Info",       [LOG_DEBUG] = "Debug",
};

static atomic_bool to_syslog;

void pmSyslog(int on)
{
	to_syslog = on != 0;
	if (on)
		openlog("pcp", LOG_PID, LOG_DAEMON);
	else
		closelog();
}

/* One line, not mixed with lines of other threads. */
static void write_line(int level, const char *fmt, va_list ap)
{
	bool known = level >= 0 && level < (int)ARRAY_SIZE(level_names);
	size_t len = strlen(fmt);
	time_t now = time(NULL);
	char stamp[32];

	flockfile(stderr);
	fprintf(stderr, "[%.*s] %s(%d) %s: ", STAMP_LEN, ctime_r(&now, stamp), pmGetProgname(),
		(int)getpid(), known ? level_names[level] : "???");
	vfprintf(stderr, fmt, ap);
	if (len == 0 || fmt[len - 1] != '\n')
		putc('\n', stderr);
	fflush(stderr);
	funlockfile(stderr);
}

void pmNotifyErr(int level, const char *fmt, ...)
{
	va_list ap;

	if (to_syslog) {
		va_start(ap, fmt);
		vsyslog(level, fmt, ap);
		va_end(ap);
	}
	va_start(ap, fmt);
	write_line(level, fmt, ap);
	va_end(ap);
}

void pmNoMem(const char *where, size_t size, int fatal)
{
	char text[PM_MAXERRMSGLEN];

	pmErrStr_r(-errno, text, sizeof(text));
	pmNotifyErr(fatal == PM_FATAL_ERR ? LOG_ERR : LOG_WARNING, "%s: malloc(%zu) failed: %s",
		    where, size, text);
	if (fatal == PM_FATAL_ERR)
		exit(1);
}

/* ---- A stream that becomes a log file ------------------------------------------------------- */

#define LOGS_MAX 8

/* Opened at the start of a daemon, by one thread. */
static FILE *open_logs[LOGS_MAX];
static int nopen_logs;

/* At exit, in every log that was opened here. */
static void last_words(void)
{
	time_t now = time(NULL);
	char stamp[32];

	for (int i = 0; i < nopen_logs; i++) {
		fprintf(open_logs[i], "\nLog finished %s", ctime_r(&now, stamp));
		fflush(open_logs[i]);
	}
}

static bool is_open_log(const FILE *f)
{
	for (int i = 0; i < nopen_logs; i++) {
		if (open_logs[i] == f)
			return true;
	}
	return false;
}

static void first_words(FILE *f, const char *progname, const char *event)
{
	time_t now = time(NULL);
	char host[MAXHOSTNAMELEN] = "", stamp[32];

	gethostname(host, sizeof(host) - 1);
	fprintf(f, "Log for %s on %s %s %s\n", progname, host, event, ctime_r(&now, stamp));
	fflush(f);
}

/* An old log is unlinked, so that a program that still writes into it does not write into ours; a
 * file that is not regular is opened as it is. */
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

FILE *message_open_log(const char *progname, const char *path, FILE *old, const char *event,
		       int *status)
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
	first_words(old, progname, event);
	if (nopen_logs == 0)
		atexit(last_words);
	if (!is_open_log(old) && nopen_logs < LOGS_MAX)
		open_logs[nopen_logs++] = old;
	return old;
}

FILE *pmOpenLog(const char *progname, const char *path, FILE *old, int *status)
{
	return message_open_log(progname, path, old, "started", status);
}

/* ---- The name of the program ---------------------------------------------------------------- */

/* Set once at the start, by one thread. */
static char default_progname[] = "pcp";
char *pmProgname = default_progname;

void pmSetProgname(const char *path)
{
	char *slash;

	if (path == NULL) {
		pmProgname = default_progname;
		return;
	}
	slash = strrchr(path, '/');
	pmProgname = slash != NULL ? slash + 1 : (char *)path;
}

int __pmSetProgname(const char *path)
{
	pmSetProgname(path);
	return 0;
}

char *pmGetProgname(void)
{
	return pmProgname;
}

/* PM_STATE_*. Set by pmdaDaemon before the program has other threads. */
static int program_state = PM_STATE_APPL;

void __pmSetInternalState(int state)
{
	program_state = state;
}

bool message_program_is_agent(void)
{
	return program_state == PM_STATE_PMCS;
}

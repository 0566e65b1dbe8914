/*
 * message - what a program has to say to its user, collected and then shown at once:
 * docs/spec/pmapi.md 22 (pmprintf, pmflush).
 *
 * One buffer for all threads, under message_lock.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/wait.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libpcp/message.h"

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

/* By the program that asks the user; no shell between us and it. */
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

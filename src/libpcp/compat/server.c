/*
 * server - functions that PCP's daemons and bindings need beside metrics: a process of its own,
 * files and folders, programs that they start.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <time.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libpcp/compat/compat.h"
#include "libpcp/message.h"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

/* ---- The process ---------------------------------------------------------------------------- */

void __pmServerStart(int argc, char **argv, int flags)
{
	pid_t child;

	(void)argc;
	(void)argv;
	fflush(stdout);
	fflush(stderr);
	child = fork();
	if (child < 0) {
		pmNotifyErr(LOG_ERR, "__pmServerStart: fork failed: %s", strerror(errno));
		exit(1);
	}
	if (child > 0)
		_exit(0);
	setsid();
	if (flags != 0)
		close(STDIN_FILENO);
}

int __pmServerCreatePIDFile(const char *name, int verbose)
{
	struct buffer path = BUFFER_INIT;
	AUTO_FD int fd = -1;
	char text[32];
	int r;

	buffer_printf(&path, "%s/%s.pid", pmGetConfig("PCP_RUN_DIR"), name);
	unlink(buffer_str(&path));
	fd = open(buffer_str(&path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
	if (fd < 0) {
		r = -errno;
		if (verbose)
			fprintf(stderr, "Error: cannot open PID file %s\n", buffer_str(&path));
	} else {
		r = file_write_full(fd, text,
				    (size_t)pmsprintf(text, sizeof(text), "%d", (int)getpid()));
	}
	buffer_done(&path);
	return r < 0 ? r : 0;
}

FILE *__pmRotateLog(const char *progname, const char *path, FILE *old, int *status)
{
	time_t now = time(NULL);
	char stamp[32];

	fprintf(old, "\nLog rotated %s", ctime_r(&now, stamp));
	fflush(old);
	return message_open_log(progname, path, old, "rotated", status);
}

enum { FRAMES = 30 };

void __pmDumpStack(void)
{
#if __has_include(<execinfo.h>)
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);

	fprintf(stderr, "Procedure call traceback ...\n");
	fflush(stderr);
	backtrace_symbols_fd(frames, n, STDERR_FILENO);
#endif
}

/* ---- Files and programs --------------------------------------------------------------------- */

int __pmMakePath(const char *path, mode_t mode)
{
	int r = file_mkdirs(path, mode);

	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}

pid_t __pmProcessCreate(char **argv, int *to, int *from)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2], r;
	pid_t pid = -1;

	if (pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0) {
		r = -errno;
		close(in[0]);
		close(in[1]);
		return r;
	}
	posix_spawn_file_actions_init(&actions);
	r = posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (r == 0)
		r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	if (r != 0) {
		close(in[1]);
		close(out[0]);
		return -r;
	}
	*to = in[1];
	*from = out[0];
	return pid;
}

char *__pmGetClientId(int argc, char **argv)
{
	struct buffer text = BUFFER_INIT;
	char *copy;

	for (int i = 0; i < argc; i++)
		buffer_printf(&text, "%s%s", i > 0 ? " " : "", argv[i]);
	copy = text.err == 0 ? strdup(buffer_str(&text)) : NULL;
	buffer_done(&text);
	return copy;
}

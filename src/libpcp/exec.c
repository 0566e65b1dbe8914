/*
 * exec - programs that agents run, without a shell: docs/spec/pmapi.md 24.
 */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

enum {
	EXEC_ARGS_MAX = 10000,
	EXEC_SIGNAL = 1000, /* what a signal's number is added to */
};

extern char **environ;

struct __pmExecCtl {
	int argc;
	char **argv; /* ends with NULL */
};

static void line_free(__pmExecCtl_t **line)
{
	if (*line == NULL)
		return;
	for (int i = 0; i < (*line)->argc; i++)
		free((*line)->argv[i]);
	free((*line)->argv);
	free(*line);
	*line = NULL;
}

static int line_add(__pmExecCtl_t *line, const char *arg, size_t len)
{
	char **argv;

	if (line->argc >= EXEC_ARGS_MAX)
		return -E2BIG;
	argv = realloc(line->argv, ((size_t)line->argc + 2) * sizeof(argv[0]));
	if (argv == NULL)
		return -ENOMEM;
	line->argv = argv;
	argv[line->argc] = strndup(arg, len);
	if (argv[line->argc] == NULL)
		return -ENOMEM;
	argv[++line->argc] = NULL;
	return 0;
}

static int add(__pmExecCtl_t **line, const char *arg, size_t len)
{
	int r = -ENOMEM;

	if (*line == NULL)
		*line = calloc(1, sizeof(**line));
	if (*line != NULL)
		r = line_add(*line, arg, len);
	if (r < 0)
		line_free(line);
	return r;
}

int __pmProcessAddArg(__pmExecCtl_t **line, const char *arg)
{
	return add(line, arg, strlen(arg));
}

int __pmProcessUnpickArgs(__pmExecCtl_t **line, const char *text)
{
	const char *at = text;
	int r = 0;

	for (;;) {
		char end = ' ';
		size_t len;

		while (isspace((unsigned char)*at))
			at++;
		if (*at == '\0' || r < 0)
			return r;
		if (*at == '"' || *at == '\'')
			end = *at++;
		len = strcspn(at, (char[]){end, '\0'});
		if (end != ' ' && at[len] == '\0') {
			pmNotifyErr(LOG_WARNING, "a quote (%c) is not closed in command: %s", end,
				    text);
			line_free(line);
			return PM_ERR_GENERIC;
		}
		r = add(line, at, len);
		at += len + (at[len] != '\0');
	}
}

/*
 * Programs at the other end of a pipe
 */

struct program {
	struct program *next;
	FILE *f;
	pid_t pid;
};

static struct program *programs;
static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;

static void programs_add(struct program *p)
{
	pthread_mutex_lock(&programs_lock);
	p->next = programs;
	programs = p;
	pthread_mutex_unlock(&programs_lock);
}

/* Takes the program of a stream off the list. NULL: it has none. */
static struct program *programs_take(const FILE *f)
{
	struct program **at = &programs;
	struct program *p;

	pthread_mutex_lock(&programs_lock);
	while (*at != NULL && (*at)->f != f)
		at = &(*at)->next;
	p = *at;
	if (p != NULL)
		*at = p->next;
	pthread_mutex_unlock(&programs_lock);
	return p;
}

/* Connects the three streams: end is the program's end of the pipe, for stream fd. */
static int actions_fill(posix_spawn_file_actions_t *actions, int end, int fd, int toss)
{
	int r = 0;

	for (int i = 0; r == 0 && i <= STDERR_FILENO; i++) {
		if (i == fd)
			r = posix_spawn_file_actions_adddup2(actions, end, fd);
		else if (toss & 1 << i)
			r = posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
	}
	return -r;
}

/* Starts the program, with no signal held back from it. Its pid, or -errno. */
static int spawn(char **argv, int end, int fd, int toss)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid = 0;
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	r = actions_fill(&actions, end, fd, toss);
	if (r == 0)
		r = -posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r < 0 ? r : (int)pid;
}

static int pipe_start(char **argv, bool reads, int toss, FILE **ret_f)
{
	AUTO_FREE struct program *p = calloc(1, sizeof(*p));
	AUTO_FD int ours = -1;
	AUTO_FD int theirs = -1;
	int fds[2];

	if (p == NULL)
		return -ENOMEM;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	ours = fds[reads ? 0 : 1];
	theirs = fds[reads ? 1 : 0];
	p->f = fdopen(ours, reads ? "r" : "w");
	if (p->f == NULL)
		return -errno;
	ours = -1; /* the stream's now */
	p->pid = spawn(argv, theirs, reads ? STDOUT_FILENO : STDIN_FILENO, toss);
	if (p->pid < 0) {
		fclose(p->f);
		return p->pid;
	}
	*ret_f = p->f;
	programs_add(TAKE(p));
	return 0;
}

int __pmProcessPipe(__pmExecCtl_t **line, const char *mode, int toss, FILE **f)
{
	int r = -EINVAL;

	if (*line == NULL)
		return PM_ERR_TOOSMALL;
	if (strcmp(mode, "r") == 0 || strcmp(mode, "w") == 0)
		r = pipe_start((*line)->argv, mode[0] == 'r', toss, f);
	line_free(line);
	return r;
}

int __pmProcessPipeClose(FILE *f)
{
	AUTO_FREE struct program *p = programs_take(f);
	int status = 0;
	pid_t pid;

	if (p == NULL)
		return -EINVAL;
	fclose(f);
	do {
		pid = waitpid(p->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return -errno;
	return WIFSIGNALED(status) ? EXEC_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

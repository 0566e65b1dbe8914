/*
 * process - this process and its machine, as the system describes them (docs/spec/pmapi.md 1.1, 23,
 * 24); files that it maps into memory; programs that it runs, without a shell.
 */
#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

#define MACHINE_ID_FILE "/etc/machine-id"
#define DEFAULT_USER    "pcp"

int getmachineid(char *buf, size_t buflen)
{
	char word[MAXMACHINEIDLEN + 1];
	FILE *f = fopen(MACHINE_ID_FILE, "re");
	int n;

	if (f == NULL)
		return -ENOTSUP;
	n = fscanf(f, "%256s", word);
	fclose(f);
	return n == 1 ? pmsprintf(buf, buflen, "%s", word) : -EINVAL;
}

int pmGetUsername(char **name)
{
	static char fallback[] = DEFAULT_USER;
	char *user = pmGetOptionalConfig("PCP_USER");

	if (user != NULL && *user != '\0') {
		*name = user;
		return 1;
	}
	*name = fallback;
	return 0;
}

/* Logs the reason and ends the program, which must not go on with the rights that it has. */
static void die_without_rights(const char *what, const char *username)
{
	char text[PM_MAXERRMSGLEN];

	pmNotifyErr(LOG_CRIT, "%s for user %s: %s", what, username,
		    pmErrStr_r(-errno, text, sizeof(text)));
	exit(1);
}

int pmSetProcessIdentity(const char *username)
{
	struct passwd pw, *found = NULL;
	char space[16384];
	int r = getpwnam_r(username, &pw, space, sizeof(space), &found);

	if (found == NULL) {
		errno = r != 0 ? r : ENOENT;
		die_without_rights("cannot find the passwd entry", username);
	}
	/* A process that has this user already may not change its groups, and need not (as
	 * 6.0.3). */
	if (getuid() == pw.pw_uid && geteuid() == pw.pw_uid && getgid() == pw.pw_gid &&
	    getegid() == pw.pw_gid && pw.pw_uid != 0)
		return 0;
	if (setgid(pw.pw_gid) < 0)
		die_without_rights("setgid failed", username);
	if (initgroups(username, pw.pw_gid) < 0)
		die_without_rights("initgroups failed", username);
	if (setuid(pw.pw_uid) < 0)
		die_without_rights("setuid failed", username);
	return 0;
}

int __pmSetSignalHandler(int signal, __pmSignalHandler handler)
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	return sigaction(signal, &action, NULL) < 0 ? -errno : 0;
}

int __pmProcessExists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

int __pmProcessDataSize(unsigned long *kbytes)
{
	unsigned long size, resident, shared, text, lib, data;
	FILE *f = fopen("/proc/self/statm", "re");
	int n;

	if (f == NULL)
		return -errno;
	n = fscanf(f, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &lib, &data);
	fclose(f);
	if (n != 6)
		return -EINVAL;
	if (kbytes != NULL) /* agents begin with a call that asks for nothing */
		*kbytes = data * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
	return 0;
}

int __pmProcessRunTimes(double *user, double *system)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return -errno;
	*user = pmtimevalToReal(&usage.ru_utime);
	*system = pmtimevalToReal(&usage.ru_stime);
	return 0;
}

/* ---- Files in memory ------------------------------------------------------------------------ */

void *__pmMemoryMap(int fd, size_t size, int writable)
{
	int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *memory = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void __pmMemoryUnmap(void *memory, size_t size)
{
	munmap(memory, size);
}

/* ---- Programs ------------------------------------------------------------------------------- */

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

static int exec_add(__pmExecCtl_t **line, const char *arg, size_t len)
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
	return exec_add(line, arg, strlen(arg));
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
		r = exec_add(line, at, len);
		at += len + (at[len] != '\0');
	}
}

/* ---- Programs at the other end of a pipe ---------------------------------------------------- */

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

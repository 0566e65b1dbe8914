/*
 * target - the process that is traced: a running one, or a command that is started and held.
 */
#include "tools/pitot/trace/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"

enum {
	LOOK_MS = 200,      /* milliseconds between two checks of a process if there is no pidfd */
	PATIENCE_MS = 5000, /* for a command that received a signal to end */
	PATIENCE_STEP_MS = 100,
};

/* From here on signals are blocked and read. Returns 0, or -1 after a message. */
static int target_init(struct trace_target *t, const char *command)
{
	const sigset_t set = child_parent_signals();

	*t = (struct trace_target){.pidfd = -1, .gate = -1, .report = -1, .signals = -1};
	signal(SIGCHLD, SIG_DFL); /* ignoring it would discard the status of children */
	t->sigpipe = signal(SIGPIPE, SIG_IGN); /* being killed by it would leave remains */
	sigprocmask(SIG_BLOCK, &set, &t->mask);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (t->signals < 0) {
		pitot_complain("trace %s: signalfd: %s", command, strerror(errno));
		return -1;
	}
	return 0;
}

int trace_target_attach(struct trace_target *t, const char *command, const char *pid)
{
	long value;

	if (target_init(t, command) < 0 || options_integer("pid", pid, INT32_MAX, &value) < 0)
		return -1;
	t->pid = (pid_t)value;
	if (value == 0 || (kill(t->pid, 0) < 0 && errno == ESRCH)) {
		pitot_complain("trace %s: --pid %s: there is no such process", command, pid);
		return -1;
	}
	t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	return 0;
}

static int try_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	return S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : EACCES;
}

/* Searches in the way of execvp(). Returns 0 or an error number. */
static int find_program(const char *name)
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	if (strchr(name, '/') != NULL)
		return try_program(name);
	path = path != NULL ? path : "/bin:/usr/bin";
	for (bool more = name[0] != '\0'; more && error != 0;) {
		const size_t n = strcspn(path, ":");
		char full[PATH_MAX];

		if (snprintf(full, sizeof(full), "%.*s%s%s", (int)n, path, n > 0 ? "/" : "", name) <
		    (int)sizeof(full)) {
			int tried = try_program(full);

			error = tried == 0 || tried == EACCES ? tried : error;
		}
		more = path[n] == ':';
		path += n + more;
	}
	return error;
}

static int complain_cannot_run(const char *command, const char *name, int error)
{
	pitot_complain("trace %s: cannot run the command: %s: %s", command, name, strerror(error));
	return error == ENOENT ? 127 : 126;
}

int trace_target_find(const char *command, const char *name)
{
	int error = find_program(name);

	return error == 0 ? 0 : complain_cannot_run(command, name, error);
}

/* Runs in the child: restores the signals, then waits until the gate opens. */
static void run_held(int gate, int report, const struct trace_target *t, char *const argv[])
{
	int error;
	char c;

	if (read(gate, &c, 1) != 1)
		_exit(126); /* the tracer has ended */
	signal(SIGPIPE, t->sigpipe);
	sigprocmask(SIG_SETMASK, &t->mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(125);
	_exit(126);
}

int trace_target_spawn(struct trace_target *t, const char *command, char *const argv[], bool family)
{
	int gate[2] = {-1, -1}, report[2] = {-1, -1};

	if (target_init(t, command) < 0)
		return -1;
	t->family = family && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
	t->word = command;
	if (pipe2(gate, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0)
		t->pid = fork();
	else
		t->pid = -1;
	if (t->pid == 0) {
		close(gate[1]);
		run_held(gate[0], report[1], t, argv);
	}
	t->gate = gate[1];
	t->report = report[0];
	if (t->pid < 0)
		pitot_complain("trace %s: cannot start %s: %s", command, argv[0], strerror(errno));
	close(gate[0]);
	close(report[1]);
	t->child = t->pid > 0;
	return t->child ? 0 : -1;
}

int trace_target_release(struct trace_target *t, const char *command, const char *name)
{
	int error = 0;

	if (write(t->gate, "", 1) != 1)
		return 126;
	close(t->gate);
	t->gate = -1;
	if (read(t->report, &error, sizeof(error)) != sizeof(error))
		return 0;
	return complain_cannot_run(command, name, error);
}

/* Reads the status of each descendant that ended; this process is the parent of orphaned ones. */
static void look_at_family(struct trace_target *t)
{
	bool before = t->command_ended;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != t->pid)
			continue;
		t->status = status;
		t->command_ended = true;
	}
	t->ended = t->command_ended && pid < 0;
	if (t->command_ended && !before && !t->ended)
		pitot_complain("trace %s: the command has ended, processes that it started go on: "
			       "Ctrl-C stops the recording",
			       t->word);
}

static void target_look(struct trace_target *t)
{
	struct pollfd fd = {.fd = t->pidfd, .events = POLLIN};

	if (t->ended)
		return;
	if (t->child && t->family)
		look_at_family(t);
	else if (t->child)
		t->ended = waitpid(t->pid, &t->status, WNOHANG) == t->pid;
	else if (t->pidfd >= 0)
		t->ended = poll(&fd, 1, 0) > 0;
	else
		t->ended = kill(t->pid, 0) < 0 && errno == ESRCH;
}

/* True if a signal to stop has arrived. */
static bool read_signals(struct trace_target *t)
{
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(t->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		t->signal = (int)info.ssi_signo;
		t->from_terminal = info.ssi_code == SI_KERNEL;
		stop = true;
	}
	return stop;
}

enum trace_event_kind trace_target_wait(struct trace_target *t, int timeout_ms)
{
	struct pollfd fds[] = {
	    {.fd = t->signals, .events = POLLIN},
	    {.fd = t->pidfd, .events = POLLIN},
	};
	bool blind = !t->child && t->pidfd < 0;

	target_look(t);
	if (!t->ended)
		poll(fds, 2, blind && timeout_ms > LOOK_MS ? LOOK_MS : timeout_ms);
	if (read_signals(t))
		return TRACE_WAIT_SIGNAL;
	target_look(t);
	return t->ended ? TRACE_WAIT_ENDED : TRACE_WAIT_TIMEOUT;
}

void trace_target_forward(const struct trace_target *t)
{
	if (t->child && !t->ended && !t->command_ended && !t->from_terminal)
		kill(t->pid, t->signal);
}

/* In a family: the command itself. */
static bool has_ended(const struct trace_target *t)
{
	return t->ended || t->command_ended;
}

void trace_target_leave(struct trace_target *t, const char *command)
{
	for (int left = PATIENCE_MS; !has_ended(t) && left > 0; left -= PATIENCE_STEP_MS) {
		if (trace_target_wait(t, PATIENCE_STEP_MS) == TRACE_WAIT_SIGNAL)
			break;
	}
	if (!has_ended(t))
		pitot_complain("trace %s: process %d goes on without being recorded", command,
			       (int)t->pid);
	else if (!t->ended)
		pitot_complain(
		    "trace %s: processes that the command started go on without being recorded",
		    command);
}

int trace_target_exit_status(const struct trace_target *t)
{
	if (!t->child)
		return PITOT_OK;
	if (!has_ended(t))
		return 128 + t->signal;
	return WIFSIGNALED(t->status) ? 128 + WTERMSIG(t->status) : WEXITSTATUS(t->status);
}

void trace_target_done(struct trace_target *t)
{
	const int fds[] = {t->gate, t->report, t->pidfd, t->signals};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (t->child && !t->ended && t->gate >= 0)
		waitpid(t->pid, &t->status, 0);
}

/*
 * process - processes of this host: as the kernel describes them, owners of ports, and children.
 */
#include "tools/pitot/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Processes
 */

void process_init(struct process *p)
{
	*p = (struct process){.uid = -1,
			      .start_ms = -1,
			      .rss_kb = -1,
			      .pss_kb = -1,
			      .cpu_us = -1,
			      .cpu_percent = NAN,
			      .fds = -1,
			      .fds_limit = -1};
}

/* Reads a file of the process as a string. Returns false if it cannot be read. */
static bool slurp(pid_t pid, const char *file, char *text, size_t size)
{
	char path[320];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* The number that follows a word at the beginning of a line, or -1. */
static int64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at != NULL ? strtoll(at + strlen(word), NULL, 10) : -1;
}

/* The text after the name, which may hold any bytes: state is the first field, utime the 12th. */
static bool read_stat(struct process *p)
{
	const int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);
	unsigned long long user, system, start;
	char text[1024], *begin, *end, state;

	if (!slurp(p->pid, "stat", text, sizeof(text)))
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (begin == NULL || end == NULL)
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(end - begin - 1), begin + 1);
	if (sscanf(end + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s "
		   "%*s %llu",
		   &state, &user, &system, &start) != 4)
		return false;
	p->stopped = state == 'T' || state == 't';
	p->cpu_us = (int64_t)(user + system) * tick_ms * 1000;
	p->start_ms = (int64_t)start * tick_ms;
	return true;
}

/*
 * The first number is the nanoseconds on a processor: more precise than ticks, if the kernel has
 * it.
 */
static void read_schedule(struct process *p)
{
	char path[64], line[128];
	unsigned long long ns, sum = 0;
	struct dirent *e;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	tasks = opendir(path);
	if (tasks == NULL)
		return;
	while ((e = readdir(tasks)) != NULL) {
		char file[300];

		snprintf(file, sizeof(file), "task/%s/schedstat", e->d_name);
		if (e->d_name[0] != '.' && slurp(p->pid, file, line, sizeof(line)) &&
		    sscanf(line, "%llu", &ns) == 1)
			sum += ns;
	}
	closedir(tasks);
	/* Threads that have ended are counted only in the ticks. */
	if ((int64_t)(sum / 1000) > p->cpu_us - 20000 && sum > 0)
		p->cpu_us = (int64_t)(sum / 1000);
}

static int64_t count_fds(pid_t pid)
{
	const struct dirent *e;
	int64_t n = 0;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	if (d == NULL)
		return -1;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

bool process_read(pid_t pid, struct process *ret_process)
{
	struct process p;
	char text[4096], path[64];
	struct stat st;
	ssize_t n;

	process_init(&p);
	p.pid = pid;
	if (pid <= 0 || !read_stat(&p))
		return false;
	read_schedule(&p);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == 0)
		p.uid = st.st_uid;
	if (slurp(pid, "status", text, sizeof(text)))
		p.rss_kb = number_after(text, "\nVmRSS:");
	if (slurp(pid, "smaps_rollup", text, sizeof(text)))
		p.pss_kb = number_after(text, "\nPss:");
	if (slurp(pid, "limits", text, sizeof(text)))
		p.fds_limit = number_after(text, "\nMax open files");
	p.fds = count_fds(pid);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	p.program_gone = strstr(text, " (deleted)") != NULL;
	*ret_process = p;
	return true;
}

/*
 * Owners of ports
 */

enum { TCP_LISTEN_STATE = 0x0a };

/* Finds a listening socket of the port. Returns its inode, or 0. */
static unsigned long find_inode(const char *table, int port, int64_t *ret_uid)
{
	FILE *f = fopen(table, "re");
	unsigned long inode = 0;
	char line[512];

	if (f == NULL)
		return 0;
	while (inode == 0 && fgets(line, sizeof(line), f) != NULL) {
		unsigned int local, state;
		unsigned long uid, found;

		/* sl local remote state queues timer retransmits uid timeout inode */
		if (sscanf(line, " %*[^:]: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %lu %*s %lu", &local,
			   &state, &uid, &found) == 4 &&
		    (int)local == port && state == TCP_LISTEN_STATE) {
			inode = found;
			*ret_uid = (int64_t)uid;
		}
	}
	fclose(f);
	return inode;
}

static bool has_socket(const char *pid, const char *link)
{
	char path[300], target[64];
	const struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	if (d == NULL)
		return false;
	while (!found && (e = readdir(d)) != NULL) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, link) == 0;
	}
	closedir(d);
	return found;
}

static pid_t find_process(unsigned long inode)
{
	const struct dirent *e;
	char link[40];
	pid_t pid = 0;
	DIR *d = opendir("/proc");

	if (d == NULL)
		return 0;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	while (pid == 0 && (e = readdir(d)) != NULL) {
		if (isdigit((unsigned char)e->d_name[0]) && has_socket(e->d_name, link))
			pid = atoi(e->d_name);
	}
	closedir(d);
	return pid;
}

void portowner_find(int port, struct portowner *ret_owner)
{
	struct portowner o = {.port = port, .uid = -1};
	unsigned long inode = find_inode("/proc/net/tcp", port, &o.uid);
	struct process p;

	if (inode == 0)
		inode = find_inode("/proc/net/tcp6", port, &o.uid);
	o.taken = inode != 0;
	if (o.taken)
		o.pid = find_process(inode);
	if (o.pid > 0 && process_read(o.pid, &p))
		snprintf(o.name, sizeof(o.name), "%s", p.name);
	*ret_owner = o;
}

const char *user_name(int64_t uid, char *text, size_t size)
{
	const struct passwd *pw = uid >= 0 ? getpwuid((uid_t)uid) : NULL;

	if (pw != NULL)
		snprintf(text, size, "%s", pw->pw_name);
	else
		snprintf(text, size, "user %lld", (long long)uid);
	return text;
}

const char *portowner_text(const struct portowner *o, char *text, size_t size)
{
	char user[64];

	user_name(o->uid, user, sizeof(user));
	if (o->pid > 0)
		snprintf(text, size, "process %d (%s) of %s", (int)o->pid, o->name, user);
	else
		snprintf(text, size, "a process of %s", user);
	return text;
}

/*
 * Children
 */

/* Runs in the child: executes argv, or writes errno to the pipe, which a successful exec closes. */
static void child_exec(char *const argv[], const char *user, uid_t uid, gid_t gid, pid_t parent,
		       int report)
{
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (uid != (uid_t)-1 && (setgid(gid) < 0 || initgroups(user, gid) < 0 || setuid(uid) < 0))
		goto fail;
	/*
	 * a change of user clears the setting, so it is made afterwards; the parent may have ended
	 * before
	 */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	setpgid(0, 0); /* the parent handles an interrupt from the terminal */
	execv(argv[0], argv);
fail:
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *c, char *const argv[], const char *user, uid_t uid, gid_t gid)
{
	pid_t parent = getpid();
	int report[2];
	int err = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		child_exec(argv, user, uid, gid, parent, report[1]);
	close(report[1]);
	if (pid < 0) {
		err = errno;
		close(report[0]);
		return -err;
	}
	do {
		n = read(report[0], &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == (ssize_t)sizeof(err)) {
		waitpid(pid, NULL, 0);
		return -err;
	}
	c->pid = pid;
	c->status = 0;
	return 0;
}

sigset_t child_parent_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return set;
}

bool child_ended(struct child *c)
{
	if (c->pid == 0)
		return true;
	if (waitpid(c->pid, &c->status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void child_stop(struct child *c, int patience_ms)
{
	const struct timespec step = {.tv_nsec = 5 * 1000 * 1000};

	if (child_ended(c))
		return;
	kill(c->pid, SIGTERM);
	for (int waited = 0; waited < patience_ms; waited += 5) {
		if (child_ended(c))
			return;
		nanosleep(&step, NULL);
	}
	kill(c->pid, SIGKILL);
	waitpid(c->pid, &c->status, 0);
	c->pid = 0;
}

const char *child_status_text(const struct child *c, char *text, size_t size)
{
	if (WIFSIGNALED(c->status))
		snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(c->status),
			 strsignal(WTERMSIG(c->status)));
	else
		snprintf(text, size, "exited with status %d", WEXITSTATUS(c->status));
	return text;
}

/*
 * Standard error of a child
 */

static int64_t process_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void child(char *const argv[], int (*function)(const void *arg), const void *arg, int out)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (argv == NULL) {
		int status = function(arg);

		fflush(stderr);
		_exit(status);
	}
	execv(argv[0], argv);
	_exit(127);
}

/* Reads to the end; text that does not fit is discarded. Returns false after a time-out. */
static bool collect(int fd, char *text, size_t size)
{
	const int64_t end = process_now_ms() + CAPTURE_MS;
	size_t len = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		char more[1024];
		ssize_t n;

		if (process_now_ms() >= end || poll(&p, 1, (int)(end - process_now_ms())) == 0)
			return false;
		n = read(fd, more, sizeof(more));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		for (ssize_t i = 0; i < n && len + 1 < size; i++)
			text[len++] = more[i];
		text[len] = '\0';
	}
}

int capture(char *const argv[], int (*function)(const void *arg), const void *arg, char *text,
	    size_t size)
{
	int pipes[2], status = 0;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child(argv, function, arg, pipes[1]);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return -EAGAIN;
	}
	if (!collect(pipes[0], text, size))
		kill(pid, SIGKILL);
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

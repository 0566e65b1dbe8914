/*
 * proc - see proc.h. All information comes from /proc/PID/stat. Without /proc only the caller itself is
 * known, by its pid and start time 0, which is enough to trace the own process.
 */
#include "libtrace/proc.h"

#include <signal.h>
#include <string.h>

#include "libtrace/sys.h"
#include "libtrace/text.h"

enum {
	STAT_THREADS = 20, /* fields of /proc/PID/stat, counted from 1 */
	STAT_START = 22,
};

/* The fields used of /proc/PID/stat. */
struct stat_line {
	char state;
	uint64_t pid, parent, threads, start;
};

/*
 * The caller's cached identity, in memory that a fork wipes: so a child that was made without fork
 * handlers, and happens to have the pid of an ancestor, does not find a wrong one. start is stored
 * before pid, with release: a reader that sees its own pid sees its start time.
 */
static union {
	struct {
		_Atomic int32_t pid;
		_Atomic uint64_t start;
	} self;
	char page[LAYOUT_PAGE];
} cache __attribute__((aligned(LAYOUT_PAGE)));

static int read_small(const char *path, char *buf, size_t size)
{
	int fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return fd;
	do /* the kernel returns the whole file at once */
		n = SYS(SYS_read, fd, buf, size - 1);
	while (n == -EINTR);
	sys_close(fd);
	if (n < 0)
		return (int)n;
	buf[n] = '\0';
	return (int)n;
}

int proc_read(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, "/proc/");
	if (pid == 0)
		text_add(&t, "self");
	else
		text_add_number(&t, (uint64_t)pid);
	text_add(&t, "/");
	text_add(&t, name);
	return read_small(path, buf, size);
}

/* The name in parentheses may contain anything, parentheses too: fields are counted from the last
 * one. */
static bool stat_parse(const char *line, struct stat_line *ret)
{
	const char *p = strrchr(line, ')');
	const char *start = line;
	int field = 3;

	if (p == NULL || p[1] != ' ' || !text_number(&start, &ret->pid))
		return false;
	p += 2;
	ret->state = *p;
	for (; *p != '\0'; field++) {
		const char *at = p;

		if (field == 4 && !text_number(&at, &ret->parent))
			return false;
		if (field == STAT_THREADS && !text_number(&at, &ret->threads))
			return false;
		if (field == STAT_START)
			return text_number(&at, &ret->start);
		while (*p != ' ' && *p != '\0')
			p++;
		while (*p == ' ')
			p++;
	}
	return false;
}

static int stat_read(pid_t pid, struct stat_line *ret)
{
	char line[1024];
	int r = proc_read(pid, "stat", line, sizeof(line));

	if (r < 0)
		return r;
	return stat_parse(line, ret) ? 0 : -EIO;
}

void proc_forget_self(void)
{
	atomic_store_explicit(&cache.self.pid, 0, memory_order_relaxed);
}

void proc_wipe_on_fork(void)
{
	int saved = errno;

	madvise(&cache, sizeof(cache), MADV_WIPEONFORK);
	errno = saved;
}

struct proc_id proc_self(void)
{
	struct proc_id self = { .pid = (int32_t)SYS(SYS_getpid) };
	struct stat_line line;

	if (atomic_load_explicit(&cache.self.pid, memory_order_acquire) == self.pid) {
		self.start = atomic_load_explicit(&cache.self.start, memory_order_relaxed);
		return self;
	}
	if (stat_read(0, &line) == 0)
		self.start = line.start;
	atomic_store_explicit(&cache.self.start, self.start, memory_order_relaxed);
	atomic_store_explicit(&cache.self.pid, self.pid, memory_order_release);
	return self;
}

/* There is no /proc, or it hides other users' processes: then an existing process is -EPERM. */
static int hidden(pid_t pid, int error)
{
	if (error != -ENOENT && error != -ESRCH)
		return error == -EIO || error == -EACCES ? -EPERM : error;
	return SYS(SYS_kill, pid, 0) == -ESRCH ? -ESRCH : -EPERM;
}

int proc_identify(pid_t pid, struct proc_id *ret)
{
	struct stat_line line;
	int r;

	if (pid < 0)
		return -ESRCH;
	if (pid == 0 || pid == (pid_t)SYS(SYS_getpid)) {
		*ret = proc_self();
		return 0;
	}
	r = stat_read(pid, &line);
	if (r < 0)
		return hidden(pid, r);
	*ret = (struct proc_id){ .pid = pid, .start = line.start };
	return 0;
}

bool proc_own_view(void)
{
	struct stat_line line;

	return stat_read(0, &line) == 0 && line.pid == (uint64_t)SYS(SYS_getpid);
}

uint32_t proc_space(void)
{
	struct stat st;
	int saved = errno;
	int r = stat("/proc/self/ns/pid", &st);

	errno = saved;
	return r < 0 ? 0 : (uint32_t)st.st_ino;
}

static pid_t parent_pid(const struct proc_id *child)
{
	struct stat_line line = { 0 };

	if (child->pid == (int32_t)SYS(SYS_getpid))
		return (pid_t)SYS(SYS_getppid);
	if (stat_read(child->pid, &line) < 0 || line.start != child->start)
		return 0;
	return (pid_t)line.parent;
}

int proc_parent(const struct proc_id *child, struct proc_id *ret)
{
	struct proc_id parent;
	pid_t pid = parent_pid(child);
	int r = pid <= 0 ? -ESRCH : proc_identify(pid, &parent);

	if (r < 0)
		return r;
	/* The parent may have died, and its pid may have been reused, between the two reads. */
	if (parent_pid(child) != pid || parent.start > child->start)
		return -ESRCH;
	*ret = parent;
	return 0;
}

uint64_t proc_threads_without_first(void)
{
	struct stat_line line = { 0 };

	/* The state is the first thread's; the number is of the whole process. */
	return stat_read(0, &line) == 0 && line.state == 'Z' && line.threads > 1 ? line.threads - 1 : 0;
}

bool proc_first_ended(pid_t pid)
{
	struct stat_line line = { 0 };

	return stat_read(pid, &line) == 0 && line.state == 'Z' && line.threads > 1;
}

bool proc_equal(const struct proc_id *a, const struct proc_id *b)
{
	return a->pid == b->pid && a->start == b->start;
}

bool proc_alive(const struct proc_id *proc)
{
	struct stat_line line;
	struct proc_id self = proc_self();
	int r;

	if (proc->pid <= 0)
		return false;
	if (proc->pid == self.pid)
		return proc->start == self.start;
	r = stat_read(proc->pid, &line);
	if (r < 0) /* no descriptor is left for the read: that does not make a process dead */
		return r != -ENOENT && r != -ESRCH && SYS(SYS_kill, proc->pid, 0) != -ESRCH;
	if (line.start != proc->start || line.state == 'X')
		return false;
	/* A leader that has ended stays a zombie as long as other threads of the process live. */
	return line.state != 'Z' || line.threads > 1;
}

/*
 * proc - see proc.h. All information comes from /proc/PID/stat. Without /proc only the caller
 * itself is known, by its pid and start time 0, which is enough to trace the own process.
 */
#include "libtrace/proc.h"

#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>

#include "libtrace/sys.h"
#include "libtrace/text.h"

/* ---- identity ---- */

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
static bool stat_parse(const char *line, struct stat_line *ret_line)
{
	const char *p = strrchr(line, ')');
	const char *start = line;
	int field = 3;

	if (p == NULL || p[1] != ' ' || !text_number(&start, &ret_line->pid))
		return false;
	p += 2;
	ret_line->state = *p;
	for (; *p != '\0'; field++) {
		const char *at = p;

		if (field == 4 && !text_number(&at, &ret_line->parent))
			return false;
		if (field == STAT_THREADS && !text_number(&at, &ret_line->threads))
			return false;
		if (field == STAT_START)
			return text_number(&at, &ret_line->start);
		while (*p != ' ' && *p != '\0')
			p++;
		while (*p == ' ')
			p++;
	}
	return false;
}

static int stat_read(pid_t pid, struct stat_line *ret_line)
{
	char line[1024];
	int r = proc_read(pid, "stat", line, sizeof(line));

	if (r < 0)
		return r;
	return stat_parse(line, ret_line) ? 0 : -EIO;
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
	struct proc_id self = {.pid = (int32_t)SYS(SYS_getpid)};
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

int proc_identify(pid_t pid, struct proc_id *ret_id)
{
	struct stat_line line;
	int r;

	if (pid < 0)
		return -ESRCH;
	if (pid == 0 || pid == (pid_t)SYS(SYS_getpid)) {
		*ret_id = proc_self();
		return 0;
	}
	r = stat_read(pid, &line);
	if (r < 0)
		return hidden(pid, r);
	*ret_id = (struct proc_id){.pid = pid, .start = line.start};
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
	struct stat_line line = {0};

	if (child->pid == (int32_t)SYS(SYS_getpid))
		return (pid_t)SYS(SYS_getppid);
	if (stat_read(child->pid, &line) < 0 || line.start != child->start)
		return 0;
	return (pid_t)line.parent;
}

int proc_parent(const struct proc_id *child, struct proc_id *ret_id)
{
	struct proc_id parent;
	pid_t pid = parent_pid(child);
	int r = pid <= 0 ? -ESRCH : proc_identify(pid, &parent);

	if (r < 0)
		return r;
	/* The parent may have died, and its pid may have been reused, between the two reads. */
	if (parent_pid(child) != pid || parent.start > child->start)
		return -ESRCH;
	*ret_id = parent;
	return 0;
}

uint64_t proc_threads_without_first(void)
{
	struct stat_line line = {0};

	/* The state is the first thread's; the number is of the whole process. */
	return stat_read(0, &line) == 0 && line.state == 'Z' && line.threads > 1 ? line.threads - 1
										 : 0;
}

bool proc_first_ended(pid_t pid)
{
	struct stat_line line = {0};

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

/* ---- rights ---- */

enum {
	STATUS_BYTES = 4096, /* Tgid, Uid and Gid come before the lines of unlimited length */
	AUXV_BYTES = 1024,
};

/* Files that must be the same in both processes, or they cannot find each other. */
static const char *const same[] = {"ns/pid", "ns/time", "root/dev/shm"};

bool proc_privileged(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (SYS(SYS_capget, &head, data) < 0)
		return false;
	return (data[CAP_SYS_PTRACE / 32].effective & 1u << CAP_SYS_PTRACE % 32) != 0;
}

bool proc_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

/* Parses the numbers that follow "\nNAME:\t" in /proc/PID/status: how many, -EIO if the line is
 * missing. */
static int status_line(const char *status, const char *name, uint64_t *ret_value, int max)
{
	const char *p = strstr(status, name);
	int n = 0;

	if (p == NULL)
		return -EIO;
	p += strlen(name);
	while (n < max) {
		while (*p == ' ' || *p == '\t')
			p++;
		if (!text_number(&p, &ret_value[n]))
			break;
		n++;
	}
	return n;
}

/* Are real, effective and saved id equal to this one? */
static bool all_three(const uint64_t ids[3], uint64_t id)
{
	return ids[0] == id && ids[1] == id && ids[2] == id;
}

/* AT_SECURE of another process: 0, 1, or -EPERM if the kernel denies access. A process without
 * memory (a zombie, a kernel thread) has no such vector, and records nothing. */
static int secure_of(pid_t pid)
{
	union {
		char bytes[AUXV_BYTES];
		uint64_t wide[AUXV_BYTES / 8];
		uint32_t narrow[AUXV_BYTES / 4];
	} v = {{0}};
	int n = proc_read(pid, "auxv", v.bytes, sizeof(v));

	if (n < 0)
		return n == -ENOENT || n == -ESRCH ? -ESRCH : -EPERM;
	/* Types are small numbers: if the first 64 bits are large, it is a 32-bit process. */
	bool wide = v.wide[0] < 4096;
	int words = n / (wide ? 8 : 4);
	for (int i = 0; i + 1 < words; i += 2) {
		uint64_t type = wide ? v.wide[i] : v.narrow[i];
		uint64_t value = wide ? v.wide[i + 1] : v.narrow[i + 1];

		if (type == AT_SECURE)
			return value != 0;
	}
	return 0;
}

static bool proc_same_file(pid_t pid, const char *name)
{
	char path[64];
	struct text t = text_init(path, sizeof(path));
	char own[64];
	struct text o = text_init(own, sizeof(own));
	struct stat there, here;
	int saved = errno;
	int r, s;

	text_add(&t, "/proc/");
	text_add_number(&t, (uint64_t)pid);
	text_add(&t, "/");
	text_add(&t, name);
	text_add(&o, "/proc/self/");
	text_add(&o, name);
	r = stat(path, &there);
	s = stat(own, &here);
	errno = saved;
	if (r < 0 || s < 0)
		return r == s;
	return there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* Can the two find each other? See the table. In another user name space root is another user. */
static int reachable(pid_t pid, uint64_t euid, bool privileged)
{
	int secure = secure_of(pid);

	if (secure < 0)
		return secure;
	/* A set-user-id program looks for streams in root's directory, or nowhere. */
	if (secure > 0 && !(privileged && euid == 0))
		return -EPERM;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (!proc_same_file(pid, same[i]))
			return -EPERM;
	return euid == geteuid() || proc_same_file(pid, "ns/user") ? 0 : -EPERM;
}

int proc_may_trace(pid_t pid, uid_t *ret_uid)
{
	char status[STATUS_BYTES];
	uint64_t tgid, uid[3], gid[3];
	struct proc_id id;
	bool privileged;
	int r = proc_identify(pid, &id);

	if (r < 0)
		return r;
	if (id.pid == proc_self().pid) {
		*ret_uid = geteuid();
		return 0;
	}
	if (!proc_own_view())
		return -EPERM;
	r = proc_read(pid, "status", status, sizeof(status));
	if (r < 0)
		return r == -ENOENT || r == -ESRCH ? -ESRCH : -EPERM;
	if (status_line(status, "\nTgid:", &tgid, 1) != 1 ||
	    status_line(status, "\nUid:", uid, 3) != 3 ||
	    status_line(status, "\nGid:", gid, 3) != 3)
		return -EPERM;
	if (tgid != (uint64_t)pid)
		return -ESRCH; /* a thread, not a process */
	privileged = proc_privileged();
	if (!privileged && (!all_three(uid, geteuid()) || !all_three(gid, getegid())))
		return -EPERM;
	if (strstr(status, "\nState:\tZ") == NULL) {
		r = reachable(pid, uid[1], privileged);
		if (r < 0 && proc_alive(&id)) /* a process that ended meanwhile has no more files */
			return r;
	}
	*ret_uid = (uid_t)uid[1];
	return 0;
}

/* proc_rights - which process may trace which; see proc.h. */
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>

#include "libtrace/proc.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

enum {
	STATUS_BYTES = 4096, /* Tgid, Uid and Gid come before the lines of unlimited length */
	AUXV_BYTES = 1024,
};

/* Files that must be the same in both processes, or they cannot find each other. */
static const char *const same[] = { "ns/pid", "ns/time", "root/dev/shm" };

bool proc_privileged(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

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
static int status_line(const char *status, const char *name, uint64_t *ret, int max)
{
	const char *p = strstr(status, name);
	int n = 0;

	if (p == NULL)
		return -EIO;
	p += strlen(name);
	while (n < max) {
		while (*p == ' ' || *p == '\t')
			p++;
		if (!text_number(&p, &ret[n]))
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
	} v = { { 0 } };
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

static bool same_file(pid_t pid, const char *name)
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
		if (!same_file(pid, same[i]))
			return -EPERM;
	return euid == geteuid() || same_file(pid, "ns/user") ? 0 : -EPERM;
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
	    status_line(status, "\nUid:", uid, 3) != 3 || status_line(status, "\nGid:", gid, 3) != 3)
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

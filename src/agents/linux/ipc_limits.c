/*
 * ipc_limits - limits of System V semaphores, queues and shared memory: /proc/sys/kernel.
 *
 * Some of the numbers that ipc(2) knows are constants of the kernel; some mean nothing to it. Of
 * this machine it is asked for the others: a call takes a fiftieth of what a file does.
 */
#include <linux/msg.h>
#include <linux/sem.h>
#include <linux/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux.h"
#include "scan.h"

struct limits {
	uint64_t sem[4]; /* in a set, in all, in one call, sets */
	uint64_t msgmax, msgmnb, msgmni;
	uint64_t shmmax, shmmni, shmall;
	/* constants */
	uint32_t semmap, semmnu, semume, semusz, semvmx, semaem;
	uint32_t msgpool, msgmap, msgssz, msgtql, msgseg;
	uint32_t shmmin;
};

/* clang-format off */
#define LIMIT(c, n, name, units, member, text)                                                     \
	{ "ipc." name, c, n, U32, DISCRETE, ONE, AGENT_##units, FIELD(limits, member), text, NULL, \
	  0 }
#define UNUSED " (the kernel does not use it)"

static const struct agent_metric limits_metrics[] = {
	LIMIT(21, 0, "sem.max_semmap", NONE, semmap, "Entries of the semaphore map" UNUSED),
	LIMIT(21, 1, "sem.max_semid", NONE, sem[3], "Most sets of semaphores"),
	LIMIT(21, 2, "sem.max_sem", NONE, sem[1], "Most semaphores in all sets"),
	LIMIT(21, 3, "sem.num_undo", NONE, semmnu, "Most undo structures" UNUSED),
	LIMIT(21, 4, "sem.max_perid", NONE, sem[0], "Most semaphores in a set"),
	LIMIT(21, 5, "sem.max_ops", NONE, sem[2], "Most operations in a call of semop(2)"),
	LIMIT(21, 6, "sem.max_undoent", NONE, semume, "Most undo entries of a process" UNUSED),
	LIMIT(21, 7, "sem.sz_semundo", NONE, semusz, "Size of an undo structure" UNUSED),
	LIMIT(21, 8, "sem.max_semval", NONE, semvmx, "Largest value of a semaphore"),
	LIMIT(21, 9, "sem.max_exit", NONE, semaem, "Largest value recorded for undo" UNUSED),

	LIMIT(22, 0, "msg.sz_pool", KBYTE, msgpool, "Size of the message pool" UNUSED),
	LIMIT(22, 1, "msg.mapent", NONE, msgmap, "Entries of the message map" UNUSED),
	LIMIT(22, 2, "msg.max_msgsz", NONE, msgmax, "Largest message, in bytes"),
	LIMIT(22, 3, "msg.max_defmsgq", NONE, msgmnb, "Size that message queues begin with"),
	LIMIT(22, 4, "msg.max_msgqid", NONE, msgmni, "Most message queues"),
	LIMIT(22, 5, "msg.max_msgseg", NONE, msgssz, "Size of a message segment" UNUSED),
	LIMIT(22, 6, "msg.num_smsghdr", NONE, msgtql, "Most message headers" UNUSED),
	LIMIT(22, 7, "msg.max_seg", NONE, msgseg, "Most message segments" UNUSED),

	LIMIT(23, 0, "shm.max_segsz", BYTE, shmmax, "Largest segment; the low 32 bits of it"),
	LIMIT(23, 1, "shm.min_segsz", BYTE, shmmin, "Smallest segment"),
	LIMIT(23, 2, "shm.max_seg", NONE, shmmni, "Most segments"),
	LIMIT(23, 3, "shm.max_segproc", NONE, shmmni, "Most segments of a process"),
	LIMIT(23, 4, "shm.max_shmsys", NONE, shmall,
	      "Most shared memory, in pages; the low 32 bits of it"),
};

static const struct {
	const char *path;
	int n; /* numbers in it */
	size_t offset;
} files[] = {
	{ "proc/sys/kernel/sem", 4, offsetof(struct limits, sem) },
	{ "proc/sys/kernel/msgmax", 1, offsetof(struct limits, msgmax) },
	{ "proc/sys/kernel/msgmnb", 1, offsetof(struct limits, msgmnb) },
	{ "proc/sys/kernel/msgmni", 1, offsetof(struct limits, msgmni) },
	{ "proc/sys/kernel/shmmax", 1, offsetof(struct limits, shmmax) },
	{ "proc/sys/kernel/shmmni", 1, offsetof(struct limits, shmmni) },
	{ "proc/sys/kernel/shmall", 1, offsetof(struct limits, shmall) },
};
/* clang-format on */

static bool ipc_limits_wanted(struct agent_refresh *r, size_t offset, int n)
{
	for (int i = 0; i < n; i++)
		if (agent_wanted(r, NULL, offset + (size_t)i * sizeof(uint64_t)))
			return true;
	return false;
}

/* Through syscall(2), as the headers of the calls and those of the constants exclude each other. */
static bool ask_kernel(const struct agent_refresh *r, struct limits *limits)
{
	struct seminfo sem;
	struct msginfo msg;
	struct shminfo64 shm;

	if (agent_root(r)[0] != '\0' || syscall(SYS_semctl, 0, 0, IPC_INFO, &sem) < 0 ||
	    syscall(SYS_msgctl, 0, IPC_INFO, &msg) < 0 ||
	    syscall(SYS_shmctl, 0, IPC_INFO, &shm) < 0)
		return false;
	limits->sem[0] = (uint64_t)sem.semmsl;
	limits->sem[1] = (uint64_t)sem.semmns;
	limits->sem[2] = (uint64_t)sem.semopm;
	limits->sem[3] = (uint64_t)sem.semmni;
	limits->msgmax = (uint64_t)msg.msgmax;
	limits->msgmnb = (uint64_t)msg.msgmnb;
	limits->msgmni = (uint64_t)msg.msgmni;
	limits->shmmax = shm.shmmax;
	limits->shmmni = shm.shmmni;
	limits->shmall = shm.shmall;
	return true;
}

static int ipc_limits_read_files(struct agent_refresh *r, void *snapshot)
{
	int status = 0;

	for (size_t i = 0; i < NROWS(files); i++) {
		struct scan s;
		long n;

		if (!ipc_limits_wanted(r, files[i].offset, files[i].n))
			continue;
		n = agent_read(r, files[i].path, &s.p);
		if (n < 0)
			status = (int)n;
		else
			scan_u64s(&s, (void *)((char *)snapshot + files[i].offset), files[i].n);
	}
	return status;
}

static int limits_refresh(struct agent_refresh *r, void *snapshot)
{
	struct limits *limits = snapshot;

	limits->semmap = SEMMAP;
	limits->semmnu = SEMMNU;
	limits->semume = SEMUME;
	limits->semusz = SEMUSZ;
	limits->semvmx = SEMVMX;
	limits->semaem = SEMAEM;
	limits->msgpool = MSGPOOL;
	limits->msgmap = MSGMAP;
	limits->msgssz = MSGSSZ;
	limits->msgtql = MSGTQL;
	limits->msgseg = MSGSEG;
	limits->shmmin = SHMMIN;
	return ask_kernel(r, limits) ? 0 : ipc_limits_read_files(r, snapshot);
}

const struct agent_cluster limits_cluster = {
    .name = "ipc_limits",
    .source = "/proc/sys/kernel",
    .size = sizeof(struct limits),
    .refresh = limits_refresh,
    .metrics = limits_metrics,
    .nmetrics = NROWS(limits_metrics),
};

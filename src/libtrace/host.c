/* host - see host.h. */
#include "libtrace/host.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libtrace/proc.h"

/* ---- host_thread ---- */

enum {
	COUNT_BITS = 16,
	PID_BITS = 22, /* the largest pid on Linux has 22 bits */
};

#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

/* Process id in the high bits, count in the low ones. The child of a fork finds another process
 * than itself here, and so counts from 0, whether fork handlers ran or not. */
static _Atomic uint64_t word;
static _Atomic uint64_t leaves;
static _Atomic uint64_t ending; /* the process that is being ended, in the form of `word` */

/* Pid and start time, so that a reused pid is a different process. */
static uint64_t this_process(void)
{
	struct proc_id self = proc_self();

	return ((self.start << PID_BITS) | (uint32_t)self.pid) << COUNT_BITS;
}

static uint64_t counted(uint64_t value, uint64_t process)
{
	return (value & ~COUNT_MASK) == process ? value & COUNT_MASK : 0;
}

static void count(int by)
{
	uint64_t process = this_process(), old = atomic_load(&word), next;

	do
		next = process | (counted(old, process) + (uint64_t)by);
	while (!atomic_compare_exchange_weak(&word, &old, next));
}

void host_thread_enter(void)
{
	count(1);
}

void host_thread_leave(void)
{
	count(-1);
	atomic_fetch_add(&leaves, 1);
}

/* host.h has the argument for the order of the reads. */
static bool only_ours(uint64_t process)
{
	uint64_t before = atomic_load(&leaves);
	uint64_t ours = counted(atomic_load(&word), process);
	uint64_t all = proc_threads_without_first();

	return all > 0 && all == ours && atomic_load(&leaves) == before;
}

static void *exit_process(void *arg)
{
	const sigset_t *mask = arg;

	pthread_sigmask(SIG_SETMASK, mask, NULL);
	exit(0);
}

void host_thread_check(const sigset_t *mask)
{
	static sigset_t last;
	uint64_t process = this_process(), other = atomic_load(&ending);
	pthread_t thread;

	if (other == process || !only_ours(process))
		return;
	if (!atomic_compare_exchange_strong(&ending, &other, process))
		return; /* another library thread was faster */
	last = *mask;
	if (pthread_create(&thread, NULL, exit_process, &last) == 0)
		pthread_detach(thread);
	else
		atomic_store(&ending, 0); /* no memory: retry at the next check */
}

/* ---- host_fd ---- */

uint64_t host_fd_mark(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 0;
	return ((uint64_t)st.st_dev << 40 ^ st.st_ino << 1) | 1;
}

bool host_fd_is(int fd, uint64_t mark)
{
	return mark != 0 && host_fd_mark(fd) == mark;
}

void host_fd_close(int fd, uint64_t mark)
{
	if (host_fd_is(fd, mark))
		close(fd);
}

/* ---- host_xfsz ---- */

static void only(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGXFSZ);
}

void host_xfsz_hold(struct host_xfsz *x)
{
	sigset_t set, pending;

	only(&set);
	pthread_sigmask(SIG_BLOCK, &set, &x->old);
	sigpending(&pending);
	x->was_pending = sigismember(&pending, SIGXFSZ) == 1;
}

void host_xfsz_release(const struct host_xfsz *x, bool refused)
{
	const struct timespec at_once = {0, 0};
	int saved = errno;
	sigset_t set;

	only(&set);
	while (refused && !x->was_pending && sigtimedwait(&set, NULL, &at_once) < 0 &&
	       errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &x->old, NULL);
	errno = saved;
}

/* alone - see alone.h. */
#include "libtrace/alone.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "libtrace/proc.h"

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

/* alone.h has the argument for the order of the reads. */
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

/* clockwork - see clockwork.h. */
#include "clockwork.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t now; /* 0: the machine's */
static void (*_Atomic each)(void);

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *ret)
{
	void (*tick)(void) = atomic_load(&each);
	uint64_t t;

	if (clock == CLOCK_MONOTONIC && tick != NULL)
		tick();
	if (clock != CLOCK_MONOTONIC || atomic_load(&now) == 0)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	t = atomic_fetch_add(&now, 1);
	ret->tv_sec = (time_t)(t / 1000000000);
	ret->tv_nsec = (long)(t % 1000000000);
	return 0;
}

void clockwork_stop(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	atomic_store(&now, (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec);
}

void clockwork_go(void)
{
	atomic_store(&now, 0);
}

void clockwork_pass(uint64_t ns)
{
	atomic_fetch_add(&now, ns);
}

void clockwork_each(void (*tick)(void))
{
	atomic_store(&each, tick);
}

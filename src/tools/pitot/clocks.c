/* clocks - see clocks.h. */
#include "clocks.h"

#include <sys/timex.h>
#include <time.h>

static double now(clockid_t id)
{
	struct timespec ts = {0};

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct moment moment_now(void)
{
	struct moment m;
	double before = now(CLOCK_BOOTTIME);

	m.wall_s = now(CLOCK_REALTIME);
	/* Between the two readings somebody else may have had the processor. */
	m.boot_s = before + (now(CLOCK_BOOTTIME) - before) / 2;
	return m;
}

double moment_step(const struct moment *from, const struct moment *to)
{
	return (to->wall_s - from->wall_s) - (to->boot_s - from->boot_s);
}

bool clock_is_unsynchronised(void)
{
	struct timex t = {.modes = 0};
	int state = adjtimex(&t);

	return state == TIME_ERROR || (state >= 0 && (t.status & STA_UNSYNC) != 0);
}

/* clocks - see clocks.h. */
#include "clocks.h"

#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 20 };
static const double tight_s = 0.0001;

static double now(clockid_t id)
{
	struct timespec ts = {0};

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Between two readings another process may have had the processor: the tightest of some pairs is
 * taken. */
struct moment moment_now(void)
{
	struct moment best = {0};
	double least = -1;

	for (int i = 0; i < TRIES && (least < 0 || least > tight_s); i++) {
		double before = now(CLOCK_BOOTTIME), wall = now(CLOCK_REALTIME);
		double took = now(CLOCK_BOOTTIME) - before;

		if (least >= 0 && took >= least)
			continue;
		least = took;
		best.wall_s = wall;
		best.boot_s = before + took / 2;
	}
	return best;
}

double moment_step(const struct moment *from, const struct moment *to)
{
	return (to->wall_s - from->wall_s) - (to->boot_s - from->boot_s);
}

/* clang-format off */
static const struct {
	const char *there; /* a path of a host where the command works */
	const char *command;
} services[] = {
	{ "/run/systemd/system", "timedatectl set-ntp true" },
	{ "/usr/sbin/chronyd",   "chronyd" },
	{ "/usr/sbin/ntpd",      "ntpd -g" },
	{ "/usr/bin/apt-get",    "apt-get install -y chrony && chronyd" },
};
/* clang-format on */

const char *clock_service(void)
{
	const size_t n = sizeof(services) / sizeof(services[0]);

	for (size_t i = 0; i < n; i++) {
		if (access(services[i].there, F_OK) == 0)
			return services[i].command;
	}
	return services[0].command;
}

bool clock_is_unsynchronised(void)
{
	struct timex t = {.modes = 0};
	int state = adjtimex(&t);

	return state == TIME_ERROR || (state >= 0 && (t.status & STA_UNSYNC) != 0);
}

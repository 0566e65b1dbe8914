/* uptime - since boot: /proc/uptime. */
#include "linux.h"
#include "scan.h"

struct uptime {
	double up;
	double idle;
};

/* clang-format off */
static const struct agent_metric uptime_metrics[] = {
	{ "kernel.all.uptime", 26, 0, F64, INSTANT, ONE, AGENT_SEC, FIELD(uptime, up),
	  "Time since boot", "Suspended time included.", 0 },
	{ "kernel.all.idletime", 26, 1, F64, INSTANT, ONE, AGENT_SEC, FIELD(uptime, idle),
	  "Idle time since boot, of all processors together", "With n processors it may grow by n "
	  "seconds a second.", 0 },
};
/* clang-format on */

static int uptime_refresh(struct agent_refresh *r, void *snapshot)
{
	struct uptime *u = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/uptime", &s.p);

	if (n < 0)
		return (int)n;
	if (scan_double(&s, &u->up))
		scan_double(&s, &u->idle);
	return 0;
}

const struct agent_cluster uptime_cluster = {
    .name = "uptime",
    .source = "/proc/uptime",
    .size = sizeof(struct uptime),
    .refresh = uptime_refresh,
    .metrics = uptime_metrics,
    .nmetrics = NROWS(uptime_metrics),
};

/* loadavg - load averages and the number of tasks: /proc/loadavg. */
#include <errno.h>

#include "linux.h"
#include "scan.h"

struct loadavg {
	uint64_t runnable;
	uint64_t nprocs;
	uint64_t lastpid;
};

struct average {
	float value;
};

static const struct agent_instance averages[] = {
    {1, "1 minute"},
    {5, "5 minute"},
    {15, "15 minute"},
};

static const struct agent_indom average_indom = {
    2, 1, averages, 3, "Spans of the load averages", "1, 5 and 15 minutes.",
};

/* clang-format off */
static const struct agent_metric loadavg_metrics[] = {
	{ "kernel.all.load", 2, 0, F32, INSTANT, &average_indom, AGENT_NONE, FIELD(average, value),
	  "Load averages",
	  "Tasks running, ready to run or blocked in the kernel, averaged over 1, 5 "
	  "and 15 minutes with exponential damping.", 0 },
	{ "kernel.all.lastpid", 2, 1, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, lastpid),
	  "Number given to a task last", "Of the agent's own process number space.", 0 },
	{ "kernel.all.runnable", 2, 2, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, runnable),
	  "Tasks on the run queues", "Running or ready to run, threads included.", 0 },
	{ "kernel.all.nprocs", 2, 3, U32, INSTANT, ONE, AGENT_NONE, FIELD(loadavg, nprocs),
	  "Tasks in the system", "Processes and their threads.", 0 },
};
/* clang-format on */

static int loadavg_refresh(struct agent_refresh *r, void *snapshot)
{
	struct loadavg *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/loadavg", &s.p);
	double load;

	if (n < 0)
		return (int)n;
	for (int i = 0; i < 3; i++) {
		struct average *a = agent_add_id(r, &average_indom, averages[i].id, NULL);

		if (a == NULL)
			return -ENOMEM;
		if (scan_double(&s, &load))
			a->value = (float)load;
	}
	if (!scan_u64(&s, &all->runnable) || *s.p != '/')
		return 0;
	s.p++;
	scan_u64(&s, &all->nprocs);
	scan_u64(&s, &all->lastpid);
	return 0;
}

const struct agent_cluster loadavg_cluster = {
    .name = "loadavg",
    .source = "/proc/loadavg",
    .size = sizeof(struct loadavg),
    .refresh = loadavg_refresh,
    .metrics = loadavg_metrics,
    .nmetrics = NROWS(loadavg_metrics),
    .fills = {{&average_indom, sizeof(struct average), 0}},
};

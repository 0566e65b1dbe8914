/* machine - constants of the running system that no file has. */
#include <unistd.h>

#include "linux.h"

struct machine {
	uint32_t hz;
	uint32_t pagesize;
};

/* clang-format off */
static const struct agent_metric machine_metrics[] = {
	{ "kernel.all.hz", 0, 48, U32, DISCRETE, ONE, AGENT_PER_SEC, FIELD(machine, hz),
	  "Ticks per second in which the kernel tells times", "USER_HZ.", 0 },
	{ "hinv.pagesize", 1, 11, U32, DISCRETE, ONE, AGENT_BYTE, FIELD(machine, pagesize),
	  "Size of a memory page", NULL, 0 },
};
/* clang-format on */

static int machine_refresh(struct agent_refresh *r, void *snapshot)
{
	struct machine *m = snapshot;

	m->hz = (uint32_t)sysconf(_SC_CLK_TCK);
	m->pagesize = (uint32_t)sysconf(_SC_PAGESIZE);
	return 0;
}

const struct agent_cluster machine_cluster = {
    .name = "machine",
    .source = "sysconf(3)",
    .size = sizeof(struct machine),
    .refresh = machine_refresh,
    .metrics = machine_metrics,
    .nmetrics = NROWS(machine_metrics),
};

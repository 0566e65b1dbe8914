/* ducks - the example in <pitot/agent.h>, unchanged: a whole agent. */
#include <pitot/agent.h>

struct ducks {
	uint64_t count;
};

static const struct agent_metric ducks_metrics[] = {
    {"pond.ducks", 0, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_COUNT,
     AGENT_FIELD(struct ducks, count), "Ducks on the pond", NULL, 0},
};

static int ducks_refresh(struct agent_refresh *r, void *snapshot)
{
	struct ducks *d = snapshot;

	d->count = 5;
	return 0;
}

static const struct agent_cluster ducks_cluster = {
    .name = "ducks",
    .size = sizeof(struct ducks),
    .refresh = ducks_refresh,
    .metrics = ducks_metrics,
    .nmetrics = 1,
};
static const struct agent_cluster *const clusters[] = {&ducks_cluster};
static const struct agent ducks = {
    .name = "ducks", .domain = 400, .clusters = clusters, .nclusters = 1};

AGENT_PROGRAM(ducks, ducks_init)

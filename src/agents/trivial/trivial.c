/* trivial - the shortest agent: one metric, the time of day (trivial.time). */
#include <time.h>

#include <pitot/agent.h>

struct trivial {
	uint64_t time;
};

static int trivial_refresh(struct agent_refresh *r, void *snapshot)
{
	struct trivial *trivial = snapshot;

	trivial->time = (uint64_t)time(NULL);
	return 0;
}

static const struct agent_metric metrics[] = {
    {"trivial.time", 0, 0, PM_TYPE_U64, PM_SEM_COUNTER, NULL, AGENT_SEC,
     AGENT_FIELD(struct trivial, time), "Seconds since the beginning of 1970", NULL, 0},
};
static const struct agent_cluster cluster = {
    .name = "trivial",
    .source = "time(2)",
    .size = sizeof(struct trivial),
    .refresh = trivial_refresh,
    .metrics = metrics,
    .nmetrics = 1,
};
static const struct agent_cluster *const clusters[] = {&cluster};
static const struct agent trivial_agent = {
    .name = "trivial", .domain = 250, .clusters = clusters, .nclusters = 1};

AGENT_PROGRAM(trivial_agent, trivial_init)

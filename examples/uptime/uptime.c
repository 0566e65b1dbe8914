/* uptime - an agent in 30 lines: how long the host has been running (docs/writing-agents.md). */
#include <stdlib.h>
#include <pitot/agent.h>

struct uptime {
	double seconds;
};

static int uptime_refresh(struct agent_refresh *r, void *snapshot)
{
	struct uptime *uptime = snapshot;
	const char *text;
	long len = agent_read(r, "proc/uptime", &text);

	if (len < 0)
		return (int)len;
	uptime->seconds = strtod(text, NULL);
	return 0;
}

static const struct agent_metric metrics[] = {
    {"uptime.seconds", 0, 0, PM_TYPE_DOUBLE, PM_SEM_INSTANT, NULL, AGENT_SEC,
     AGENT_FIELD(struct uptime, seconds), "Time since the host started", NULL, 0},
};
static const struct agent_cluster cluster = {
    .name = "uptime",
    .size = sizeof(struct uptime),
    .refresh = uptime_refresh,
    .metrics = metrics,
    .nmetrics = 1,
};
static const struct agent_cluster *const clusters[] = {&cluster};
static const struct agent uptime_agent = {
    .name = "uptime", .domain = 402, .clusters = clusters, .nclusters = 1};

AGENT_PROGRAM(uptime_agent, uptime_init)

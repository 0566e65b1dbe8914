/*
 * sysfs - two numbers of /sys/kernel: how many events there were, and how broken up free memory is.
 *
 *     Node 0, zone   Normal 0.000 0.006 0.017 ...       of blocks of each size, that can't be had
 */
#include <errno.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

struct uevent {
	uint64_t seqnum;
};

struct fragmentation {
	float unusable;
};

/* Of each node, as the lines are read. */
struct fragmentations {
	float unusable[NODES_MAX];
};

/* clang-format off */
static const struct agent_metric uevent_metrics[] = {
	{ "sysfs.kernel.uevent_seqnum", 35, 0, U64, COUNTER, ONE, AGENT_COUNT,
	  FIELD(uevent, seqnum), "Events of devices that the kernel announced", NULL, 0 },
};

static const struct agent_metric fragmentation_metrics[] = {
	{ "sysfs.kernel.debug.extfrag_unusable", 35, 1, F32, INSTANT, &node_indom, AGENT_NONE,
	  FIELD(fragmentation, unusable), "How broken up the free memory of each node is",
	  "The share of it that is in too small blocks, added up over the sizes of blocks, of the "
	  "node's last zone. Where debugfs is mounted and may be read.", 0 },
};
/* clang-format on */

static int uevent_refresh(struct agent_refresh *r, void *snapshot)
{
	struct uevent *uevent = snapshot;
	struct scan s;
	long n = agent_read(r, "sys/kernel/uevent_seqnum", &s.p);

	if (n < 0)
		return (int)n;
	scan_u64(&s, &uevent->seqnum);
	return 0;
}

/* A zone's line; a later one of the same node takes its place. */
static void read_zone(struct scan *s, struct fragmentations *nodes)
{
	uint64_t node;
	double share;
	float sum = 0;

	if (!scan_text(s, "Node") || !scan_u64(s, &node) || node >= NODES_MAX ||
	    !scan_text(s, ",") || !scan_skip(s, 2))
		return;
	while (scan_double(s, &share))
		sum += (float)share;
	nodes->unusable[node] = sum;
}

static int fragmentation_refresh(struct agent_refresh *r, void *snapshot)
{
	struct fragmentations *nodes = snapshot;
	struct scan s;
	long n = agent_read(r, "sys/kernel/debug/extfrag/unusable_index", &s.p);

	if (n < 0)
		return (int)n;
	for (int i = 0; i < NODES_MAX; i++)
		nodes->unusable[i] = -1;
	do {
		read_zone(&s, nodes);
	} while (scan_next_line(&s));
	for (int i = 0; i < NODES_MAX; i++) {
		struct fragmentation *node;

		if (nodes->unusable[i] < 0)
			continue;
		node = agent_add_id(r, &node_indom, i, NULL);
		if (node == NULL)
			return -ENOMEM;
		node->unusable = nodes->unusable[i];
	}
	return 0;
}

const struct agent_cluster uevent_cluster = {
    .name = "uevent",
    .source = "/sys/kernel/uevent_seqnum",
    .size = sizeof(struct uevent),
    .refresh = uevent_refresh,
    .metrics = uevent_metrics,
    .nmetrics = NROWS(uevent_metrics),
};

const struct agent_cluster fragmentation_cluster = {
    .name = "fragmentation",
    .source = "/sys/kernel/debug/extfrag",
    .size = sizeof(struct fragmentations),
    .refresh = fragmentation_refresh,
    .optional = 1,
    .metrics = fragmentation_metrics,
    .nmetrics = NROWS(fragmentation_metrics),
    .fills = {{&node_indom, sizeof(struct fragmentation), 0}},
};

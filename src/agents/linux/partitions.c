/*
 * partitions - the sizes of disks, partitions, volumes and arrays: /proc/partitions.
 *
 *     major minor  #blocks  name
 *        8        0  500107608 sda
 */
#include <errno.h>

#include "disks.h"
#include "lines.h"
#include "linux.h"
#include "scan.h"

struct capacity {
	uint64_t kb;
};

/* clang-format off */
#define CAPACITY(group, cluster, item, indom, what)                                                \
	{ "disk." group ".capacity", cluster, item, U64, DISCRETE, indom, AGENT_KBYTE,             \
	  FIELD(capacity, kb), "Size of each " what, NULL, 0 }

static const struct agent_metric partitions_metrics[] = {
	CAPACITY("dev", 0, 87, &disk_indom, "disk"),
	CAPACITY("partitions", 10, 16, &partition_indom, "partition"),
	CAPACITY("dm", 54, 17, &dm_indom, "volume"),
	CAPACITY("md", 59, 17, &md_indom, "array"),
};
/* clang-format on */

static int read_line(struct agent_refresh *r, struct scan *s)
{
	const struct agent_indom *indom;
	struct capacity *capacity;
	uint64_t number[3];
	const char *name;
	size_t len;

	if (scan_u64s(s, number, 3) < 3 || !scan_word(s, &name, &len))
		return 0;
	indom = disk_domain(name, len);
	if (indom == NULL || indom == &zram_indom)
		return 0;
	capacity = disk_add(r, indom, name, len);
	if (capacity == NULL)
		return -ENOMEM;
	capacity->kb = number[2];
	return 0;
}

static int partitions_refresh(struct agent_refresh *r, void *snapshot)
{
	return lines_read(r, "proc/partitions", read_line);
}

const struct agent_cluster partitions_cluster = {
    .name = "partitions",
    .source = "/proc/partitions",
    .refresh = partitions_refresh,
    .metrics = partitions_metrics,
    .nmetrics = NROWS(partitions_metrics),
    .fills = {{&disk_indom, sizeof(struct capacity), 0},
	      {&partition_indom, sizeof(struct capacity), 0},
	      {&dm_indom, sizeof(struct capacity), 0},
	      {&md_indom, sizeof(struct capacity), 0}},
};

/*
 * buddyinfo - free memory by the size of its blocks: /proc/buddyinfo.
 *
 *     Node 0, zone   Normal   4553   7681   5452 ...      blocks of 1, 2, 4, ... pages
 */
#include <errno.h>
#include <unistd.h>

#include "linux.h"
#include "zones.h"

struct buddy {
	uint64_t pages;
	uint64_t total;
};

static const struct agent_indom buddy_indom = {
    31,
    0,
    NULL,
    0,
    "Orders of free blocks in each zone and node",
    "ZONE::orderN::nodeM: a block of order N is 2 to the power of N pages.",
};

/* clang-format off */
static const struct agent_metric buddyinfo_metrics[] = {
	{ "mem.buddyinfo.pages", 67, 0, U64, INSTANT, &buddy_indom, AGENT_NONE, FIELD(buddy, pages),
	  "Free blocks of each order", NULL, 0 },
	{ "mem.buddyinfo.total", 67, 1, U64, INSTANT, &buddy_indom, AGENT_KBYTE,
	  FIELD(buddy, total),
	  "Free memory in blocks of each order", "Blocks times their size.", 0 },
};
/* clang-format on */

static int read_zone(struct agent_refresh *r, struct scan *s, const struct zone_name *zone,
		     uint64_t page_kb)
{
	char name[80];
	uint64_t blocks;

	for (unsigned int order = 0; order < 40 && scan_u64(s, &blocks); order++) {
		int len = snprintf(name, sizeof(name), "%.*s::order%u::node%u", (int)zone->len,
				   zone->zone, order, (unsigned int)zone->node);
		struct buddy *buddy = agent_add(r, &buddy_indom, name, (size_t)len);

		if (buddy == NULL)
			return -ENOMEM;
		buddy->pages = blocks;
		buddy->total = (blocks << order) * page_kb;
	}
	return 0;
}

static int buddyinfo_refresh(struct agent_refresh *r, void *snapshot)
{
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	struct zone_name zone;
	struct scan s;
	long n = agent_read(r, "proc/buddyinfo", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		if (zone_read(&s, &zone))
			status = read_zone(r, &s, &zone, page_kb);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

const struct agent_cluster buddyinfo_cluster = {
    .name = "buddyinfo",
    .source = "/proc/buddyinfo",
    .refresh = buddyinfo_refresh,
    .metrics = buddyinfo_metrics,
    .nmetrics = NROWS(buddyinfo_metrics),
    .fills = {{&buddy_indom, sizeof(struct buddy), 1}},
};

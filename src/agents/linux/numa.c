/*
 * numa - memory of each node: meminfo and numastat of /sys/devices/system/node/nodeN.
 *
 *     Node 0 MemTotal:        4942028 kB
 */
#include <errno.h>
#include <stdlib.h>

#include "cpus.h"
#include "keys.h"
#include "linux.h"

struct numa {
	uint64_t total, free, used, active, inactive, active_anon, inactive_anon, active_file;
	uint64_t inactive_file, high_total, high_free, low_total, low_free, unevictable, mlocked;
	uint64_t dirty, writeback, file_pages, mapped, anon_pages, shmem, kernel_stack, page_tables;
	uint64_t nfs_unstable, bounce, writeback_tmp, slab, slab_reclaimable, slab_unreclaimable;
	uint64_t huge_total, huge_free, huge_surplus;
	uint64_t hit, miss, foreign, interleave_hit, local_node, other_node;
	double max_bandwidth;
	uint64_t huge_total_bytes, huge_free_bytes, huge_surplus_bytes;
};

#define KEY(file, member)                                                                          \
	{                                                                                          \
		file, offsetof(struct numa, member)                                                \
	}

/* clang-format off */
static const struct key meminfo_keys[] = {
	KEY("MemTotal", total), KEY("MemFree", free), KEY("MemUsed", used), KEY("Active", active),
	KEY("Inactive", inactive), KEY("Active(anon)", active_anon),
	KEY("Inactive(anon)", inactive_anon), KEY("Active(file)", active_file),
	KEY("Inactive(file)", inactive_file), KEY("HighTotal", high_total),
	KEY("HighFree", high_free), KEY("LowTotal", low_total), KEY("LowFree", low_free),
	KEY("Unevictable", unevictable), KEY("Mlocked", mlocked), KEY("Dirty", dirty),
	KEY("Writeback", writeback), KEY("FilePages", file_pages), KEY("Mapped", mapped),
	KEY("AnonPages", anon_pages), KEY("Shmem", shmem), KEY("KernelStack", kernel_stack),
	KEY("PageTables", page_tables), KEY("NFS_Unstable", nfs_unstable), KEY("Bounce", bounce),
	KEY("WritebackTmp", writeback_tmp), KEY("Slab", slab),
	KEY("SReclaimable", slab_reclaimable), KEY("SUnreclaim", slab_unreclaimable),
	KEY("HugePages_Total", huge_total), KEY("HugePages_Free", huge_free),
	KEY("HugePages_Surp", huge_surplus),
};

static const struct key numastat_keys[] = {
	KEY("numa_hit", hit), KEY("numa_miss", miss), KEY("numa_foreign", foreign),
	KEY("interleave_hit", interleave_hit), KEY("local_node", local_node),
	KEY("other_node", other_node),
};

#define NODE(name, item, type, sem, units, member, text, more)                                     \
	{ "mem.numa." name, 36, item, type, sem, &node_indom, units, FIELD(numa, member), text, \
	  more, 0 }
#define KB(name, item, member, text) \
	NODE("util." name, item, U64, INSTANT, AGENT_KBYTE, member, text, NULL)
#define PAGES(name, item, member, text) \
	NODE("util." name, item, U64, INSTANT, AGENT_COUNT, member, text, NULL)
#define BYTES(name, item, member, text) \
	NODE("util." name, item, U64, INSTANT, AGENT_BYTE, member, text, \
	     "Of the default size, hinv.hugepagesize.")
#define EVER(name, item, member, text) \
	NODE("alloc." name, item, U64, COUNTER, AGENT_COUNT, member, text, "In pages.")

static const struct agent_metric numa_metrics[] = {
	KB("total", 0, total, "Memory of each node"),
	KB("free", 1, free, "Memory of each node that nothing uses"),
	KB("used", 2, used, "Memory of each node in use"),
	KB("active", 3, active, "Memory of each node used recently"),
	KB("inactive", 4, inactive, "Memory of each node not used recently"),
	KB("active_anon", 5, active_anon,
	  "Memory without a file of each node that was used recently"),
	KB("inactive_anon", 6, inactive_anon,
	  "Memory without a file of each node that was not used recently"),
	KB("active_file", 7, active_file, "File contents of each node used recently"),
	KB("inactive_file", 8, inactive_file, "File contents of each node not used recently"),
	KB("highTotal", 9, high_total, "High memory of each node"),
	KB("highFree", 10, high_free, "High memory of each node that nothing uses"),
	KB("lowTotal", 11, low_total, "Low memory of each node"),
	KB("lowFree", 12, low_free, "Low memory of each node that nothing uses"),
	KB("unevictable", 13, unevictable, "Memory of each node that can't be reclaimed"),
	KB("mlocked", 14, mlocked, "Memory of each node locked by mlock(2)"),
	KB("dirty", 15, dirty, "File contents of each node that must still be written"),
	KB("writeback", 16, writeback, "File contents of each node being written"),
	KB("filePages", 17, file_pages, "File contents of each node"),
	KB("mapped", 18, mapped, "Files mapped into processes, of each node"),
	KB("anonpages", 19, anon_pages, "Memory of processes without a file, of each node"),
	KB("shmem", 20, shmem, "Shared memory and tmpfs of each node"),
	KB("kernelStack", 21, kernel_stack, "Stacks of tasks in the kernel, of each node"),
	KB("pageTables", 22, page_tables, "Page tables of processes, of each node"),
	KB("NFS_Unstable", 23, nfs_unstable,
	  "Pages sent to an NFS server and not yet on its disk, of each node"),
	KB("bounce", 24, bounce, "Copies for devices that can't reach all memory, of each node"),
	KB("writebackTmp", 25, writeback_tmp, "Pages of FUSE being written, of each node"),
	KB("slab", 26, slab, "Object caches of each node"),
	KB("slabReclaimable", 27, slab_reclaimable,
	  "Object caches of each node that can be shrunk"),
	KB("slabUnreclaimable", 28, slab_unreclaimable,
	  "Object caches of each node that can't be shrunk"),
	PAGES("hugepagesTotal", 29, huge_total, "Huge pages in the pool of each node"),
	PAGES("hugepagesFree", 30, huge_free, "Huge pages of each node that nothing uses"),
	PAGES("hugepagesSurp", 31, huge_surplus,
	  "Huge pages of each node beyond the size of the pool"),
	EVER("hit", 32, hit, "Allocated on each node as meant"),
	EVER("miss", 33, miss, "Allocated on each node though meant for another"),
	EVER("foreign", 34, foreign, "Meant for each node and allocated on another"),
	EVER("interleave_hit", 35, interleave_hit, "Interleaved over the nodes, on each as meant"),
	EVER("local_node", 36, local_node, "Allocated on each node by tasks that ran there"),
	EVER("other_node", 37, other_node, "Allocated on each node by tasks that ran elsewhere"),
	NODE("max_bandwidth", 38, F64, DISCRETE, AGENT_MBYTE_PER_SEC, max_bandwidth,
	     "Memory bandwidth of each node", "As an administrator has measured it: lines "
	     "nodeN:NUMBER of etc/pcp/linux/bandwidth.conf."),
	BYTES("hugepagesTotalBytes", 39, huge_total_bytes,
	  "Huge pages in the pool of each node, in bytes"),
	BYTES("hugepagesFreeBytes", 40, huge_free_bytes,
	  "Huge pages of each node that nothing uses, in bytes"),
	BYTES("hugepagesSurpBytes", 41, huge_surplus_bytes,
	      "Huge pages of each node beyond the size of the pool, in bytes"),
};
/* clang-format on */

static void read_meminfo(struct agent_refresh *r, const struct keys *keys, struct numa *node, int n)
{
	struct scan s;
	uint64_t number;

	if (agent_readf(r, &s.p, "sys/devices/system/node/node%d/meminfo", n) <= 0)
		return;
	do {
		scan_blanks(&s);
		if (scan_text(&s, "Node") && scan_u64(&s, &number))
			keys_line(keys, node, &s);
	} while (scan_next_line(&s));
}

static void read_numastat(struct agent_refresh *r, const struct keys *keys, struct numa *node,
			  int n)
{
	struct scan s;

	if (agent_readf(r, &s.p, "sys/devices/system/node/node%d/numastat", n) <= 0)
		return;
	do {
		keys_line(keys, node, &s);
	} while (scan_next_line(&s));
}

/* "Hugepagesize:  2048 kB" of /proc/meminfo, in bytes; absent if the line is missing. */
static uint64_t huge_page_bytes(struct agent_refresh *r)
{
	struct scan s;
	uint64_t kb;

	if (agent_read(r, "proc/meminfo", &s.p) <= 0)
		return UINT64_MAX;
	do {
		if (scan_text(&s, "Hugepagesize:") && scan_u64(&s, &kb))
			return kb * 1024;
	} while (scan_next_line(&s));
	return UINT64_MAX;
}

static uint64_t bytes(uint64_t pages, uint64_t size)
{
	return pages == UINT64_MAX || size == UINT64_MAX ? UINT64_MAX : pages * size;
}

static void read_bandwidth(struct agent_refresh *r)
{
	struct scan s;
	uint64_t n;
	double mb;

	if (agent_readf(r, &s.p, "etc/pcp/linux/bandwidth.conf") <= 0)
		return;
	do {
		struct numa *node;

		scan_text(&s, "node");
		if (!scan_u64(&s, &n) || !scan_text(&s, ":") || !scan_double(&s, &mb))
			continue;
		node = agent_added(r, &node_indom, n);
		if (node != NULL)
			node->max_bandwidth = mb;
	} while (scan_next_line(&s));
}

static int numa_refresh(struct agent_refresh *r, void *snapshot)
{
	static struct keys meminfo, numastat;
	uint64_t size = huge_page_bytes(r);

	if (!keys_init(&meminfo, meminfo_keys, NROWS(meminfo_keys)) ||
	    !keys_init(&numastat, numastat_keys, NROWS(numastat_keys)))
		return -ENOMEM;
	for (int n = 0; n < cpus_nodes(); n++) {
		struct numa *node = agent_add_id(r, &node_indom, n, NULL);

		if (node == NULL)
			return -ENOMEM;
		read_meminfo(r, &meminfo, node, n);
		read_numastat(r, &numastat, node, n);
		node->huge_total_bytes = bytes(node->huge_total, size);
		node->huge_free_bytes = bytes(node->huge_free, size);
		node->huge_surplus_bytes = bytes(node->huge_surplus, size);
	}
	read_bandwidth(r);
	return 0;
}

const struct agent_cluster numa_cluster = {
    .name = "numa",
    .source = "/sys/devices/system/node/nodeN",
    .refresh = numa_refresh,
    .metrics = numa_metrics,
    .nmetrics = NROWS(numa_metrics),
    .fills = {{&node_indom, sizeof(struct numa), 0}},
};

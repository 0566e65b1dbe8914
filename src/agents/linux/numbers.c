/*
 * numbers - files that hold one number each: some of /proc/sys/kernel, the page merger (KSM), and
 * two of /sys/kernel.
 */
#include <errno.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

/*
 * ---- numbers ----
 *
 * Files that hold one number each: some of /proc/sys/kernel, and the page merger (KSM).
 *
 * A fetch reads only the files whose metrics it asks for.
 */

struct sysctl {
	uint64_t entropy_avail;
	uint64_t entropy_poolsize;
	uint64_t pid_max;
	uint64_t nptys;
};

struct ksm {
	uint64_t full_scans;
	uint64_t merge_across_nodes;
	uint64_t pages_shared;
	uint64_t pages_sharing;
	uint64_t pages_to_scan;
	uint64_t pages_unshared;
	uint64_t pages_volatile;
	uint64_t run;
	uint64_t sleep_millisecs;
};

/* Which file goes where in the snapshot. */
struct number_file {
	const char *path;
	size_t offset;
};

/* clang-format off */
static const struct agent_metric sysctl_metrics[] = {
	{ "kernel.all.entropy.avail", 72, 0, U32, INSTANT, ONE, AGENT_NONE,
	  FIELD(sysctl, entropy_avail), "Entropy in the kernel's pool, in bits",
	  "From random/entropy_avail.", 0 },
	{ "kernel.all.entropy.poolsize", 72, 1, U32, INSTANT, ONE, AGENT_NONE,
	  FIELD(sysctl, entropy_poolsize), "Size of the kernel's entropy pool, in bits",
	  "From random/poolsize.", 0 },
	{ "kernel.all.pid_max", 72, 2, U32, DISCRETE, ONE, AGENT_NONE, FIELD(sysctl, pid_max),
	  "Process numbers are below this", "From pid_max.", 0 },
	{ "kernel.all.nptys", 72, 3, U32, INSTANT, ONE, AGENT_NONE, FIELD(sysctl, nptys),
	  "Pseudo-terminals in use", "From pty/nr.", 0 },
};

static const struct agent_metric ksm_metrics[] = {
	{ "mem.ksm.full_scans", 69, 0, U64, INSTANT, ONE, AGENT_COUNT, FIELD(ksm, full_scans),
	  "Times that all mergeable memory was scanned", NULL, 0 },
	{ "mem.ksm.merge_across_nodes", 69, 1, U64, INSTANT, ONE, AGENT_NONE,
	  FIELD(ksm, merge_across_nodes), "Whether pages of different memory nodes are merged",
	  "1 if they are, 0 if only pages of the same node are.", 0 },
	{ "mem.ksm.pages_shared", 69, 2, U64, INSTANT, ONE, AGENT_NONE, FIELD(ksm, pages_shared),
	  "Merged pages in use", "Each stands for several that had the same content.", 0 },
	{ "mem.ksm.pages_sharing", 69, 3, U64, INSTANT, ONE, AGENT_NONE, FIELD(ksm, pages_sharing),
	  "Pages saved by merging", "Places that a merged page is used in beyond the first.", 0 },
	{ "mem.ksm.pages_to_scan", 69, 4, U64, INSTANT, ONE, AGENT_NONE, FIELD(ksm, pages_to_scan),
	  "Pages that the merger scans before it sleeps", NULL, 0 },
	{ "mem.ksm.pages_unshared", 69, 5, U64, INSTANT, ONE, AGENT_COUNT,
	  FIELD(ksm, pages_unshared), "Mergeable pages that have no equal",
	  "Checked again and again, in vain as yet.", 0 },
	{ "mem.ksm.pages_volatile", 69, 6, U64, INSTANT, ONE, AGENT_NONE,
	  FIELD(ksm, pages_volatile), "Mergeable pages that change too fast to be merged", NULL,
	  0 },
	{ "mem.ksm.run_state", 69, 7, U64, INSTANT, ONE, AGENT_NONE, FIELD(ksm, run),
	  "Whether the page merger runs",
	  "0 stopped, 1 running, 2 stopped and all merged pages separated again.", 0 },
	{ "mem.ksm.sleep_time", 69, 8, U64, INSTANT, ONE, AGENT_MSEC, FIELD(ksm, sleep_millisecs),
	  "Time that the page merger sleeps between scans", NULL, 0 },
};

static const struct number_file sysctl_files[] = {
	{ "proc/sys/kernel/random/entropy_avail", offsetof(struct sysctl, entropy_avail) },
	{ "proc/sys/kernel/random/poolsize", offsetof(struct sysctl, entropy_poolsize) },
	{ "proc/sys/kernel/pid_max", offsetof(struct sysctl, pid_max) },
	{ "proc/sys/kernel/pty/nr", offsetof(struct sysctl, nptys) },
};

#define KSM_FILE(name) { "sys/kernel/mm/ksm/" #name, offsetof(struct ksm, name) }
static const struct number_file ksm_files[] = {
	KSM_FILE(full_scans), KSM_FILE(merge_across_nodes), KSM_FILE(pages_shared),
	KSM_FILE(pages_sharing), KSM_FILE(pages_to_scan), KSM_FILE(pages_unshared),
	KSM_FILE(pages_volatile), KSM_FILE(run), KSM_FILE(sleep_millisecs),
};
/* clang-format on */

/* The error of a file that can't be read, if there is no other. */
static int numbers_read_numbers(struct agent_refresh *r, void *snapshot,
				const struct number_file *files, size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		struct scan s;
		long len;

		if (!agent_wanted(r, NULL, files[i].offset))
			continue;
		len = agent_read(r, files[i].path, &s.p);
		if (len < 0)
			status = (int)len;
		else
			scan_u64(&s, (uint64_t *)(void *)((char *)snapshot + files[i].offset));
	}
	return status;
}

static int sysctl_refresh(struct agent_refresh *r, void *snapshot)
{
	return numbers_read_numbers(r, snapshot, sysctl_files, NROWS(sysctl_files));
}

static int ksm_refresh(struct agent_refresh *r, void *snapshot)
{
	return numbers_read_numbers(r, snapshot, ksm_files, NROWS(ksm_files));
}

const struct agent_cluster sysctl_cluster = {
    .name = "sysctl",
    .source = "/proc/sys/kernel",
    .size = sizeof(struct sysctl),
    .refresh = sysctl_refresh,
    .metrics = sysctl_metrics,
    .nmetrics = NROWS(sysctl_metrics),
};

const struct agent_cluster ksm_cluster = {
    .name = "ksm",
    .source = "/sys/kernel/mm/ksm",
    .size = sizeof(struct ksm),
    .refresh = ksm_refresh,
    .optional = 1,
    .metrics = ksm_metrics,
    .nmetrics = NROWS(ksm_metrics),
};

/*
 * ---- sysfs ----
 *
 * Two numbers of /sys/kernel: how many events there were, and how broken up free memory is.
 *
 *     Node 0, zone   Normal 0.000 0.006 0.017 ...       of blocks of each size, that can't be had
 */

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
static void sysfs_read_zone(struct scan *s, struct fragmentations *nodes)
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
		sysfs_read_zone(&s, nodes);
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

/*
 * vmstat - the memory manager's counters: /proc/vmstat. A row's last word is the file's key.
 *
 * Numbers are pages unless stated otherwise. The kernel adds and drops keys with nearly every
 * version: a missing key is absent. A few totals that it has dropped are added up here.
 */
#include <errno.h>
#include <string.h>

#include "keys.h"
#include "linux.h"

enum { VMSTAT_NITEMS = 179 };

struct vmstat {
	uint64_t item[VMSTAT_NITEMS];
	uint64_t swap_in; /* never present: of the "swap" line of 2.4 kernels */
	uint64_t swap_out;
};

/* clang-format off */
#define PREFIX "mem.vmstat."
#define ROW(n, key, sem, units, text, more)                                                        \
	{ PREFIX key, 28, n, U64, sem, ONE, AGENT_##units,                                         \
	  AGENT_FIELD(struct vmstat, item[n]), text, more, 0 }
/* How many there are now; counted since boot. The unit is none or count as PCP has it. */
#define NOW(n, key, units, text) ROW(n, key, INSTANT, units, text, NULL)
#define EVER(n, key, text)       ROW(n, key, COUNTER, COUNT, text, NULL)
/* A counter that kernels had once for each zone. */
#define ZONE(n, key, text)       ROW(n, key, COUNTER, COUNT, text, "Older kernels only.")

static const struct agent_metric vmstat_metrics[] = {
	NOW(0, "nr_dirty", NONE, "Pages of files that must still be written"),
	NOW(1, "nr_writeback", NONE, "Pages of files being written"),
	NOW(2, "nr_unstable", NONE, "Pages sent to an NFS server and not yet on its disk"),
	NOW(3, "nr_page_table_pages", NONE, "Pages that hold page tables"),
	NOW(4, "nr_mapped", NONE, "Pages of files mapped into processes"),
	ROW(5, "nr_slab", INSTANT, NONE, "Pages of the kernel's object caches",
	    "Where the kernel does not tell it: reclaimable and unreclaimable together."),
	EVER(6, "pgpgin", "Kbytes read from disks"),
	EVER(7, "pgpgout", "Kbytes written to disks"),
	EVER(8, "pswpin", "Pages swapped in"),
	EVER(9, "pswpout", "Pages swapped out"),
	ZONE(10, "pgalloc_high", "Pages allocated in high memory"),
	EVER(11, "pgalloc_normal", "Pages allocated in zone Normal"),
	EVER(12, "pgalloc_dma", "Pages allocated in zone DMA"),
	EVER(13, "pgfree", "Pages freed"),
	EVER(14, "pgactivate", "Pages made active"),
	EVER(15, "pgdeactivate", "Pages made inactive"),
	EVER(16, "pgfault", "Page faults, minor and major"),
	EVER(17, "pgmajfault", "Page faults that had to read from a disk"),
	ZONE(18, "pgrefill_high", "Active pages looked at in high memory"),
	ZONE(19, "pgrefill_normal", "Active pages looked at in zone Normal"),
	ZONE(20, "pgrefill_dma", "Active pages looked at in zone DMA"),
	ZONE(21, "pgsteal_high", "Pages reclaimed in high memory"),
	ZONE(22, "pgsteal_normal", "Pages reclaimed in zone Normal"),
	ZONE(23, "pgsteal_dma", "Pages reclaimed in zone DMA"),
	ZONE(24, "pgscan_kswapd_high", "Pages scanned by kswapd in high memory"),
	ZONE(25, "pgscan_kswapd_normal", "Pages scanned by kswapd in zone Normal"),
	ZONE(26, "pgscan_kswapd_dma", "Pages scanned by kswapd in zone DMA"),
	ZONE(27, "pgscan_direct_high", "Pages scanned by allocating tasks in high memory"),
	ZONE(28, "pgscan_direct_normal", "Pages scanned by allocating tasks in zone Normal"),
	ZONE(29, "pgscan_direct_dma", "Pages scanned by allocating tasks in zone DMA"),
	EVER(30, "pginodesteal", "Pages reclaimed by freeing inodes, by allocating tasks"),
	EVER(31, "slabs_scanned", "Objects of caches scanned"),
	ZONE(32, "kswapd_steal", "Pages reclaimed by kswapd"),
	EVER(33, "kswapd_inodesteal", "Pages reclaimed by freeing inodes, by kswapd"),
	EVER(34, "pageoutrun", "Times that kswapd ran to reclaim pages"),
	ZONE(35, "allocstall", "Times that a task had to reclaim pages before it got one"),
	EVER(36, "pgrotated", "Pages moved to the tail of the inactive list"),
	NOW(37, "nr_slab_reclaimable", NONE, "Pages of object caches that can be shrunk"),
	NOW(38, "nr_slab_unreclaimable", NONE, "Pages of object caches that can't be shrunk"),
	NOW(39, "nr_anon_pages", NONE, "Pages of processes that are not of a file"),
	NOW(40, "nr_bounce", NONE, "Pages of copies for devices that can't reach all memory"),
	NOW(41, "nr_file_pages", NONE, "Pages of file contents"),
	EVER(42, "nr_vmscan_write", "Pages written by reclaim"),
	EVER(43, "htlb_buddy_alloc_fail", "Huge pages that could not be allocated"),
	EVER(44, "htlb_buddy_alloc_success", "Huge pages allocated"),
	NOW(45, "nr_active_anon", COUNT, "Active pages without a file"),
	NOW(46, "nr_active_file", COUNT, "Active pages of files"),
	NOW(47, "nr_free_pages", COUNT, "Free pages"),
	NOW(48, "nr_inactive_anon", COUNT, "Inactive pages without a file"),
	NOW(49, "nr_inactive_file", COUNT, "Inactive pages of files"),
	NOW(50, "nr_isolated_anon", COUNT,
	  "Pages without a file, off the lists while reclaim looks at them"),
	NOW(51, "nr_isolated_file", COUNT,
	  "Pages of files, off the lists while reclaim looks at them"),
	NOW(52, "nr_kernel_stack", COUNT, "Kbytes of the stacks of tasks in the kernel"),
	NOW(53, "nr_mlock", COUNT, "Pages locked in memory"),
	NOW(54, "nr_shmem", COUNT, "Pages of shared memory and tmpfs"),
	NOW(55, "nr_unevictable", COUNT, "Pages that can't be reclaimed"),
	NOW(56, "nr_writeback_temp", COUNT, "Pages of FUSE being written"),
	ZONE(57, "compact_blocks_moved", "Blocks of pages moved by compaction"),
	EVER(58, "compact_fail", "Compactions that made no huge page free"),
	ZONE(59, "compact_pagemigrate_failed", "Pages that compaction could not move"),
	ZONE(60, "compact_pages_moved", "Pages moved by compaction"),
	EVER(61, "compact_stall", "Times that a task waited for compaction"),
	EVER(62, "compact_success", "Compactions that made a huge page free"),
	EVER(63, "pgalloc_dma32", "Pages allocated in zone DMA32"),
	EVER(64, "pgalloc_movable", "Pages allocated in zone Movable"),
	ZONE(65, "pgrefill_dma32", "Active pages looked at in zone DMA32"),
	ZONE(66, "pgrefill_movable", "Active pages looked at in zone Movable"),
	ZONE(67, "pgscan_direct_dma32", "Pages scanned by allocating tasks in zone DMA32"),
	ZONE(68, "pgscan_direct_movable", "Pages scanned by allocating tasks in zone Movable"),
	ZONE(69, "pgscan_kswapd_dma32", "Pages scanned by kswapd in zone DMA32"),
	ZONE(70, "pgscan_kswapd_movable", "Pages scanned by kswapd in zone Movable"),
	ZONE(71, "pgsteal_dma32", "Pages reclaimed in zone DMA32"),
	ZONE(72, "pgsteal_movable", "Pages reclaimed in zone Movable"),
	EVER(73, "thp_fault_alloc", "Huge pages allocated at a page fault"),
	EVER(74, "thp_fault_fallback", "Page faults that got small pages for want of a huge one"),
	EVER(75, "thp_collapse_alloc", "Huge pages allocated to take the place of small ones"),
	EVER(76, "thp_collapse_alloc_failed",
	  "Huge pages not to be had to take the place of small ones"),
	ROW(77, "thp_split", COUNTER, COUNT, "Huge pages split",
	    "Where the kernel does not tell it: pages split, and tries that failed."),
	EVER(78, "unevictable_pgs_cleared", "Unevictable pages freed or truncated"),
	EVER(79, "unevictable_pgs_culled", "Pages put on the unevictable list"),
	EVER(80, "unevictable_pgs_mlocked", "Pages locked"),
	ZONE(81, "unevictable_pgs_mlockfreed", "Pages freed while locked"),
	EVER(82, "unevictable_pgs_munlocked", "Pages unlocked"),
	EVER(83, "unevictable_pgs_rescued", "Pages taken off the unevictable list"),
	EVER(84, "unevictable_pgs_scanned", "Pages of the unevictable list scanned"),
	EVER(85, "unevictable_pgs_stranded",
	  "Pages that could not be taken off the unevictable list"),
	EVER(86, "zone_reclaim_failed", "Reclaims of one node that failed"),
	EVER(87, "kswapd_low_wmark_hit_quickly",
	  "Times that the low mark was hit soon after kswapd slept"),
	EVER(88, "kswapd_high_wmark_hit_quickly",
	  "Times that the high mark was hit soon after kswapd slept"),
	ZONE(89, "kswapd_skip_congestion_wait", "Times that kswapd did not wait for a busy disk"),
	NOW(90, "nr_anon_transparent_hugepages", COUNT, "Transparent huge pages of processes"),
	EVER(91, "nr_dirtied", "Pages of files made dirty"),
	NOW(92, "nr_dirty_background_threshold", COUNT,
	  "Dirty pages above which writing in the background begins"),
	NOW(93, "nr_dirty_threshold", COUNT, "Dirty pages above which writers are held up"),
	EVER(94, "nr_written", "Pages of files written"),
	EVER(95, "numa_foreign", "Pages meant for a node and allocated on another"),
	EVER(96, "numa_hit", "Pages allocated on the node meant"),
	EVER(97, "numa_interleave", "Pages interleaved over nodes as meant"),
	EVER(98, "numa_local", "Pages allocated on the node of the task"),
	EVER(99, "numa_miss", "Pages allocated on a node though meant for another"),
	EVER(100, "numa_other", "Pages allocated on a node by a task of another"),
	EVER(101, "thp_zero_page_alloc", "Huge zero pages allocated"),
	EVER(102, "thp_zero_page_alloc_failed", "Huge zero pages that could not be allocated"),
	EVER(103, "balloon_deflate", "Pages given back by the memory balloon"),
	EVER(104, "balloon_inflate", "Pages taken by the memory balloon"),
	EVER(105, "balloon_migrate", "Pages of the memory balloon moved"),
	EVER(106, "compact_daemon_wake", "Times that kcompactd was woken"),
	EVER(107, "compact_free_scanned", "Pages scanned by compaction for free ones"),
	EVER(108, "compact_migrate_scanned", "Pages scanned by compaction for ones to move"),
	EVER(109, "drop_pagecache", "Times that the cache of file contents was dropped by command"),
	EVER(110, "drop_slab", "Times that object caches were dropped by command"),
	EVER(111, "nr_free_cma", "Free pages of the contiguous allocator"),
	ROW(112, "nr_pages_scanned", COUNTER, COUNT, "Pages scanned since the last one was freed",
	    "Older kernels only."),
	EVER(113, "nr_vmscan_immediate_reclaim",
	  "Pages to be reclaimed as soon as they are written"),
	EVER(114, "numa_pages_migrated", "Pages moved to another node to be nearer"),
	EVER(115, "numa_pte_updates", "Page table entries marked for NUMA hints"),
	EVER(116, "pglazyfreed", "Pages freed that a process had given up with MADV_FREE"),
	EVER(117, "pgmigrate_fail", "Pages that could not be moved"),
	EVER(118, "pgmigrate_success", "Pages moved"),
	EVER(119, "thp_deferred_split_page", "Huge pages put on the list to be split"),
	EVER(120, "thp_split_page", "Huge pages split into small ones"),
	EVER(121, "thp_split_page_failed", "Huge pages that could not be split"),
	EVER(122, "thp_split_pmd", "Mappings of huge pages split"),
	ROW(123, "workingset_activate", COUNTER, COUNT,
	    "Reclaimed pages that came back and were made active at once",
	    "Older kernels only: later ones tell them apart."),
	EVER(124, "workingset_nodereclaim", "Nodes of evicted pages' shadows reclaimed"),
	ROW(125, "workingset_refault", COUNTER, COUNT,
	    "Reclaimed pages that came back", "Older kernels only: later ones tell them apart."),
	EVER(126, "compact_isolated", "Pages taken off the lists by compaction"),
	NOW(127, "nr_shmem_hugepages", COUNT, "Huge pages of shared memory and tmpfs"),
	NOW(128, "nr_shmem_pmdmapped", COUNT,
	  "Huge pages of shared memory and tmpfs mapped as such"),
	NOW(129, "nr_zone_inactive_anon", COUNT, "Inactive pages without a file, counted by zone"),
	NOW(130, "nr_zone_active_anon", COUNT, "Active pages without a file, counted by zone"),
	NOW(131, "nr_zone_inactive_file", COUNT, "Inactive pages of files, counted by zone"),
	NOW(132, "nr_zone_active_file", COUNT, "Active pages of files, counted by zone"),
	NOW(133, "nr_zone_unevictable", COUNT, "Pages that can't be reclaimed, counted by zone"),
	NOW(134, "nr_zone_write_pending", COUNT, "Pages dirty or being written, counted by zone"),
	NOW(135, "nr_zspages", COUNT, "Pages of the compressed memory allocator zsmalloc"),
	EVER(136, "thp_file_alloc", "Huge pages allocated for files"),
	EVER(137, "thp_file_mapped", "Huge pages of files mapped"),
	ZONE(138, "pgsteal_kswapd_dma", "Pages reclaimed by kswapd in zone DMA"),
	ZONE(139, "pgsteal_kswapd_dma32", "Pages reclaimed by kswapd in zone DMA32"),
	ZONE(140, "pgsteal_kswapd_normal", "Pages reclaimed by kswapd in zone Normal"),
	ZONE(141, "pgsteal_kswapd_movable", "Pages reclaimed by kswapd in zone Movable"),
	ZONE(142, "pgsteal_direct_dma", "Pages reclaimed by allocating tasks in zone DMA"),
	ZONE(143, "pgsteal_direct_dma32", "Pages reclaimed by allocating tasks in zone DMA32"),
	ZONE(144, "pgsteal_direct_normal", "Pages reclaimed by allocating tasks in zone Normal"),
	ZONE(145, "pgsteal_direct_movable", "Pages reclaimed by allocating tasks in zone Movable"),
	EVER(146, "pgscan_direct", "Pages scanned by allocating tasks"),
	EVER(147, "pgscan_direct_throttle",
	  "Times that an allocating task was held up before it scanned"),
	EVER(148, "pgscan_kswapd", "Pages scanned by kswapd"),
	EVER(149, "pgsteal_direct", "Pages reclaimed by allocating tasks"),
	EVER(150, "pgsteal_kswapd", "Pages reclaimed by kswapd"),
	EVER(151, "numa_huge_pte_updates", "Huge page table entries marked for NUMA hints"),
	EVER(152, "numa_hint_faults", "Page faults taken for NUMA hints"),
	EVER(153, "numa_hint_faults_local",
	  "Page faults taken for NUMA hints on the task's own node"),
	EVER(154, "allocstall_dma",
	  "Times that a task had to reclaim before it got a page of zone DMA"),
	EVER(155, "allocstall_dma32",
	  "Times that a task had to reclaim before it got a page of zone DMA32"),
	EVER(156, "allocstall_high",
	  "Times that a task had to reclaim before it got a page of high memory"),
	EVER(157, "allocstall_movable",
	  "Times that a task had to reclaim before it got a page of zone Movable"),
	EVER(158, "allocstall_normal",
	  "Times that a task had to reclaim before it got a page of zone Normal"),
	EVER(159, "compact_daemon_free_scanned", "Pages scanned by kcompactd for free ones"),
	EVER(160, "compact_daemon_migrate_scanned", "Pages scanned by kcompactd for ones to move"),
	NOW(161, "nr_file_hugepages", COUNT, "Huge pages of files"),
	NOW(162, "nr_file_pmdmapped", COUNT, "Huge pages of files mapped as such"),
	NOW(163, "nr_foll_pin_acquired", COUNT, "Times that a page was pinned for a device"),
	NOW(164, "nr_foll_pin_released", COUNT, "Times that a page pinned for a device was let go"),
	NOW(165, "nr_kernel_misc_reclaimable", COUNT,
	  "Kernel pages beyond object caches that can be reclaimed"),
	EVER(166, "oom_kill", "Processes killed for want of memory"),
	EVER(167, "pgsteal_file", "Pages of files reclaimed"),
	EVER(168, "swap_ra", "Pages read ahead from swap"),
	EVER(169, "swap_ra_hit", "Pages read ahead from swap that were wanted"),
	EVER(170, "thp_fault_fallback_charge",
	  "Page faults that got small pages for the limit of a control group"),
	EVER(171, "thp_split_pud", "Mappings of 1 Gbyte pages split"),
	EVER(172, "thp_swpout", "Huge pages swapped out whole"),
	EVER(173, "thp_swpout_fallback", "Huge pages split before they were swapped out"),
	EVER(174, "workingset_nodes", "Nodes that hold evicted pages' shadows"),
	ROW(175, "workingset_restore", COUNTER, COUNT,
	    "Reclaimed pages that came back and had been active before",
	    "Older kernels only: later ones tell them apart."),
	ROW(176, "pgscan_direct_total", COUNTER, COUNT,
	  "Pages scanned by allocating tasks, all zones",
	    "Added up over the zones where the kernel counts them by zone."),
	ROW(177, "pgscan_kswapd_total", COUNTER, COUNT, "Pages scanned by kswapd, all zones",
	    "Added up over the zones where the kernel counts them by zone."),
	ROW(178, "pgsteal_total", COUNTER, COUNT, "Pages reclaimed, all zones and ways",
	    "Added up over the zones, and over kswapd and allocating tasks."),

	{ "swap.pagesin", 0, 8, U32, COUNTER, ONE, AGENT_COUNT, AGENT_FIELD(struct vmstat, item[8]),
	  "Pages swapped in", "The low 32 bits of mem.vmstat.pswpin.", 0 },
	{ "swap.pagesout", 0, 9, U32, COUNTER, ONE, AGENT_COUNT,
	  AGENT_FIELD(struct vmstat, item[9]),
	  "Pages swapped out", "The low 32 bits of mem.vmstat.pswpout.", 0 },
	{ "swap.in", 0, 10, U32, COUNTER, ONE, AGENT_COUNT, FIELD(vmstat, swap_in),
	  "Swap-in operations", "Linux 2.4 reported it; later kernels count pages only.",
	  PM_ERR_APPVERSION },
	{ "swap.out", 0, 11, U32, COUNTER, ONE, AGENT_COUNT, FIELD(vmstat, swap_out),
	  "Swap-out operations", "Linux 2.4 reported it; later kernels count pages only.",
	  PM_ERR_APPVERSION },
};

/* Totals: the kernel's, or the sum of those of these that it reports (named by item). */
static const struct {
	short total;
	short parts[11]; /* ends with 0 */
} sums[] = {
	{ 5, { 37, 38 } },
	{ 77, { 120, 121 } },
	{ 176, { 146, 27, 28, 29, 67, 68 } },
	{ 177, { 148, 24, 25, 26, 69, 70 } },
	{ 178, { 149, 150, 138, 139, 140, 141, 142, 143, 144, 145 } },
	{ 178, { 21, 22, 23, 71, 72 } },
};
/* clang-format on */

static void add_up(struct vmstat *v)
{
	for (size_t i = 0; i < NROWS(sums); i++) {
		uint64_t *total = &v->item[sums[i].total];

		if (*total != UINT64_MAX)
			continue;
		for (const short *part = sums[i].parts; *part != 0; part++)
			if (v->item[*part] != UINT64_MAX)
				*total = (*total == UINT64_MAX ? 0 : *total) + v->item[*part];
	}
}

static int vmstat_refresh(struct agent_refresh *r, void *snapshot)
{
	static struct keys keys;
	struct scan s;
	long n = agent_read(r, "proc/vmstat", &s.p);

	if (n < 0)
		return (int)n;
	if (!keys_init_rows(&keys, PREFIX, vmstat_metrics, NROWS(vmstat_metrics)))
		return -ENOMEM;
	do {
		keys_line(&keys, snapshot, &s);
	} while (scan_next_line(&s));
	add_up(snapshot);
	return 0;
}

const struct agent_cluster vmstat_cluster = {
    .name = "vmstat",
    .source = "/proc/vmstat",
    .size = sizeof(struct vmstat),
    .refresh = vmstat_refresh,
    .metrics = vmstat_metrics,
    .nmetrics = NROWS(vmstat_metrics),
};

/* meminfo - memory and swap as a whole, the kernel's object caches, each swap device. */
#include <errno.h>
#include <unistd.h>

#include "keys.h"
#include "linux.h"
#include "scan.h"

/*
 * ---- meminfo ----
 *
 * Memory and swap as a whole: /proc/meminfo.
 *
 * Keys come and go with kernel versions and configurations; a missing key is absent.
 */

/* Kbytes as in the file, counts of huge pages, and computed values (the last block). */
struct meminfo {
	uint64_t total, free, available, shared, buffers, cached, swap_cached;
	uint64_t active, inactive, active_anon, inactive_anon, active_file, inactive_file;
	uint64_t unevictable, mlocked, high_total, high_free, low_total, low_free, mmap_copy;
	uint64_t swap_total, swap_free, dirty, writeback, anon_pages, mapped, shmem;
	uint64_t slab, slab_reclaimable, slab_unreclaimable, kernel_stack, page_tables;
	uint64_t reverse_maps, nfs_unstable, bounce, quicklists, commit_limit, committed_as;
	uint64_t vmalloc_total, vmalloc_used, vmalloc_chunk, hardware_corrupted, anon_huge_pages;
	uint64_t huge_total, huge_free, huge_reserved, huge_surplus, huge_size;
	uint64_t direct_map_4k, direct_map_2m, direct_map_1g;

	uint64_t used, other, cache_clean, physmem_mb, huge_size_bytes;
	uint64_t huge_total_bytes, huge_free_bytes, huge_reserved_bytes, huge_surplus_bytes;
	uint64_t swap_length, swap_used, swap_free_bytes;
};

#define KEY(file, member)                                                                          \
	{                                                                                          \
		file, offsetof(struct meminfo, member)                                             \
	}

/* clang-format off */
static const struct key meminfo_keys[] = {
	KEY("MemTotal", total), KEY("MemFree", free), KEY("MemAvailable", available),
	KEY("MemShared", shared), KEY("Buffers", buffers), KEY("Cached", cached),
	KEY("SwapCached", swap_cached), KEY("Active", active), KEY("Inactive", inactive),
	KEY("Active(anon)", active_anon), KEY("Inactive(anon)", inactive_anon),
	KEY("Active(file)", active_file), KEY("Inactive(file)", inactive_file),
	KEY("Unevictable", unevictable), KEY("Mlocked", mlocked),
	KEY("HighTotal", high_total), KEY("HighFree", high_free), KEY("LowTotal", low_total),
	KEY("LowFree", low_free), KEY("MmapCopy", mmap_copy), KEY("SwapTotal", swap_total),
	KEY("SwapFree", swap_free), KEY("Dirty", dirty), KEY("Writeback", writeback),
	KEY("AnonPages", anon_pages), KEY("Mapped", mapped), KEY("Shmem", shmem),
	KEY("Slab", slab), KEY("SReclaimable", slab_reclaimable),
	KEY("SUnreclaim", slab_unreclaimable), KEY("KernelStack", kernel_stack),
	KEY("PageTables", page_tables), KEY("ReverseMaps", reverse_maps),
	KEY("NFS_Unstable", nfs_unstable), KEY("Bounce", bounce), KEY("Quicklists", quicklists),
	KEY("CommitLimit", commit_limit), KEY("Committed_AS", committed_as),
	KEY("VmallocTotal", vmalloc_total), KEY("VmallocUsed", vmalloc_used),
	KEY("VmallocChunk", vmalloc_chunk), KEY("HardwareCorrupted", hardware_corrupted),
	KEY("AnonHugePages", anon_huge_pages), KEY("HugePages_Total", huge_total),
	KEY("HugePages_Free", huge_free), KEY("HugePages_Rsvd", huge_reserved),
	KEY("HugePages_Surp", huge_surplus), KEY("Hugepagesize", huge_size),
	KEY("DirectMap4k", direct_map_4k), KEY("DirectMap2M", direct_map_2m),
	KEY("DirectMap1G", direct_map_1g),
};

/* Most rows: an instantaneous number of cluster 1 without instances. */
#define MEM(name, item, units, member, text, more)                                                 \
	{ name, 1, item, U64, INSTANT, ONE, units, FIELD(meminfo, member), text, more, 0 }
#define KB(name, item, member, text, more) MEM("mem.util." name, item, AGENT_KBYTE, member, text, \
	more)

static const struct agent_metric meminfo_metrics[] = {
	{ "mem.physmem", 1, 0, U64, DISCRETE, ONE, AGENT_KBYTE, FIELD(meminfo, total),
	  "Memory that the kernel manages",
	  "Installed memory less what firmware and kernel image hold.", 0 },
	{ "hinv.physmem", 1, 9, U32, DISCRETE, ONE, AGENT_MBYTE, FIELD(meminfo, physmem_mb),
	  "Memory that the kernel manages, in Mbytes", "mem.physmem, rounded down.", 0 },
	{ "hinv.hugepagesize", 1, 59, U32, DISCRETE, ONE, AGENT_BYTE,
	  FIELD(meminfo, huge_size_bytes),
	  "Size of a huge page of the default size", NULL, 0 },
	MEM("mem.freemem", 10, AGENT_KBYTE, free, "Memory that nothing uses", "As mem.util.free."),
	KB("used", 1, used, "Memory in use", "Total less free: caches count as used."),
	KB("free", 2, free, "Memory that nothing uses",
	   "Low on a healthy machine; mem.util.available tells what programs can have."),
	KB("shared", 3, shared, "Shared memory, as kernels before 2.6 reported it",
	  "Later ones: mem.util.shmem."),
	KB("bufmem", 4, buffers, "Cache of raw blocks of disks",
	  "Metadata of file systems, mostly."),
	KB("cached", 5, cached, "Cache of file contents",
	  "tmpfs and shared memory included, swap cache not."),
	KB("other", 12, other, "Memory in use beyond the caches", "used less cached and bufmem."),
	KB("swapCached", 13, swap_cached, "Memory that also has a copy in swap",
	   "It was swapped out, is back in, and can be dropped without writing it again."),
	KB("active", 14, active, "Memory used recently", NULL),
	KB("inactive", 15, inactive, "Memory not used recently", "Reclaimed first."),
	KB("highTotal", 16, high_total, "High memory",
	  "Of 32-bit kernels: not mapped all the time."),
	KB("highFree", 17, high_free, "High memory that nothing uses", "Of 32-bit kernels."),
	KB("lowTotal", 18, low_total, "Low memory", "Of 32-bit kernels: mapped all the time."),
	KB("lowFree", 19, low_free, "Low memory that nothing uses", "Of 32-bit kernels."),
	KB("swapTotal", 20, swap_total, "Swap space", NULL),
	KB("swapFree", 21, swap_free, "Swap space that nothing uses", NULL),
	KB("dirty", 22, dirty, "File contents that must still be written to disk", NULL),
	KB("writeback", 23, writeback, "File contents being written to disk", NULL),
	KB("mapped", 24, mapped, "Files mapped into processes", "Libraries and programs too."),
	KB("slab", 25, slab, "Memory of the kernel's object caches",
	  "slabReclaimable and slabUnreclaimable."),
	KB("committed_AS", 26, committed_as, "Memory promised to processes",
	   "What all would need if they used everything that they asked for."),
	KB("pageTables", 27, page_tables, "Page tables of processes", NULL),
	KB("reverseMaps", 28, reverse_maps, "Reverse maps", "Told by early 2.6 kernels only."),
	KB("cache_clean", 29, cache_clean, "Cache of file contents that can be dropped",
	   "cached less dirty and writeback."),
	KB("anonpages", 30, anon_pages, "Memory of processes that is not of a file", NULL),
	KB("commitLimit", 31, commit_limit, "Memory that may be promised to processes",
	   "Binding only where vm.overcommit_memory is 2."),
	KB("bounce", 32, bounce, "Copies for devices that can't reach all memory", NULL),
	KB("NFS_Unstable", 33, nfs_unstable, "Pages sent to an NFS server and not yet on its disk",
	   "Always 0 since Linux 5.8: they count as writeback."),
	KB("slabReclaimable", 34, slab_reclaimable, "Object caches that can be shrunk",
	  "Names and inodes, mostly."),
	KB("slabUnreclaimable", 35, slab_unreclaimable, "Object caches that can't be shrunk", NULL),
	KB("active_anon", 36, active_anon, "Memory without a file that was used recently", NULL),
	KB("inactive_anon", 37, inactive_anon, "Memory without a file that was not used recently",
	  NULL),
	KB("active_file", 38, active_file, "File contents used recently", NULL),
	KB("inactive_file", 39, inactive_file, "File contents not used recently", NULL),
	KB("unevictable", 40, unevictable, "Memory that can't be reclaimed",
	  "Locked, or of ramfs, for example."),
	KB("mlocked", 41, mlocked, "Memory locked by mlock(2)", NULL),
	KB("shmem", 42, shmem, "Shared memory and tmpfs", NULL),
	KB("kernelStack", 43, kernel_stack, "Stacks of tasks in the kernel", NULL),
	MEM("mem.util.hugepagesTotal", 44, AGENT_COUNT, huge_total, "Huge pages in the pool",
	    "Of the default size, hinv.hugepagesize."),
	MEM("mem.util.hugepagesFree", 45, AGENT_COUNT, huge_free, "Huge pages that nothing uses",
	  NULL),
	MEM("mem.util.hugepagesRsvd", 46, AGENT_COUNT, huge_reserved,
	    "Huge pages promised and not yet used", NULL),
	MEM("mem.util.hugepagesSurp", 47, AGENT_COUNT, huge_surplus,
	    "Huge pages beyond the size of the pool", "Given back when they are no more in use."),
	KB("directMap4k", 48, direct_map_4k, "Kernel mapping in pages of 4 Kbyte", NULL),
	KB("directMap2M", 49, direct_map_2m, "Kernel mapping in pages of 2 Mbyte", NULL),
	KB("directMap1G", 57, direct_map_1g, "Kernel mapping in pages of 1 Gbyte", NULL),
	KB("vmallocTotal", 50, vmalloc_total, "Address space for vmalloc", NULL),
	KB("vmallocUsed", 51, vmalloc_used, "Address space that vmalloc uses", NULL),
	KB("vmallocChunk", 52, vmalloc_chunk, "Largest free block of the vmalloc space",
	   "Always 0 in later kernels."),
	KB("mmap_copy", 53, mmap_copy, "Copies that are used in place of mappings",
	  "Of machines without an MMU."),
	KB("quicklists", 54, quicklists, "Page tables kept for reuse",
	  "Told by kernels before 5.5."),
	KB("corrupthardware", 55, hardware_corrupted, "Memory taken out of use for hardware errors",
	  NULL),
	KB("anonhugepages", 56, anon_huge_pages, "Memory of processes in transparent huge pages",
	  NULL),
	KB("available", 58, available, "Memory that programs can have without swapping",
	   "The kernel's estimate: free, and the caches that can be dropped."),
	MEM("mem.util.hugepagesTotalBytes", 60, AGENT_BYTE, huge_total_bytes,
	    "Size of the pool of huge pages", "hugepagesTotal times hinv.hugepagesize."),
	MEM("mem.util.hugepagesFreeBytes", 61, AGENT_BYTE, huge_free_bytes,
	    "Huge pages that nothing uses, in bytes", "hugepagesFree times hinv.hugepagesize."),
	MEM("mem.util.hugepagesRsvdBytes", 62, AGENT_BYTE, huge_reserved_bytes,
	    "Huge pages promised and not yet used, in bytes",
	    "hugepagesRsvd times hinv.hugepagesize."),
	MEM("mem.util.hugepagesSurpBytes", 63, AGENT_BYTE, huge_surplus_bytes,
	    "Huge pages beyond the size of the pool, in bytes",
	    "hugepagesSurp times hinv.hugepagesize."),
	MEM("swap.length", 6, AGENT_BYTE, swap_length, "Swap space, in bytes", NULL),
	MEM("swap.used", 7, AGENT_BYTE, swap_used, "Swap space in use, in bytes", NULL),
	MEM("swap.free", 8, AGENT_BYTE, swap_free_bytes, "Swap space that nothing uses, in bytes",
	  NULL),
};
/* clang-format on */

static const uint64_t absent = UINT64_MAX;

/* Absent if any part is; never below 0. */
static uint64_t minus(uint64_t a, uint64_t b)
{
	if (a == absent || b == absent)
		return absent;
	return a > b ? a - b : 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	if (a == absent || b == absent)
		return absent;
	return a * b;
}

static void meminfo_compute(struct meminfo *m)
{
	m->used = minus(m->total, m->free);
	m->other = minus(minus(m->used, m->cached), m->buffers);
	m->cache_clean = minus(minus(m->cached, m->dirty), m->writeback);
	m->physmem_mb = m->total != absent ? m->total / 1024 : absent;
	m->huge_size_bytes = times(m->huge_size, 1024);
	m->huge_total_bytes = times(m->huge_total, m->huge_size_bytes);
	m->huge_free_bytes = times(m->huge_free, m->huge_size_bytes);
	m->huge_reserved_bytes = times(m->huge_reserved, m->huge_size_bytes);
	m->huge_surplus_bytes = times(m->huge_surplus, m->huge_size_bytes);
	m->swap_length = times(m->swap_total, 1024);
	m->swap_free_bytes = times(m->swap_free, 1024);
	m->swap_used = times(minus(m->swap_total, m->swap_free), 1024);
}

static int meminfo_refresh(struct agent_refresh *r, void *snapshot)
{
	static struct keys keys;
	struct scan s;
	long n = agent_read(r, "proc/meminfo", &s.p);

	if (n < 0)
		return (int)n;
	if (!keys_init(&keys, meminfo_keys, NROWS(meminfo_keys)))
		return -ENOMEM;
	do {
		keys_line(&keys, snapshot, &s);
	} while (scan_next_line(&s));
	meminfo_compute(snapshot);
	return 0;
}

const struct agent_cluster meminfo_cluster = {
    .name = "meminfo",
    .source = "/proc/meminfo",
    .size = sizeof(struct meminfo),
    .refresh = meminfo_refresh,
    .metrics = meminfo_metrics,
    .nmetrics = NROWS(meminfo_metrics),
};

/*
 * ---- slabinfo ----
 *
 * The kernel's object caches: /proc/slabinfo, which only root may read.
 *
 *     # name  <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables 0 0 0
 *       : slabdata <active_slabs> <num_slabs> <sharedavail>
 */

/* The file's five columns, and the first two of slabdata. */
enum { ACTIVE_OBJECTS, OBJECTS, OBJECT_SIZE, OBJECTS_PER_SLAB, PAGES_PER_SLAB, NCOLUMNS };
enum { ACTIVE_SLABS, SLABS, NSLABDATA };

struct slab {
	uint64_t column[NCOLUMNS];
	uint64_t slabdata[NSLABDATA];
	uint64_t total_size;
};

static const struct agent_indom slab_indom = {
    12, 0, NULL, 0, "Object caches of the kernel", "By the cache's name.",
};

/* clang-format off */
#define SLAB(name, item, type, units, member, text)                                                \
	{ "mem.slabinfo." name, 20, item, type, INSTANT, &slab_indom, units, FIELD(slab, member),  \
	  text, NULL, 0 }

static const struct agent_metric slabinfo_metrics[] = {
	SLAB("objects.active", 0, U64, AGENT_NONE, column[ACTIVE_OBJECTS],
	  "Objects in use in each cache"),
	SLAB("objects.total", 1, U64, AGENT_NONE, column[OBJECTS],
	  "Objects that each cache has room for"),
	SLAB("objects.size", 2, U32, AGENT_BYTE, column[OBJECT_SIZE],
	  "Size of an object of each cache"),
	SLAB("slabs.active", 3, U32, AGENT_NONE, slabdata[ACTIVE_SLABS],
	  "Slabs of each cache with objects in use"),
	SLAB("slabs.total", 4, U32, AGENT_NONE, slabdata[SLABS], "Slabs of each cache"),
	SLAB("slabs.pages_per_slab", 5, U32, AGENT_NONE, column[PAGES_PER_SLAB],
	  "Pages of a slab of each cache"),
	SLAB("slabs.objects_per_slab", 6, U32, AGENT_NONE, column[OBJECTS_PER_SLAB],
	     "Objects in a slab of each cache"),
	SLAB("slabs.total_size", 7, U64, AGENT_BYTE, total_size,
	  "Memory of each cache's active objects, with their share of the slabs"),
};
/* clang-format on */

static int read_slab(struct agent_refresh *r, struct scan *s, uint64_t page_bytes)
{
	const char *name;
	struct slab *slab;
	size_t len;

	if (*s->p == '#' || !scan_word(s, &name, &len))
		return 0;
	slab = agent_add(r, &slab_indom, name, len);
	if (slab == NULL)
		return -ENOMEM;
	if (scan_u64s(s, slab->column, NCOLUMNS) < NCOLUMNS)
		return 0;
	for (; *s->p != '\0' && *s->p != '\n'; s->p++)
		if (scan_text(s, ": slabdata"))
			break;
	scan_u64s(s, slab->slabdata, NSLABDATA);
	if (slab->column[OBJECTS_PER_SLAB] != 0)
		slab->total_size = slab->column[ACTIVE_OBJECTS] * slab->column[PAGES_PER_SLAB] *
				   page_bytes / slab->column[OBJECTS_PER_SLAB];
	return 0;
}

static int slabinfo_refresh(struct agent_refresh *r, void *snapshot)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct scan s;
	long n = agent_read(r, "proc/slabinfo", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	while (status == 0 && scan_next_line(&s)) /* the first line is the version */
		status = read_slab(r, &s, page_bytes);
	return status;
}

const struct agent_cluster slabinfo_cluster = {
    .name = "slabinfo",
    .source = "/proc/slabinfo",
    .refresh = slabinfo_refresh,
    .metrics = slabinfo_metrics,
    .nmetrics = NROWS(slabinfo_metrics),
    .fills = {{&slab_indom, sizeof(struct slab), 1}},
    .wait_ms = 20,
};

/*
 * ---- swaps ----
 *
 * Each swap device and file: /proc/swaps.
 *
 *     Filename        Type            Size            Used            Priority
 *     /dev/dm-1       partition       8388604         0               -2
 */

struct swap {
	uint64_t length;
	uint64_t used;
	uint64_t free;
	uint64_t vlength;
	int64_t priority;
};

static const struct agent_indom swap_indom = {
    6, 0, NULL, 0, "Swap devices and files", "By path, as /proc/swaps tells it.",
};

/* clang-format off */
static const struct agent_metric swaps_metrics[] = {
	{ "swapdev.free", 6, 0, U32, INSTANT, &swap_indom, AGENT_KBYTE, FIELD(swap, free),
	  "Space of each swap device that nothing uses", NULL, 0 },
	{ "swapdev.length", 6, 1, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, length),
	  "Size of each swap device", NULL, 0 },
	{ "swapdev.maxswap", 6, 2, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, length),
	  "Largest size that each swap device can have", "On Linux its size: swapdev.length.", 0 },
	{ "swapdev.vlength", 6, 3, U32, DISCRETE, &swap_indom, AGENT_KBYTE, FIELD(swap, vlength),
	  "Virtual swap of each swap device", "Linux has none: always 0.", 0 },
	{ "swapdev.priority", 6, 4, S32, INSTANT, &swap_indom, AGENT_NONE, FIELD(swap, priority),
	  "Priority of each swap device",
	  "The highest is used first; negative ones were given by the "
	  "kernel.", 0 },
};
/* clang-format on */

static int read_swap(struct agent_refresh *r, struct scan *s)
{
	const char *name, *type;
	size_t len, type_len;
	struct swap *swap;

	if (*s->p != '/' || !scan_word(s, &name, &len))
		return 0;
	swap = agent_add(r, &swap_indom, name, len);
	if (swap == NULL)
		return -ENOMEM;
	swap->vlength = 0;
	if (!scan_word(s, &type, &type_len) || !scan_u64(s, &swap->length) ||
	    !scan_u64(s, &swap->used))
		return 0;
	swap->free = swap->length > swap->used ? swap->length - swap->used : 0;
	scan_i64(s, &swap->priority);
	return 0;
}

static int swaps_refresh(struct agent_refresh *r, void *snapshot)
{
	struct scan s;
	long n = agent_read(r, "proc/swaps", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	while (status == 0 && scan_next_line(&s)) /* the first line is the head */
		status = read_swap(r, &s);
	return status;
}

const struct agent_cluster swaps_cluster = {
    .name = "swaps",
    .source = "/proc/swaps",
    .refresh = swaps_refresh,
    .metrics = swaps_metrics,
    .nmetrics = NROWS(swaps_metrics),
    .fills = {{&swap_indom, sizeof(struct swap), 1}},
};

/*
 * zones - memory by zone and node: /proc/zoneinfo, and free memory by the size of its blocks:
 * /proc/buddyinfo.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "keys.h"
#include "linux.h"
#include "scan.h"

/* ---- "Node 0, zone   Normal": how the lines of /proc/buddyinfo and /proc/zoneinfo begin ---- */

enum { ZONE_NAME_MAX = 32 };

struct zone_name {
	uint64_t node;
	const char *zone;
	size_t len;
};

/* False, with s and *ret_name as they were, if the line begins otherwise or the name is too long.
 */
static inline bool zone_read(struct scan *s, struct zone_name *ret_name)
{
	struct scan at = *s;
	struct zone_name name;

	if (!scan_text(&at, "Node") || !scan_u64(&at, &name.node) || !scan_text(&at, ", zone") ||
	    !scan_word(&at, &name.zone, &name.len) || name.len > ZONE_NAME_MAX)
		return false;
	*ret_name = name;
	*s = at;
	return true;
}

/*
 * ---- zoneinfo ----
 *
 * Memory by zone and node: /proc/zoneinfo. A row's last word is the file's key.
 *
 *     Node 0, zone      DMA
 *       per-node stats                    values of instance node0 (kernels since 4.8)
 *           nr_inactive_anon 8159
 *       pages free     3840               values of instance DMA::node0
 *             min      52
 *             protection: (0, 3019, 4811)
 *           nr_mlock     0
 *       pagesets                          ends the zone's values
 *
 * The kernel counts pages; our unit is the Kbyte, as in all of this group. Zones without memory
 * have no values except those of protection.
 */

enum { ZONE_NITEMS = 68 };

struct zone {
	uint64_t item[ZONE_NITEMS];
};

struct protection {
	uint64_t value;
};

static const struct agent_indom zone_indom = {
    32,
    0,
    NULL,
    0,
    "Memory zones and nodes",
    "ZONE::nodeN for a zone with memory; nodeN for what the kernel counts for a whole node.",
};
static const struct agent_indom protection_indom = {
    33,
    0,
    NULL,
    0,
    "Memory zones by the zones they are protected from",
    "ZONE::nodeN::lowmem_reservedM.",
};

/* clang-format off */
#define PREFIX "mem.zoneinfo."
#define ROW(n, key, text, more)                                                                    \
	{ PREFIX key, 68, n, U64, INSTANT, &zone_indom, AGENT_KBYTE,                               \
	  AGENT_FIELD(struct zone, item[n]), text, more, 0 }
#define KB(n, key, text)   ROW(n, key, text, NULL)
#define EVER(n, key, text) ROW(n, key, text, "Since boot, in Kbytes' worth of pages.")

enum { FREE = 0, PRESENT = 6, KERNEL_STACK = 24 };

static const struct agent_metric zoneinfo_metrics[] = {
	KB(0, "free", "Free memory of each zone"),
	KB(1, "min", "Free memory below which only urgent requests get some"),
	KB(2, "low", "Free memory below which kswapd is woken"),
	KB(3, "high", "Free memory at which kswapd goes to sleep"),
	ROW(4, "scanned", "Memory scanned since some was freed last", "Older kernels only."),
	KB(5, "spanned", "Size of each zone, holes included"),
	KB(6, "present", "Size of each zone without holes"),
	KB(7, "managed", "Memory of each zone that the page allocator manages"),
	KB(8, "nr_free_pages", "Free memory of each zone, as the kernel's statistics count it"),
	ROW(9, "nr_alloc_batch", "Memory that may be taken before another zone's turn",
	  "Older kernels only."),
	KB(10, "nr_inactive_anon", "Inactive memory without a file"),
	KB(11, "nr_active_anon", "Active memory without a file"),
	KB(12, "nr_inactive_file", "Inactive file contents"),
	KB(13, "nr_active_file", "Active file contents"),
	KB(14, "nr_unevictable", "Memory that can't be reclaimed"),
	KB(15, "nr_mlock", "Memory locked by mlock(2)"),
	KB(16, "nr_anon_pages", "Memory of processes without a file"),
	KB(17, "nr_mapped", "Files mapped into processes"),
	KB(18, "nr_file_pages", "File contents"),
	KB(19, "nr_dirty", "File contents that must still be written"),
	KB(20, "nr_writeback", "File contents being written"),
	KB(21, "nr_slab_reclaimable", "Object caches that can be shrunk"),
	KB(22, "nr_slab_unreclaimable", "Object caches that can't be shrunk"),
	KB(23, "nr_page_table_pages", "Page tables"),
	KB(24, "nr_kernel_stack", "Stacks of tasks in the kernel"),
	KB(25, "nr_unstable", "Pages sent to an NFS server and not yet on its disk"),
	KB(26, "nr_bounce", "Copies for devices that can't reach all memory"),
	EVER(27, "nr_vmscan_write", "Written by reclaim"),
	EVER(28, "nr_vmscan_immediate_reclaim", "To be reclaimed as soon as written"),
	KB(29, "nr_writeback_temp", "Pages of FUSE being written"),
	KB(30, "nr_isolated_anon",
	  "Memory without a file, off the lists while reclaim looks at it"),
	KB(31, "nr_isolated_file", "File contents, off the lists while reclaim looks at them"),
	KB(32, "nr_shmem", "Shared memory and tmpfs"),
	EVER(33, "nr_dirtied", "File contents made dirty"),
	EVER(34, "nr_written", "File contents written"),
	EVER(35, "numa_hit", "Allocated on the node meant"),
	EVER(36, "numa_miss", "Allocated here though meant for another node"),
	EVER(37, "numa_foreign", "Meant for this node and allocated on another"),
	EVER(38, "numa_interleave", "Interleaved over nodes as meant"),
	EVER(39, "numa_local", "Allocated by tasks that ran on the node"),
	EVER(40, "numa_other", "Allocated by tasks that ran on another node"),
	ROW(41, "workingset_refault", "Reclaimed pages that came back", "Older kernels only."),
	ROW(42, "workingset_activate", "Reclaimed pages that came back and were made active",
	  "Older kernels only."),
	EVER(43, "workingset_nodereclaim", "Nodes of evicted pages' shadows reclaimed"),
	KB(44, "nr_anon_transparent_hugepages",
	  "Transparent huge pages of processes, counted as one page each"),
	KB(45, "nr_free_cma", "Free memory of the contiguous allocator"),
	KB(46, "cma", "Memory of the contiguous allocator"),
	KB(47, "nr_swapcached", "Memory that also has a copy in swap"),
	KB(48, "nr_shmem_hugepages",
	  "Huge pages of shared memory and tmpfs, counted as one page each"),
	KB(49, "nr_shmem_pmdmapped",
	  "Huge pages of shared memory and tmpfs mapped as such, counted as one page each"),
	KB(50, "nr_file_hugepages", "Huge pages of files, counted as one page each"),
	KB(51, "nr_file_pmdmapped", "Huge pages of files mapped as such, counted as one page each"),
	KB(52, "nr_kernel_misc_reclaimable",
	  "Kernel memory beyond object caches that can be reclaimed"),
	EVER(53, "nr_foll_pin_acquired", "Pinned for a device"),
	EVER(54, "nr_foll_pin_released", "Pinned for a device and let go"),
	EVER(55, "workingset_refault_anon", "Reclaimed pages without a file that came back"),
	EVER(56, "workingset_refault_file", "Reclaimed pages of files that came back"),
	EVER(57, "workingset_active_anon",
	  "Reclaimed pages without a file that came back and were made active"),
	EVER(58, "workingset_active_file",
	  "Reclaimed pages of files that came back and were made active"),
	EVER(59, "workingset_restore_anon",
	  "Reclaimed pages without a file that came back and had been active"),
	EVER(60, "workingset_restore_file",
	  "Reclaimed pages of files that came back and had been active"),
	KB(61, "nr_zspages", "Memory of the compressed memory allocator zsmalloc"),
	KB(62, "nr_zone_inactive_file", "Inactive file contents, counted by zone"),
	KB(63, "nr_zone_active_file", "Active file contents, counted by zone"),
	KB(64, "nr_zone_inactive_anon", "Inactive memory without a file, counted by zone"),
	KB(65, "nr_zone_active_anon", "Active memory without a file, counted by zone"),
	KB(66, "nr_zone_unevictable", "Memory that can't be reclaimed, counted by zone"),
	KB(67, "nr_zone_write_pending", "File contents dirty or being written, counted by zone"),

	{ "mem.zoneinfo.protection", 70, 0, U64, INSTANT, &protection_indom, AGENT_KBYTE,
	  FIELD(protection, value), "Memory of each zone kept back from requests for other zones",
	  "lowmem_reservedM is kept back from requests that could be served from zone M.", 0 },
};
/* clang-format on */

/* Words of the file whose row has another name. */
static const struct key other_keys[] = {
    {"workingset_activate_anon", offsetof(struct zone, item[57])},
    {"workingset_activate_file", offsetof(struct zone, item[58])},
};

/* The zone being read. */
struct reading {
	struct agent_refresh *r;
	struct zone_name name;
	struct zone *values; /* where numbers go; NULL: nowhere */
	uint64_t page_kb;
};

static void to_kbytes(struct zone *z, uint64_t page_kb)
{
	for (int i = 0; i < ZONE_NITEMS; i++)
		if (i != KERNEL_STACK && z->item[i] != UINT64_MAX) /* in Kbytes */
			z->item[i] *= page_kb;
}

/* The next numbers go to a new instance; those of the last one are complete. */
static int begin(struct reading *at, const char *prefix, size_t len)
{
	char name[80];
	int n;

	if (at->values != NULL)
		to_kbytes(at->values, at->page_kb);
	at->values = NULL;
	if (prefix == NULL)
		return 0;
	n = snprintf(name, sizeof(name), "%.*s%snode%u", (int)len, prefix, len != 0 ? "::" : "",
		     (unsigned int)at->name.node);
	at->values = agent_add(at->r, &zone_indom, name, (size_t)n);
	return at->values != NULL ? 0 : -ENOMEM;
}

/* True if the zone has memory: its line "present" follows. */
static bool has_memory(struct scan s)
{
	struct zone_name next;
	uint64_t pages;

	while (scan_next_line(&s) && !zone_read(&s, &next)) {
		scan_blanks(&s);
		if (scan_text(&s, "present "))
			return scan_u64(&s, &pages) && pages != 0;
	}
	return false;
}

static int read_protection(struct reading *at, struct scan *s)
{
	char name[96];
	uint64_t pages;

	scan_blanks(s);
	for (unsigned int i = 0; (*s->p == '(' || *s->p == ',') && i < 64; i++) {
		struct protection *p;
		int n;

		s->p++;
		if (!scan_u64(s, &pages))
			break;
		n = snprintf(name, sizeof(name), "%.*s::node%u::lowmem_reserved%u",
			     (int)at->name.len, at->name.zone, (unsigned int)at->name.node, i);
		p = agent_add(at->r, &protection_indom, name, (size_t)n);
		if (p == NULL)
			return -ENOMEM;
		p->value = pages * at->page_kb;
	}
	return 0;
}

static int zoneinfo_read_line(struct reading *at, const struct keys *keys, struct scan *s)
{
	int status = 0;

	if (zone_read(s, &at->name))
		return begin(at, NULL, 0);
	scan_blanks(s);
	if (scan_text(s, "per-node stats"))
		return begin(at, "", 0);
	if (scan_text(s, "pagesets"))
		return begin(at, NULL, 0);
	if (scan_text(s, "protection:"))
		return read_protection(at, s);
	if (scan_text(s, "pages "))
		status =
		    has_memory(*s) ? begin(at, at->name.zone, at->name.len) : begin(at, NULL, 0);
	if (status == 0 && at->values != NULL)
		keys_line(keys, at->values, s);
	return status;
}

static bool zone_keys(struct keys *keys)
{
	struct key table[ZONE_NITEMS + NROWS(other_keys)];
	unsigned int n = 0;

	if (keys->slots != NULL)
		return true;
	for (; n < ZONE_NITEMS; n++)
		table[n] = (struct key){zoneinfo_metrics[n].name + strlen(PREFIX),
					zoneinfo_metrics[n].value.offset};
	memcpy(&table[n], other_keys, sizeof(other_keys));
	return keys_init(keys, table, ZONE_NITEMS + NROWS(other_keys));
}

static int zoneinfo_refresh(struct agent_refresh *r, void *snapshot)
{
	static struct keys keys;
	struct reading at = {.r = r, .page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024};
	struct scan s;
	long n = agent_read(r, "proc/zoneinfo", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	if (!zone_keys(&keys))
		return -ENOMEM;
	at.name.zone = "";
	do {
		status = zoneinfo_read_line(&at, &keys, &s);
	} while (status == 0 && scan_next_line(&s));
	if (status == 0)
		status = begin(&at, NULL, 0);
	return status;
}

const struct agent_cluster zoneinfo_cluster = {
    .name = "zoneinfo",
    .source = "/proc/zoneinfo",
    .refresh = zoneinfo_refresh,
    .metrics = zoneinfo_metrics,
    .nmetrics = NROWS(zoneinfo_metrics),
    .fills = {{&zone_indom, sizeof(struct zone), 1},
	      {&protection_indom, sizeof(struct protection), 1}},
    .wait_ms = 20,
};

/*
 * ---- buddyinfo ----
 *
 * Free memory by the size of its blocks: /proc/buddyinfo.
 *
 *     Node 0, zone   Normal   4553   7681   5452 ...      blocks of 1, 2, 4, ... pages
 */

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

static int buddyinfo_read_zone(struct agent_refresh *r, struct scan *s,
			       const struct zone_name *zone, uint64_t page_kb)
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
			status = buddyinfo_read_zone(r, &s, &zone, page_kb);
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

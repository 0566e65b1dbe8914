/*
 * diskstats - input and output of block devices: /proc/diskstats; and their sizes:
 * /proc/partitions.
 */
#include "diskstats.h"

#include <errno.h>
#include <string.h>

#include "disks.h"
#include "keys.h"
#include "linux.h"
#include "scan.h"

/* ---- a device's line (diskstats.h) ---- */

static uint64_t diskio_sum(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return b;
	return b == UINT64_MAX ? a : a + b;
}

static uint64_t kbytes(uint64_t sectors)
{
	return sectors == UINT64_MAX ? sectors : sectors / 2;
}

void io_compute(struct io *io)
{
	io->total = diskio_sum(io->column[READ], io->column[WRITE]);
	io->blktotal = diskio_sum(io->column[BLKREAD], io->column[BLKWRITE]);
	io->read_kb = kbytes(io->column[BLKREAD]);
	io->write_kb = kbytes(io->column[BLKWRITE]);
	io->total_kb = kbytes(io->blktotal);
	io->discard_kb = kbytes(io->column[BLKDISCARD]);
	io->total_ms = diskio_sum(io->column[READ_MS], io->column[WRITE_MS]);
}

void io_read(struct scan *s, struct io *io)
{
	int n = scan_u64s(s, io->column, NCOLUMNS);

	if (n == 4) {
		io->column[BLKWRITE] = io->column[READ_MS];
		io->column[WRITE] = io->column[BLKREAD];
		io->column[BLKREAD] = io->column[READ_MERGE];
		io->column[READ_MERGE] = UINT64_MAX;
		io->column[READ_MS] = UINT64_MAX;
	}
	io_compute(io);
}

void io_add(struct io *all, const struct io *io)
{
	for (int i = 0; i < NCOLUMNS; i++)
		all->column[i] = diskio_sum(all->column[i], io->column[i]);
}

/* ---- input and output of disks, partitions, volumes and arrays ---- */

struct diskstats {
	struct io all; /* sum of the disks; partitions, volumes and arrays are parts of them */
	uint32_t ndisk;
};

#define ALL(member) AGENT_FIELD(struct diskstats, all.member)

/* clang-format off */

#define SUM(name, n, type, sem, units, member, text, more)                                         \
	{ "disk.all." name, 0, n, type, sem, ONE, units, ALL(member), text, more, 0 }

static const struct agent_metric diskstats_metrics[] = {
	IO_ROWS("disk.dev.", 0, &disk_indom, U32, U64, U32, "disk",
		4, 5, 28, 6, 7, 36, 38, 39, 40, 49, 50, 46, 47, 72, 73, 79, 88, 89, 90, 91, 92,
		93, 94, 95),
	IO_ROWS("disk.partitions.", 10, &partition_indom, U32, U64, U32, "partition",
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22,
		23, 24),
	IO_ROWS("disk.dm.", 54, &dm_indom, U32, U32, U32, "volume",
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20, 21, 22, 23,
		24, 25),
	IO_ROWS("disk.md.", 59, &md_indom, U32, U32, U32, "array",
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20, 21, 22, 23,
		24, 25),

	SUM("read", 24, U64, COUNTER, AGENT_COUNT, column[READ], "Reads of all disks", NULL),
	SUM("write", 25, U64, COUNTER, AGENT_COUNT, column[WRITE], "Writes of all disks", NULL),
	SUM("blkread", 26, U64, COUNTER, AGENT_COUNT, column[BLKREAD], "Blocks read from all disks",
	  IO_SECTORS),
	SUM("blkwrite", 27, U64, COUNTER, AGENT_COUNT, column[BLKWRITE],
	  "Blocks written to all disks", IO_SECTORS),
	SUM("total", 29, U64, COUNTER, AGENT_COUNT, total, "Reads and writes of all disks", NULL),
	SUM("blktotal", 37, U64, COUNTER, AGENT_COUNT, blktotal,
	  "Blocks read from and written to all disks",
	    IO_SECTORS),
	SUM("read_bytes", 41, U64, COUNTER, AGENT_KBYTE, read_kb, "Data read from all disks", NULL),
	SUM("write_bytes", 42, U64, COUNTER, AGENT_KBYTE, write_kb, "Data written to all disks",
	  NULL),
	SUM("total_bytes", 43, U64, COUNTER, AGENT_KBYTE, total_kb,
	  "Data read from and written to all disks",
	    NULL),
	SUM("avactive", 44, U64, COUNTER, AGENT_MSEC, column[ACTIVE_MS],
	    "Time that disks had requests under way, added up",
	    "Divided by hinv.ndisk the rate of it is the "
	    "mean share of time that a disk was busy."),
	SUM("aveq", 45, U64, COUNTER, AGENT_MSEC, column[QUEUE_MS],
	    "Time that requests of all disks were under way, added up", IO_QUEUE),
	SUM("read_merge", 51, U64, COUNTER, AGENT_COUNT, column[READ_MERGE],
	    "Reads merged into others, of all disks", IO_MERGED),
	SUM("write_merge", 52, U64, COUNTER, AGENT_COUNT, column[WRITE_MERGE],
	    "Writes merged into others, of all disks", IO_MERGED),
	SUM("read_rawactive", 74, U64, COUNTER, AGENT_MSEC, column[READ_MS],
	    "Time that reads took, of all disks", IO_WAITED),
	SUM("write_rawactive", 75, U64, COUNTER, AGENT_MSEC, column[WRITE_MS],
	    "Time that writes took, of all disks", IO_WAITED),
	SUM("total_rawactive", 80, U64, COUNTER, AGENT_MSEC, total_ms,
	    "Time that reads and writes took, of all disks", IO_WAITED),
	SUM("discard", 96, U64, COUNTER, AGENT_COUNT, column[DISCARD], "Discards of all disks",
	    "Since Linux 4.18."),
	SUM("blkdiscard", 97, U64, COUNTER, AGENT_COUNT, column[BLKDISCARD],
	    "Blocks discarded of all disks", IO_SECTORS),
	SUM("discard_bytes", 98, U64, COUNTER, AGENT_KBYTE, discard_kb,
	  "Data discarded of all disks",
	    "Since Linux 4.18."),
	SUM("discard_merge", 99, U64, COUNTER, AGENT_COUNT, column[DISCARD_MERGE],
	    "Discards merged into others, of all disks", IO_MERGED),
	SUM("discard_rawactive", 100, U32, COUNTER, AGENT_MSEC, column[DISCARD_MS],
	    "Time that discards took, of all disks", IO_WAITED),
	SUM("flush", 101, U64, COUNTER, AGENT_COUNT, column[FLUSH], "Flushes of all disks",
	    "Since Linux 5.5."),
	SUM("flush_rawactive", 102, U32, COUNTER, AGENT_MSEC, column[FLUSH_MS],
	    "Time that flushes took, of all disks", IO_WAITED),
	SUM("inflight", 104, U64, INSTANT, AGENT_NONE, column[INFLIGHT],
	    "Requests that all disks have under way", NULL),

	{ "hinv.ndisk", 0, 33, U32, DISCRETE, ONE, AGENT_NONE, AGENT_FIELD(struct diskstats, ndisk),
	  "Disks in the system", "Instances of disk.dev.", 0 },
	{ "hinv.map.dmname", 54, 13, STR, DISCRETE, &dm_indom, AGENT_NONE, IO(kernel_name),
	  "The kernel's name of each device-mapper volume", "As dm-0.", 0 },
	{ "hinv.map.mdname", 59, 13, STR, DISCRETE, &md_indom, AGENT_NONE, IO(kernel_name),
	  "The kernel's name of each array", "As md0.", 0 },
};
/* clang-format on */

static int diskstats_read_line(struct agent_refresh *r, struct scan *s, struct diskstats *all)
{
	const struct agent_indom *indom;
	uint64_t number[2];
	const char *name;
	struct io *io;
	size_t len;

	if (scan_u64s(s, number, 2) < 2 || !scan_word(s, &name, &len))
		return 0;
	indom = disk_domain(name, len);
	if (indom == NULL || indom == &zram_indom)
		return 0;
	io = disk_add(r, indom, name, len);
	if (io == NULL)
		return -ENOMEM;
	if (indom == &dm_indom || indom == &md_indom)
		io->kernel_name = agent_string(r, name, len);
	io_read(s, io);
	if (indom != &disk_indom)
		return 0;
	all->ndisk++;
	io_add(&all->all, io);
	return 0;
}

static int diskstats_refresh(struct agent_refresh *r, void *snapshot)
{
	struct diskstats *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/diskstats", &s.p);
	int status = 0;

	all->ndisk = 0;
	if (n < 0)
		return (int)n;
	do {
		status = diskstats_read_line(r, &s, all);
	} while (status == 0 && scan_next_line(&s));
	io_compute(&all->all);
	return status;
}

const struct agent_cluster diskstats_cluster = {
    .name = "diskstats",
    .source = "/proc/diskstats",
    .size = sizeof(struct diskstats),
    .refresh = diskstats_refresh,
    .metrics = diskstats_metrics,
    .nmetrics = NROWS(diskstats_metrics),
    .fills = {{&disk_indom, sizeof(struct io), 1},
	      {&partition_indom, sizeof(struct io), 1},
	      {&dm_indom, sizeof(struct io), 1},
	      {&md_indom, sizeof(struct io), 1}},
};

/*
 * ---- partitions ----
 *
 * The sizes of disks, partitions, volumes and arrays: /proc/partitions.
 *
 *     major minor  #blocks  name
 *        8        0  500107608 sda
 */

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

static int partitions_read_line(struct agent_refresh *r, struct scan *s)
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
	return lines_read(r, "proc/partitions", partitions_read_line);
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

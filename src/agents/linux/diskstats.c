/*
 * diskstats - input and output of disks, partitions, volumes and arrays: /proc/diskstats.
 *
 *    8  0 sda 18000 5000 900001 12000  26000 14000 1800003 90000  3 60000 102000  7 1 5600 33  9 4
 *             reads merged sectors ms  writes ...                 in  busy  queue discards  flushes
 *
 * Kernels before 4.18 tell no discards, before 5.5 no flushes; partitions had four columns before
 * 2.6.25: reads, sectors, writes, sectors. What is not told is absent. Sectors are 512 bytes here,
 * whatever the device's are. Times are in milliseconds; the kernel's may wrap at 32 bits.
 */
#include <errno.h>
#include <string.h>

#include "disks.h"
#include "linux.h"
#include "scan.h"

/* The columns of the file, in its order. */
enum {
	READ,
	READ_MERGE,
	BLKREAD,
	READ_MS,
	WRITE,
	WRITE_MERGE,
	BLKWRITE,
	WRITE_MS,
	INFLIGHT,
	ACTIVE_MS,
	QUEUE_MS,
	DISCARD,
	DISCARD_MERGE,
	BLKDISCARD,
	DISCARD_MS,
	FLUSH,
	FLUSH_MS,
	NCOLUMNS
};

struct io {
	uint64_t column[NCOLUMNS];
	uint64_t total;
	uint64_t blktotal;
	uint64_t read_kb;
	uint64_t write_kb;
	uint64_t total_kb;
	uint64_t discard_kb;
	uint64_t total_ms;
	const char *kernel_name; /* of volumes and arrays */
};

struct diskstats {
	struct io all; /* sum of the disks; partitions, volumes and arrays lie on them */
	uint32_t ndisk;
};

#define IO(member)  AGENT_FIELD(struct io, member)
#define ALL(member) AGENT_FIELD(struct diskstats, all.member)

/* clang-format off */

/*
 * A row for each group: the texts are the same but for what they are about. MS, KB: type of times
 * and of sizes, which are narrower in some groups. N: item.
 */
#define DISK(group, c, indom, name, n, type, sem, units, field, text, more)                        \
	{ "disk." group "." name, c, n, type, sem, indom, AGENT_##units, field, text, more, 0 }

#define BUSY     "The rate of it is the share of time that it was busy."
#define QUEUE    "The rate of it is the mean number of requests under way."
#define WAITED   "The sum over all requests: divided by their number it is the mean time of one."
#define SECTORS  "In blocks of 512 bytes."
#define MERGED   "Neighbours that were put together to one request before they were started."

#define GROUP_ROWS(g, c, indom, MS, KB, what,                                                      \
		   n_read, n_write, n_total, n_blkread, n_blkwrite, n_blktotal, n_rkb, n_wkb,      \
		   n_tkb, n_rmerge, n_wmerge, n_busy, n_queue, n_rms, n_wms, n_tms, n_disc,        \
		   n_blkdisc, n_dkb, n_dmerge, n_dms, n_flush, n_fms, n_inflight)                  \
	DISK(g, c, indom, "read", n_read, U64, COUNTER, COUNT, IO(column[READ]),                   \
	     "Reads of each " what, NULL),                                                         \
	DISK(g, c, indom, "write", n_write, U64, COUNTER, COUNT, IO(column[WRITE]),                \
	     "Writes of each " what, NULL),                                                        \
	DISK(g, c, indom, "total", n_total, U64, COUNTER, COUNT, IO(total),                        \
	     "Reads and writes of each " what, NULL),                                              \
	DISK(g, c, indom, "blkread", n_blkread, U64, COUNTER, COUNT, IO(column[BLKREAD]),          \
	     "Blocks read from each " what, SECTORS),                                              \
	DISK(g, c, indom, "blkwrite", n_blkwrite, U64, COUNTER, COUNT, IO(column[BLKWRITE]),       \
	     "Blocks written to each " what, SECTORS),                                             \
	DISK(g, c, indom, "blktotal", n_blktotal, U64, COUNTER, COUNT, IO(blktotal),               \
	     "Blocks read from and written to each " what, SECTORS),                               \
	DISK(g, c, indom, "read_bytes", n_rkb, KB, COUNTER, KBYTE, IO(read_kb),                    \
	     "Data read from each " what, NULL),                                                   \
	DISK(g, c, indom, "write_bytes", n_wkb, KB, COUNTER, KBYTE, IO(write_kb),                  \
	     "Data written to each " what, NULL),                                                  \
	DISK(g, c, indom, "total_bytes", n_tkb, KB, COUNTER, KBYTE, IO(total_kb),                  \
	     "Data read from and written to each " what, NULL),                                    \
	DISK(g, c, indom, "read_merge", n_rmerge, U64, COUNTER, COUNT, IO(column[READ_MERGE]),     \
	     "Reads merged into others, of each " what, MERGED),                                   \
	DISK(g, c, indom, "write_merge", n_wmerge, U64, COUNTER, COUNT, IO(column[WRITE_MERGE]),   \
	     "Writes merged into others, of each " what, MERGED),                                  \
	DISK(g, c, indom, "avactive", n_busy, MS, COUNTER, MSEC, IO(column[ACTIVE_MS]),            \
	     "Time that each " what " had requests under way", BUSY),                              \
	DISK(g, c, indom, "aveq", n_queue, MS, COUNTER, MSEC, IO(column[QUEUE_MS]),                \
	     "Time that requests were under way, added up, of each " what, QUEUE),                 \
	DISK(g, c, indom, "read_rawactive", n_rms, MS, COUNTER, MSEC, IO(column[READ_MS]),         \
	     "Time that reads took, of each " what, WAITED),                                       \
	DISK(g, c, indom, "write_rawactive", n_wms, MS, COUNTER, MSEC, IO(column[WRITE_MS]),       \
	     "Time that writes took, of each " what, WAITED),                                      \
	DISK(g, c, indom, "total_rawactive", n_tms, MS, COUNTER, MSEC, IO(total_ms),               \
	     "Time that reads and writes took, of each " what, WAITED),                            \
	DISK(g, c, indom, "discard", n_disc, U64, COUNTER, COUNT, IO(column[DISCARD]),             \
	     "Discards of each " what, "Since Linux 4.18."),                                       \
	DISK(g, c, indom, "blkdiscard", n_blkdisc, U64, COUNTER, COUNT, IO(column[BLKDISCARD]),    \
	     "Blocks discarded of each " what, SECTORS),                                           \
	DISK(g, c, indom, "discard_bytes", n_dkb, U64, COUNTER, KBYTE, IO(discard_kb),             \
	     "Data discarded of each " what, "Since Linux 4.18."),                                 \
	DISK(g, c, indom, "discard_merge", n_dmerge, U64, COUNTER, COUNT,                          \
	     IO(column[DISCARD_MERGE]), "Discards merged into others, of each " what, MERGED),     \
	DISK(g, c, indom, "discard_rawactive", n_dms, U32, COUNTER, MSEC, IO(column[DISCARD_MS]),  \
	     "Time that discards took, of each " what, WAITED),                                    \
	DISK(g, c, indom, "flush", n_flush, U64, COUNTER, COUNT, IO(column[FLUSH]),                \
	     "Flushes of each " what, "Since Linux 5.5; of whole disks."),                         \
	DISK(g, c, indom, "flush_rawactive", n_fms, U32, COUNTER, MSEC, IO(column[FLUSH_MS]),      \
	     "Time that flushes took, of each " what, WAITED),                                     \
	DISK(g, c, indom, "inflight", n_inflight, U32, INSTANT, NONE, IO(column[INFLIGHT]),        \
	     "Requests that each " what " has under way", NULL)

#define SUM(name, n, type, sem, units, member, text, more)                                         \
	{ "disk.all." name, 0, n, type, sem, ONE, units, ALL(member), text, more, 0 }

static const struct agent_metric diskstats_metrics[] = {
	GROUP_ROWS("dev", 0, &disk_indom, U32, U64, "disk", 4, 5, 28, 6, 7, 36, 38, 39, 40, 49, 50,
	  46, 47,
		   72, 73, 79, 88, 89, 90, 91, 92, 93, 94, 95),
	GROUP_ROWS("partitions", 10, &partition_indom, U32, U64, "partition", 0, 1, 2, 3, 4, 5, 6,
	  7, 8, 9,
		   10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24),
	GROUP_ROWS("dm", 54, &dm_indom, U32, U32, "volume", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	  12, 14,
		   15, 16, 18, 19, 20, 21, 22, 23, 24, 25),
	GROUP_ROWS("md", 59, &md_indom, U32, U32, "array", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
	  14,
		   15, 16, 18, 19, 20, 21, 22, 23, 24, 25),

	SUM("read", 24, U64, COUNTER, AGENT_COUNT, column[READ], "Reads of all disks", NULL),
	SUM("write", 25, U64, COUNTER, AGENT_COUNT, column[WRITE], "Writes of all disks", NULL),
	SUM("blkread", 26, U64, COUNTER, AGENT_COUNT, column[BLKREAD], "Blocks read from all disks",
	  SECTORS),
	SUM("blkwrite", 27, U64, COUNTER, AGENT_COUNT, column[BLKWRITE],
	  "Blocks written to all disks", SECTORS),
	SUM("total", 29, U64, COUNTER, AGENT_COUNT, total, "Reads and writes of all disks", NULL),
	SUM("blktotal", 37, U64, COUNTER, AGENT_COUNT, blktotal,
	  "Blocks read from and written to all disks",
	    SECTORS),
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
	    "Time that requests of all disks were under way, added up", QUEUE),
	SUM("read_merge", 51, U64, COUNTER, AGENT_COUNT, column[READ_MERGE],
	    "Reads merged into others, of all disks", MERGED),
	SUM("write_merge", 52, U64, COUNTER, AGENT_COUNT, column[WRITE_MERGE],
	    "Writes merged into others, of all disks", MERGED),
	SUM("read_rawactive", 74, U64, COUNTER, AGENT_MSEC, column[READ_MS],
	    "Time that reads took, of all disks", WAITED),
	SUM("write_rawactive", 75, U64, COUNTER, AGENT_MSEC, column[WRITE_MS],
	    "Time that writes took, of all disks", WAITED),
	SUM("total_rawactive", 80, U64, COUNTER, AGENT_MSEC, total_ms,
	    "Time that reads and writes took, of all disks", WAITED),
	SUM("discard", 96, U64, COUNTER, AGENT_COUNT, column[DISCARD], "Discards of all disks",
	    "Since Linux 4.18."),
	SUM("blkdiscard", 97, U64, COUNTER, AGENT_COUNT, column[BLKDISCARD],
	    "Blocks discarded of all disks", SECTORS),
	SUM("discard_bytes", 98, U64, COUNTER, AGENT_KBYTE, discard_kb,
	  "Data discarded of all disks",
	    "Since Linux 4.18."),
	SUM("discard_merge", 99, U64, COUNTER, AGENT_COUNT, column[DISCARD_MERGE],
	    "Discards merged into others, of all disks", MERGED),
	SUM("discard_rawactive", 100, U32, COUNTER, AGENT_MSEC, column[DISCARD_MS],
	    "Time that discards took, of all disks", WAITED),
	SUM("flush", 101, U64, COUNTER, AGENT_COUNT, column[FLUSH], "Flushes of all disks",
	    "Since Linux 5.5."),
	SUM("flush_rawactive", 102, U32, COUNTER, AGENT_MSEC, column[FLUSH_MS],
	    "Time that flushes took, of all disks", WAITED),
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

/* What is absent in both stays absent; absent in one counts as 0. */
static uint64_t sum(uint64_t a, uint64_t b)
{
	if (a == UINT64_MAX)
		return b;
	return b == UINT64_MAX ? a : a + b;
}

static uint64_t kbytes(uint64_t sectors)
{
	return sectors == UINT64_MAX ? sectors : sectors / 2;
}

static void compute(struct io *io)
{
	io->total = sum(io->column[READ], io->column[WRITE]);
	io->blktotal = sum(io->column[BLKREAD], io->column[BLKWRITE]);
	io->read_kb = kbytes(io->column[BLKREAD]);
	io->write_kb = kbytes(io->column[BLKWRITE]);
	io->total_kb = kbytes(io->blktotal);
	io->discard_kb = kbytes(io->column[BLKDISCARD]);
	io->total_ms = sum(io->column[READ_MS], io->column[WRITE_MS]);
}

static void read_columns(struct scan *s, struct io *io)
{
	int n = scan_u64s(s, io->column, NCOLUMNS);

	if (n != 4)
		return;
	io->column[BLKWRITE] = io->column[READ_MS];
	io->column[WRITE] = io->column[BLKREAD];
	io->column[BLKREAD] = io->column[READ_MERGE];
	io->column[READ_MERGE] = UINT64_MAX;
	io->column[READ_MS] = UINT64_MAX;
}

static int read_line(struct agent_refresh *r, struct scan *s, struct diskstats *all)
{
	const struct agent_indom *indom;
	uint64_t number[2];
	const char *name;
	struct io *io;
	size_t len;

	if (scan_u64s(s, number, 2) < 2 || !scan_word(s, &name, &len))
		return 0;
	indom = disk_domain(name, len);
	if (indom == NULL)
		return 0;
	io = disk_add(r, indom, name, len);
	if (io == NULL)
		return -ENOMEM;
	if (indom == &dm_indom || indom == &md_indom)
		io->kernel_name = agent_string(r, name, len);
	read_columns(s, io);
	compute(io);
	if (indom != &disk_indom)
		return 0;
	all->ndisk++;
	for (int i = 0; i < NCOLUMNS; i++)
		all->all.column[i] = sum(all->all.column[i], io->column[i]);
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
		status = read_line(r, &s, all);
	} while (status == 0 && scan_next_line(&s));
	compute(&all->all);
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

/*
 * diskstats - a device's line of /proc/diskstats, and the rows of its metrics.
 *
 *    8  0 sda 18000 5000 900001 12000  26000 14000 1800003 90000  3 60000 102000  7 1 5600 33  9 4
 *             reads merged sectors ms  writes ...                 in  busy  queue discards  flushes
 *
 * Kernels before 4.18 report no discards, before 5.5 no flushes; partitions had four columns before
 * 2.6.25: reads, sectors, writes, sectors. Missing columns are absent. Sectors are 512 bytes here,
 * for any device. Times are in milliseconds; the kernel's may wrap at 32 bits.
 */
#ifndef AGENT_LINUX_DISKSTATS_H
#define AGENT_LINUX_DISKSTATS_H

#include "linux.h"
#include "scan.h"

/* The columns of the file, in its order. */
enum io_column {
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

/* The columns of a line, and what is computed of them. The struct is absent before. */
void io_read(struct scan *s, struct io *io);

/* Adds the columns of one device to a sum; io_compute makes the rest of it. A column that is absent
 * in both stays absent; absent in one counts as 0. */
void io_add(struct io *sum, const struct io *io);
void io_compute(struct io *io);

#define IO(member) AGENT_FIELD(struct io, member)

/* clang-format off */

/*
 * The rows of a group of devices: the texts are the same but for what they are about. group: what
 * names begin with; MS, KB, NOW: types of times, of sizes, and of requests under way, which are
 * narrower in some groups; n_: items.
 */
#define IO_ROW(group, c, indom, name, n, type, sem, units, field, text, more)                      \
	{ group name, c, n, type, sem, indom, AGENT_##units, field, text, more, 0 }

#define IO_BUSY     "The rate of it is the share of time that it was busy."
#define IO_QUEUE    "The rate of it is the mean number of requests under way."
#define IO_WAITED   "The sum over all requests: divided by their number it is the mean time of one."
#define IO_SECTORS  "In blocks of 512 bytes."
#define IO_MERGED   "Neighbours that were put together to one request before they were started."

#define IO_ROWS(g, c, indom, MS, KB, NOW, what,                                                    \
		   n_read, n_write, n_total, n_blkread, n_blkwrite, n_blktotal, n_rkb, n_wkb,      \
		   n_tkb, n_rmerge, n_wmerge, n_busy, n_queue, n_rms, n_wms, n_tms, n_disc,        \
		   n_blkdisc, n_dkb, n_dmerge, n_dms, n_flush, n_fms, n_inflight)                  \
	IO_ROW(g, c, indom, "read", n_read, U64, COUNTER, COUNT, IO(column[READ]),                 \
	     "Reads of each " what, NULL),                                                         \
	IO_ROW(g, c, indom, "write", n_write, U64, COUNTER, COUNT, IO(column[WRITE]),              \
	     "Writes of each " what, NULL),                                                        \
	IO_ROW(g, c, indom, "total", n_total, U64, COUNTER, COUNT, IO(total),                      \
	     "Reads and writes of each " what, NULL),                                              \
	IO_ROW(g, c, indom, "blkread", n_blkread, U64, COUNTER, COUNT, IO(column[BLKREAD]),        \
	     "Blocks read from each " what, IO_SECTORS),                                           \
	IO_ROW(g, c, indom, "blkwrite", n_blkwrite, U64, COUNTER, COUNT, IO(column[BLKWRITE]),     \
	     "Blocks written to each " what, IO_SECTORS),                                          \
	IO_ROW(g, c, indom, "blktotal", n_blktotal, U64, COUNTER, COUNT, IO(blktotal),             \
	     "Blocks read from and written to each " what, IO_SECTORS),                            \
	IO_ROW(g, c, indom, "read_bytes", n_rkb, KB, COUNTER, KBYTE, IO(read_kb),                  \
	     "Data read from each " what, NULL),                                                   \
	IO_ROW(g, c, indom, "write_bytes", n_wkb, KB, COUNTER, KBYTE, IO(write_kb),                \
	     "Data written to each " what, NULL),                                                  \
	IO_ROW(g, c, indom, "total_bytes", n_tkb, KB, COUNTER, KBYTE, IO(total_kb),                \
	     "Data read from and written to each " what, NULL),                                    \
	IO_ROW(g, c, indom, "read_merge", n_rmerge, U64, COUNTER, COUNT, IO(column[READ_MERGE]),   \
	     "Reads merged into others, of each " what, IO_MERGED),                                \
	IO_ROW(g, c, indom, "write_merge", n_wmerge, U64, COUNTER, COUNT, IO(column[WRITE_MERGE]), \
	     "Writes merged into others, of each " what, IO_MERGED),                               \
	IO_ROW(g, c, indom, "avactive", n_busy, MS, COUNTER, MSEC, IO(column[ACTIVE_MS]),          \
	     "Time that each " what " had requests under way", IO_BUSY),                           \
	IO_ROW(g, c, indom, "aveq", n_queue, MS, COUNTER, MSEC, IO(column[QUEUE_MS]),              \
	     "Time that requests were under way, added up, of each " what, IO_QUEUE),              \
	IO_ROW(g, c, indom, "read_rawactive", n_rms, MS, COUNTER, MSEC, IO(column[READ_MS]),       \
	     "Time that reads took, of each " what, IO_WAITED),                                    \
	IO_ROW(g, c, indom, "write_rawactive", n_wms, MS, COUNTER, MSEC, IO(column[WRITE_MS]),     \
	     "Time that writes took, of each " what, IO_WAITED),                                   \
	IO_ROW(g, c, indom, "total_rawactive", n_tms, MS, COUNTER, MSEC, IO(total_ms),             \
	     "Time that reads and writes took, of each " what, IO_WAITED),                         \
	IO_ROW(g, c, indom, "discard", n_disc, U64, COUNTER, COUNT, IO(column[DISCARD]),           \
	     "Discards of each " what, "Since Linux 4.18."),                                       \
	IO_ROW(g, c, indom, "blkdiscard", n_blkdisc, U64, COUNTER, COUNT, IO(column[BLKDISCARD]),  \
	     "Blocks discarded of each " what, IO_SECTORS),                                        \
	IO_ROW(g, c, indom, "discard_bytes", n_dkb, U64, COUNTER, KBYTE, IO(discard_kb),           \
	     "Data discarded of each " what, "Since Linux 4.18."),                                 \
	IO_ROW(g, c, indom, "discard_merge", n_dmerge, U64, COUNTER, COUNT,                        \
	     IO(column[DISCARD_MERGE]), "Discards merged into others, of each " what, IO_MERGED),  \
	IO_ROW(g, c, indom, "discard_rawactive", n_dms, U32, COUNTER, MSEC, IO(column[DISCARD_MS]), \
	     "Time that discards took, of each " what, IO_WAITED),                                 \
	IO_ROW(g, c, indom, "flush", n_flush, U64, COUNTER, COUNT, IO(column[FLUSH]),              \
	     "Flushes of each " what, "Since Linux 5.5; of whole disks."),                         \
	IO_ROW(g, c, indom, "flush_rawactive", n_fms, U32, COUNTER, MSEC, IO(column[FLUSH_MS]),    \
	     "Time that flushes took, of each " what, IO_WAITED),                                  \
	IO_ROW(g, c, indom, "inflight", n_inflight, NOW, INSTANT, NONE, IO(column[INFLIGHT]),      \
	     "Requests that each " what " has under way", NULL)
/* clang-format on */

#endif

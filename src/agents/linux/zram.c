/*
 * zram - compressed disks in memory: /proc/diskstats, and the files of each in /sys/block.
 *
 *     mm_stat   36704256 9785211 10960896 8192 11000000 301 17 9 4      bytes, and pages
 *     io_stat   11 12 13 14
 *     bd_stat   101 102 103                                            in units of 4096 bytes
 */
#include <errno.h>
#include <unistd.h>

#include "diskio.h"
#include "disks.h"
#include "lines.h"
#include "linux.h"
#include "scan.h"

enum { MM_BYTES = 5, MM_PAGES = 3, MM_COLUMNS = MM_BYTES + MM_PAGES };
enum { IO_COLUMNS = 4, BD_COLUMNS = 3, BD_UNIT_KB = 4 };

struct zram {
	struct io io;
	uint64_t capacity;
	uint64_t io_stat[IO_COLUMNS];
	uint64_t mm_stat[MM_COLUMNS];
	uint64_t bd_stat[BD_COLUMNS];
};
_Static_assert(offsetof(struct zram, io) == 0, "the rows of struct io are those of struct zram");

/* clang-format off */
#define ZRAM(c, n, name, sem, units, member, text)                                                 \
	{ "zram." name, c, n, U64, sem, &zram_indom, AGENT_##units, FIELD(zram, member), text,     \
	  NULL, 0 }

static const struct agent_metric zram_metrics[] = {
	IO_ROWS("zram.", 86, &zram_indom, U32, U64, U32, "compressed disk",
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23,
		24),
	ZRAM(86, 16, "capacity", DISCRETE, KBYTE, capacity, "Size of each compressed disk"),

	ZRAM(87, 0, "io_stat.failed.reads", COUNTER, COUNT, io_stat[0],
	     "Reads of each compressed disk that failed"),
	ZRAM(87, 1, "io_stat.failed.writes", COUNTER, COUNT, io_stat[1],
	     "Writes of each compressed disk that failed"),
	ZRAM(87, 2, "io_stat.invalid", COUNTER, COUNT, io_stat[2],
	     "Requests of each compressed disk that are not of whole pages"),
	ZRAM(87, 3, "io_stat.notify_free", COUNTER, COUNT, io_stat[3],
	     "Pages of each compressed disk that their user gave back"),

	ZRAM(88, 0, "mm_stat.data_size.original", INSTANT, KBYTE, mm_stat[0],
	     "Data on each compressed disk, as its user sees it"),
	ZRAM(88, 1, "mm_stat.data_size.compressed", INSTANT, KBYTE, mm_stat[1],
	     "Data on each compressed disk, compressed"),
	ZRAM(88, 2, "mm_stat.mem.used_total", INSTANT, KBYTE, mm_stat[2],
	     "Memory that each compressed disk uses"),
	ZRAM(88, 3, "mm_stat.mem.limit", INSTANT, KBYTE, mm_stat[3],
	     "Memory that each compressed disk may use; 0 is no limit"),
	ZRAM(88, 4, "mm_stat.mem.max_used", INSTANT, KBYTE, mm_stat[4],
	     "Most memory that each compressed disk has used"),
	ZRAM(88, 5, "mm_stat.pages.same", COUNTER, KBYTE, mm_stat[5],
	     "Pages of each compressed disk of one value all through: they need no memory"),
	ZRAM(88, 6, "mm_stat.pages.compacted", COUNTER, KBYTE, mm_stat[6],
	     "Memory that each compressed disk has won by compaction"),
	ZRAM(88, 7, "mm_stat.pages.huge", COUNTER, KBYTE, mm_stat[7],
	     "Pages of each compressed disk that can't be compressed"),

	ZRAM(89, 0, "bd_stat.count", COUNTER, KBYTE, bd_stat[0],
	     "Data of each compressed disk on the device behind it"),
	ZRAM(89, 1, "bd_stat.reads", COUNTER, KBYTE, bd_stat[1],
	     "Data that each compressed disk read from the device behind it"),
	ZRAM(89, 2, "bd_stat.writes", COUNTER, KBYTE, bd_stat[2],
	     "Data that each compressed disk wrote to the device behind it"),
};
/* clang-format on */

/*
 * The first n numbers of a file of the disk's folder, if one of them is asked for. Returns how many
 * there are: kernels have added columns at the end.
 */
static int read_numbers(struct agent_refresh *r, const char *disk, const char *file, size_t offset,
			uint64_t *values, int n)
{
	char text[256];
	struct scan s = {text};
	bool wanted = false;

	for (int i = 0; i < n; i++)
		wanted |= agent_wanted(r, &zram_indom, offset + (size_t)i * sizeof(*values));
	if (!wanted || agent_read_into(r, text, sizeof(text), "sys/block/%s/%s", disk, file) <= 0)
		return 0;
	return scan_u64s(&s, values, n);
}

static void read_files(struct agent_refresh *r, const char *disk, struct zram *zram)
{
	uint64_t bytes[1], page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	uint64_t mm[MM_COLUMNS], bd[BD_COLUMNS];
	int n;

	if (read_numbers(r, disk, "disksize", offsetof(struct zram, capacity), bytes, 1) == 1)
		zram->capacity = bytes[0] / 1024;
	read_numbers(r, disk, "io_stat", offsetof(struct zram, io_stat), zram->io_stat, IO_COLUMNS);
	n = read_numbers(r, disk, "mm_stat", offsetof(struct zram, mm_stat), mm, MM_COLUMNS);
	for (int i = 0; i < n; i++)
		zram->mm_stat[i] = i < MM_BYTES ? mm[i] / 1024 : mm[i] * page_kb;
	n = read_numbers(r, disk, "bd_stat", offsetof(struct zram, bd_stat), bd, BD_COLUMNS);
	for (int i = 0; i < n; i++)
		zram->bd_stat[i] = bd[i] * BD_UNIT_KB;
}

static int read_line(struct agent_refresh *r, struct scan *s)
{
	char disk[DISK_NAME_MAX];
	uint64_t number[2];
	struct zram *zram;
	const char *name;
	size_t len;

	if (scan_u64s(s, number, 2) < 2 || !scan_word(s, &name, &len) ||
	    disk_domain(name, len) != &zram_indom)
		return 0;
	zram = agent_add(r, &zram_indom, name, len);
	if (zram == NULL)
		return -ENOMEM;
	io_read(s, &zram->io);
	memcpy(disk, name, len);
	disk[len] = '\0';
	read_files(r, disk, zram);
	return 0;
}

static int zram_refresh(struct agent_refresh *r, void *snapshot)
{
	return lines_read(r, "proc/diskstats", read_line);
}

const struct agent_cluster zram_cluster = {
    .name = "zram",
    .source = "/proc/diskstats and /sys/block",
    .refresh = zram_refresh,
    .metrics = zram_metrics,
    .nmetrics = NROWS(zram_metrics),
    .fills = {{&zram_indom, sizeof(struct zram), 1}},
};

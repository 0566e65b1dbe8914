/*
 * volumes - block devices that are not single disks: paths to one disk, arrays, compressed disks in
 * memory.
 */
#include <errno.h>
#include <unistd.h>

#include "disks.h"
#include "diskstats.h"
#include "keys.h"
#include "linux.h"
#include "scan.h"

/*
 * ---- wwid ----
 *
 * Input and output of disks by world-wide name: the paths to one disk added up.
 *
 * /proc/diskstats, and a file of /sys/block for each disk. Disks without such a name are left out.
 */

struct wwid {
	struct io io;
	uint64_t hash; /* of the name */
	uint64_t capacity;
	const char *name;
	const char *paths;
	const char *scheduler;
};
_Static_assert(offsetof(struct wwid, io) == 0, "the rows of struct io are those of struct wwid");

static const struct agent_indom wwid_indom = {
    42, 0, NULL, 0, "Disks by world-wide name", "As hinv.map.scsi_id tells it.",
};

/* clang-format off */
static const struct agent_metric wwid_metrics[] = {
	IO_ROWS("disk.wwid.", 92, &wwid_indom, U32, U64, U64, "disk, over all its paths",
		4, 5, 28, 6, 7, 36, 38, 39, 40, 49, 50, 46, 47, 72, 73, 79, 88, 89, 90, 91, 92,
		93, 94, 95),
	{ "disk.wwid.scsi_paths", 92, 3, STR, DISCRETE, &wwid_indom, AGENT_NONE,
	  FIELD(wwid, paths), "The kernel's names of the paths to each disk", NULL, 0 },
	{ "disk.wwid.scheduler", 92, 59, STR, DISCRETE, &wwid_indom, AGENT_NONE,
	  FIELD(wwid, scheduler), "Scheduler that orders the requests of each disk",
	  "Of its first path.", 0 },
	{ "disk.wwid.capacity", 92, 87, U64, DISCRETE, &wwid_indom, AGENT_KBYTE,
	  FIELD(wwid, capacity), "Size of each disk", NULL, 0 },
};
/* clang-format on */

static uint64_t hash(const char *text)
{
	uint64_t h = 14695981039346656037u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

/* The disk of this name, an earlier path's or a new one; NULL when out of memory. */
static struct wwid *wwid_find(struct agent_refresh *r, const char *name)
{
	uint64_t h = hash(name);
	struct wwid *disk;

	for (size_t i = 0; (disk = agent_added(r, &wwid_indom, i)) != NULL; i++)
		if (disk->hash == h && strcmp(disk->name, name) == 0)
			return disk;
	disk = agent_add(r, &wwid_indom, name, strlen(name));
	if (disk == NULL)
		return NULL;
	disk->hash = h;
	disk->name = name;
	disk->paths = NULL;
	disk->scheduler = NULL;
	return disk;
}

static const char *add_path(struct agent_refresh *r, const char *paths, const char *name)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "%s %s", paths, name);

	return (size_t)len < sizeof(text) ? agent_string(r, text, (size_t)len) : paths;
}

/* The common fields of all paths. */
static void read_settings(struct agent_refresh *r, const char *folder, struct wwid *disk)
{
	char text[32];
	struct scan s = {text};
	uint64_t sectors;

	disk->scheduler = disk_scheduler(r, folder);
	if (disk->scheduler == NULL)
		disk->scheduler = "unknown";
	if (agent_read_into(r, text, sizeof(text), "sys/block/%s/size", folder) > 0 &&
	    scan_u64(&s, &sectors))
		disk->capacity = sectors / 2;
}

static int wwid_read_line(struct agent_refresh *r, struct scan *s)
{
	char folder[DISK_NAME_MAX];
	uint64_t number[2];
	const char *name, *wwid;
	struct wwid *disk;
	struct io io;
	size_t len;

	if (scan_u64s(s, number, 2) < 2 || !scan_word(s, &name, &len) ||
	    disk_domain(name, len) != &disk_indom)
		return 0;
	disk_folder(folder, name, len);
	wwid = disk_wwid(r, folder);
	if (wwid == NULL)
		return 0;
	disk = wwid_find(r, wwid);
	if (disk == NULL)
		return -ENOMEM;
	memset(io.column, 0xff, sizeof(io.column)); /* absent */
	io_read(s, &io);
	io_add(&disk->io, &io);
	io_compute(&disk->io);
	if (disk->paths != NULL) {
		disk->paths = add_path(r, disk->paths, folder);
		return 0;
	}
	disk->paths = agent_string(r, folder, len);
	read_settings(r, folder, disk);
	return 0;
}

static int wwid_refresh(struct agent_refresh *r, void *snapshot)
{
	return lines_read(r, "proc/diskstats", wwid_read_line);
}

const struct agent_cluster wwid_cluster = {
    .name = "wwid",
    .source = "/proc/diskstats and /sys/block",
    .refresh = wwid_refresh,
    .metrics = wwid_metrics,
    .nmetrics = NROWS(wwid_metrics),
    .fills = {{&wwid_indom, sizeof(struct wwid), 1}},
};

/*
 * ---- mdstatus ----
 *
 * The state of disk arrays: /sys/block/mdN/md.
 *
 * The numbers are the exit statuses of mdadm --detail --test; PCP's agent runs it. The level of an
 * array gives how many disks it can lose; for level 10 it is the layout, whose low byte is the
 * number of copies of each block.
 */

enum { WHOLE = 0, DEGRADED = 1, FAILED = 2, UNKNOWN = 4 };

struct mdstatus {
	int32_t status;
};

static const struct agent_metric mdstatus_metrics[] = {
    {"disk.md.status", 60, 0, S32, INSTANT, &md_indom, AGENT_NONE, FIELD(mdstatus, status),
     "Whether each array is whole",
     "0 it is; 1 a disk is missing or has failed; 2 so many that it can't be used; 4 it does not "
     "run.",
     0},
};

/* A file of the array's folder, cut at the newline; "" if there is none. */
static const char *mdstatus_attribute(struct agent_refresh *r, const char *array, const char *file,
				      char *text, size_t size)
{
	if (agent_read_into(r, text, size, "sys/block/%s/md/%s", array, file) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static uint64_t mdstatus_number(struct agent_refresh *r, const char *array, const char *file)
{
	char text[32];
	struct scan s = {mdstatus_attribute(r, array, file, text, sizeof(text))};
	uint64_t value;

	return scan_u64(&s, &value) ? value : 0;
}

/* How many disks the array can lose. */
static uint64_t spare_disks(struct agent_refresh *r, const char *array)
{
	static const struct {
		const char *level;
		unsigned int disks;
	} levels[] = {{"raid4", 1}, {"raid5", 1}, {"raid6", 2}};
	char level[16];
	uint64_t disks = mdstatus_number(r, array, "raid_disks");
	uint64_t copies;

	mdstatus_attribute(r, array, "level", level, sizeof(level));
	for (size_t i = 0; i < NROWS(levels); i++)
		if (strcmp(level, levels[i].level) == 0)
			return levels[i].disks;
	if (strcmp(level, "raid1") == 0)
		return disks != 0 ? disks - 1 : 0;
	if (strcmp(level, "raid10") != 0)
		return 0;
	/* A disk of each group of copies but one: more than that is lost for sure. */
	copies = mdstatus_number(r, array, "layout") & 0xff;
	return copies > 1 ? disks - disks / copies : 0;
}

static int32_t read_status(struct agent_refresh *r, const char *array)
{
	static const char *const stopped[] = {"", "clear", "inactive"};
	char state[32];
	uint64_t missing;

	mdstatus_attribute(r, array, "array_state", state, sizeof(state));
	for (size_t i = 0; i < NROWS(stopped); i++)
		if (strcmp(state, stopped[i]) == 0)
			return UNKNOWN;
	if (strcmp(state, "broken") == 0)
		return FAILED;
	missing = mdstatus_number(r, array, "degraded");
	if (missing == 0)
		return WHOLE;
	return missing > spare_disks(r, array) ? FAILED : DEGRADED;
}

static int mdstatus_refresh(struct agent_refresh *r, void *snapshot)
{
	struct scan s;
	long n = agent_read(r, "proc/diskstats", &s.p);

	if (n < 0)
		return (int)n;
	do {
		struct mdstatus *status;
		char array[DISK_NAME_MAX];
		uint64_t numbers[2];
		const char *name;
		size_t len;

		if (scan_u64s(&s, numbers, 2) < 2 || !scan_word(&s, &name, &len) ||
		    disk_domain(name, len) != &md_indom)
			continue;
		status = disk_add(r, &md_indom, name, len);
		if (status == NULL)
			return -ENOMEM;
		memcpy(array, name, len);
		array[len] = '\0';
		status->status = read_status(r, array);
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster mdstatus_cluster = {
    .name = "mdstatus",
    .source = "/sys/block/*/md",
    .refresh = mdstatus_refresh,
    .metrics = mdstatus_metrics,
    .nmetrics = NROWS(mdstatus_metrics),
    .fills = {{&md_indom, sizeof(struct mdstatus), 0}},
};

/*
 * ---- zram ----
 *
 * Compressed disks in memory: /proc/diskstats, and the files of each in /sys/block.
 *
 *     mm_stat   36704256 9785211 10960896 8192 11000000 301 17 9 4      bytes, and pages
 *     io_stat   11 12 13 14
 *     bd_stat   101 102 103                                            in units of 4096 bytes
 */

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
static int zram_read_numbers(struct agent_refresh *r, const char *disk, const char *file,
			     size_t offset, uint64_t *values, int n)
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

static void zram_read_files(struct agent_refresh *r, const char *disk, struct zram *zram)
{
	uint64_t bytes[1], page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	uint64_t mm[MM_COLUMNS], bd[BD_COLUMNS];
	int n;

	if (zram_read_numbers(r, disk, "disksize", offsetof(struct zram, capacity), bytes, 1) == 1)
		zram->capacity = bytes[0] / 1024;
	zram_read_numbers(r, disk, "io_stat", offsetof(struct zram, io_stat), zram->io_stat,
			  IO_COLUMNS);
	n = zram_read_numbers(r, disk, "mm_stat", offsetof(struct zram, mm_stat), mm, MM_COLUMNS);
	for (int i = 0; i < n; i++)
		zram->mm_stat[i] = i < MM_BYTES ? mm[i] / 1024 : mm[i] * page_kb;
	n = zram_read_numbers(r, disk, "bd_stat", offsetof(struct zram, bd_stat), bd, BD_COLUMNS);
	for (int i = 0; i < n; i++)
		zram->bd_stat[i] = bd[i] * BD_UNIT_KB;
}

static int zram_read_line(struct agent_refresh *r, struct scan *s)
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
	zram_read_files(r, disk, zram);
	return 0;
}

static int zram_refresh(struct agent_refresh *r, void *snapshot)
{
	return lines_read(r, "proc/diskstats", zram_read_line);
}

const struct agent_cluster zram_cluster = {
    .name = "zram",
    .source = "/proc/diskstats and /sys/block",
    .refresh = zram_refresh,
    .metrics = zram_metrics,
    .nmetrics = NROWS(zram_metrics),
    .fills = {{&zram_indom, sizeof(struct zram), 1}},
};

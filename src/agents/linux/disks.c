/* disks - see disks.h; and the attributes of each disk in /sys/block. */
#include "disks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "linux.h"
#include "scan.h"

const struct agent_indom disk_indom = {
    1, 0, NULL, 0, "Disks", "Whole disks by the kernel's name, as sda or nvme0n1.",
};
const struct agent_indom partition_indom = {
    10, 0, NULL, 0, "Partitions of disks", "By the kernel's name, as sda1 or nvme0n1p1.",
};
const struct agent_indom dm_indom = {
    24, 0, NULL, 0, "Device-mapper volumes", "By the name of the volume, as vg0-root.",
};
const struct agent_indom md_indom = {
    25, 0, NULL, 0, "Disk arrays (md)", "By the name in /dev/md, or the kernel's name, as md0.",
};

const struct agent_indom zram_indom = {
    38, 0, NULL, 0, "Compressed disks in memory (zram)", "By the kernel's name, as zram0.",
};

/* Names whose digits belong to the disk: prefix, digits, and perhaps another word and digits. */
static const struct {
	const char *first;
	const char *second; /* NULL: no more */
	const char *third;
} numbered_disks[] = {
    {"mmcblk", NULL, NULL}, {"nbd", NULL, NULL},    {"rbd", NULL, NULL}, {"nvme", "n", NULL},
    {"nvme", "c", "n"},     {"cciss/c", "d", NULL}, {"rd/c", "d", NULL}, {"ida/c", "d", NULL},
};

static bool word_and_digits(const char **at, const char *end, const char *word)
{
	size_t len = strlen(word);
	const char *p = *at;

	if ((size_t)(end - p) <= len || memcmp(p, word, len) != 0)
		return false;
	for (p += len; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (p == *at + len)
		return false;
	*at = p;
	return true;
}

static bool is_numbered_disk(const char *name, size_t len)
{
	for (size_t i = 0; i < NROWS(numbered_disks); i++) {
		const char *at = name;
		const char *end = name + len;

		if (!word_and_digits(&at, end, numbered_disks[i].first))
			continue;
		if (numbered_disks[i].second != NULL &&
		    !word_and_digits(&at, end, numbered_disks[i].second))
			continue;
		if (numbered_disks[i].third != NULL &&
		    !word_and_digits(&at, end, numbered_disks[i].third))
			continue;
		if (at == end)
			return true;
	}
	return false;
}

static bool starts(const char *name, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len > n && memcmp(name, prefix, n) == 0 && name[n] >= '0' && name[n] <= '9';
}

const struct agent_indom *disk_domain(const char *name, size_t len)
{
	static const char *const others[] = {"ram", "loop", "sr", "scd"};
	char last;

	if (len == 0 || len >= DISK_NAME_MAX)
		return NULL;
	for (size_t i = 0; i < NROWS(others); i++)
		if (starts(name, len, others[i]))
			return NULL;
	if (starts(name, len, "dm-"))
		return &dm_indom;
	if (starts(name, len, "md"))
		return &md_indom;
	if (starts(name, len, "zram"))
		return &zram_indom;
	last = name[len - 1];
	return last < '0' || last > '9' || is_numbered_disk(name, len) ? &disk_indom
								       : &partition_indom;
}

/*
 * Names of volumes and arrays, by the number in their kernel name. There may be thousands and each
 * costs a file, so they are looked up once in so many seconds.
 */
enum { ALIAS_MAX_AGE_S = 10, ALIAS_MAX_NUMBER = 16384 };

struct alias {
	char *name; /* NULL: the kernel's name */
	time_t since;
};

struct aliases {
	struct alias *by_number;
	size_t n;
};

static struct aliases dm_aliases, md_aliases;

static time_t now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec;
}

static char *read_dm_name(struct agent_refresh *r, unsigned int number)
{
	char text[DISK_NAME_MAX];
	const char *name;
	struct scan s = {text};
	size_t len;

	if (agent_read_into(r, text, sizeof(text), "sys/block/dm-%u/dm/name", number) <= 0)
		return NULL;
	len = scan_rest(&s, &name);
	return len != 0 ? strndup(name, len) : NULL;
}

/* Whether the entry of /dev/md is a link to ../mdN. */
static bool leads_to(DIR *dir, const char *entry, const char *kernel_name)
{
	char link[64];
	ssize_t n = readlinkat(dirfd(dir), entry, link, sizeof(link) - 1);
	const char *slash;

	if (n <= 0)
		return false;
	link[n] = '\0';
	slash = strrchr(link, '/');
	return strcmp(slash != NULL ? slash + 1 : link, kernel_name) == 0;
}

static char *read_md_name(struct agent_refresh *r, unsigned int number)
{
	DIR *dir = agent_opendir(r, "dev/md");
	struct dirent *entry;
	char kernel_name[16];
	char *name = NULL;

	if (dir == NULL)
		return NULL;
	snprintf(kernel_name, sizeof(kernel_name), "md%u", number);
	while (name == NULL && (entry = readdir(dir)) != NULL)
		if (leads_to(dir, entry->d_name, kernel_name))
			name = strndup(entry->d_name, DISK_NAME_MAX - 1);
	closedir(dir);
	return name;
}

static bool aliases_grow(struct aliases *a, size_t n)
{
	struct alias *by_number;

	if (n <= a->n)
		return true;
	by_number = realloc(a->by_number, 2 * n * sizeof(*by_number));
	if (by_number == NULL)
		return false;
	memset(by_number + a->n, 0, (2 * n - a->n) * sizeof(*by_number));
	a->by_number = by_number;
	a->n = 2 * n;
	return true;
}

/* The name to show for the device whose kernel name ends in digits; NULL: that one. */
static const char *alias_find(struct agent_refresh *r, struct aliases *a, const char *digits,
			      char *(*read_name)(struct agent_refresh *r, unsigned int number))
{
	struct scan s = {digits};
	struct alias *alias;
	uint64_t number;

	if (!scan_u64(&s, &number) || number >= ALIAS_MAX_NUMBER || !aliases_grow(a, number + 1))
		return NULL;
	alias = &a->by_number[number];
	if (alias->since == 0 || now_s() - alias->since >= ALIAS_MAX_AGE_S) {
		free(alias->name);
		alias->name = read_name(r, (unsigned int)number);
		alias->since = now_s();
	}
	return alias->name;
}

void *disk_add(struct agent_refresh *r, const struct agent_indom *indom, const char *name,
	       size_t len)
{
	const char *alias = NULL;

	if (indom == &dm_indom)
		alias = alias_find(r, &dm_aliases, name + strlen("dm-"), read_dm_name);
	if (indom == &md_indom)
		alias = alias_find(r, &md_aliases, name + strlen("md"), read_md_name);
	return alias != NULL ? agent_add(r, indom, alias, strlen(alias))
			     : agent_add(r, indom, name, len);
}

/*
 * ---- attributes ----
 *
 * The attributes of each disk in /sys/block: scheduler and world-wide name.
 *
 * A file a disk and metric, so only those requested are read. The folders have '!' where the
 * device's name has '/'.
 */

struct disk_sysfs {
	const char *scheduler;
	const char *scsi_id;
};

/* clang-format off */
static const struct agent_metric disk_sysfs_metrics[] = {
	{ "disk.dev.scheduler", 0, 59, STR, DISCRETE, &disk_indom, AGENT_NONE,
	  FIELD(disk_sysfs, scheduler), "Scheduler that orders the requests of each disk",
	  "From queue/scheduler; \"unknown\" if the disk has none.", 0 },
	{ "hinv.map.scsi_id", 0, 103, STR, DISCRETE, &disk_indom, AGENT_NONE,
	  FIELD(disk_sysfs, scsi_id), "World-wide name of each disk",
	  "The same for all paths to one disk, in the form of multipathd: a digit for the kind "
	  "of the "
	  "number, then the number. \"unknown\" if the disk has none.", 0 },
};
/* clang-format on */

/* "noop deadline [cfq]": the word in brackets, or the only word. */
const char *disk_scheduler(struct agent_refresh *r, const char *disk)
{
	char text[256];
	const char *start, *end;

	if (agent_read_into(r, text, sizeof(text), "sys/block/%s/queue/scheduler", disk) <= 0)
		return NULL;
	start = strchr(text, '[');
	start = start != NULL ? start + 1 : text;
	end = start + strcspn(start, "] \n");
	return end != start ? agent_string(r, start, (size_t)(end - start)) : NULL;
}

/* "naa.5000c500..." -> "35000c500...". */
const char *disk_wwid(struct agent_refresh *r, const char *disk)
{
	static const struct {
		const char *prefix;
		char digit;
	} kinds[] = {{"t10.", '1'}, {"eui.", '2'}, {"naa.", '3'}, {"scsi.", '8'}};
	char text[256];
	struct scan s = {text};
	const char *id;
	size_t len;

	if (agent_read_into(r, text, sizeof(text), "sys/block/%s/device/wwid", disk) <= 0 &&
	    agent_read_into(r, text, sizeof(text), "sys/block/%s/wwid", disk) <= 0)
		return NULL;
	len = scan_rest(&s, &id);
	for (size_t i = 0; i < NROWS(kinds); i++) {
		size_t n = strlen(kinds[i].prefix);

		if (len <= n || memcmp(id, kinds[i].prefix, n) != 0)
			continue;
		text[(id - text) + (long)n - 1] = kinds[i].digit;
		return agent_string(r, id + n - 1, len - n + 1);
	}
	return len != 0 ? agent_string(r, id, len) : NULL;
}

void disk_folder(char *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out[i] = name[i] == '/' ? '!' : name[i];
	out[len] = '\0';
}

static const char *or_unknown(const char *text)
{
	return text != NULL ? text : "unknown";
}

static int read_disk(struct agent_refresh *r, const char *name, size_t len)
{
	struct disk_sysfs *disk = agent_add(r, &disk_indom, name, len);
	char folder[DISK_NAME_MAX];

	if (disk == NULL)
		return -ENOMEM;
	disk_folder(folder, name, len);
	if (agent_wanted(r, &disk_indom, offsetof(struct disk_sysfs, scheduler)))
		disk->scheduler = or_unknown(disk_scheduler(r, folder));
	if (agent_wanted(r, &disk_indom, offsetof(struct disk_sysfs, scsi_id)))
		disk->scsi_id = or_unknown(disk_wwid(r, folder));
	return 0;
}

/* The disks are those of /proc/diskstats. */
static int disk_sysfs_refresh(struct agent_refresh *r, void *snapshot)
{
	uint64_t number[2];
	const char *name;
	struct scan s;
	size_t len;
	long n = agent_read(r, "proc/diskstats", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		if (scan_u64s(&s, number, 2) == 2 && scan_word(&s, &name, &len) &&
		    disk_domain(name, len) == &disk_indom)
			status = read_disk(r, name, len);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

const struct agent_cluster disk_sysfs_cluster = {
    .name = "disk_sysfs",
    .source = "/sys/block",
    .refresh = disk_sysfs_refresh,
    .metrics = disk_sysfs_metrics,
    .nmetrics = NROWS(disk_sysfs_metrics),
    .fills = {{&disk_indom, sizeof(struct disk_sysfs), 0}},
};

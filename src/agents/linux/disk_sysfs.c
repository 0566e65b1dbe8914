/*
 * disk_sysfs - the attributes of each disk in /sys/block: scheduler and world-wide name.
 *
 * A file a disk and metric, so only those requested are read. The folders have '!' where the
 * device's name has '/'.
 */
#include "disk_sysfs.h"

#include <errno.h>
#include <string.h>

#include "disks.h"
#include "linux.h"
#include "scan.h"

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

/*
 * wwid - input and output of disks by world-wide name: the paths to one disk added up.
 *
 * /proc/diskstats, and a file of /sys/block for each disk. Disks without such a name are left out.
 */
#include <errno.h>

#include "disk_sysfs.h"
#include "diskio.h"
#include "disks.h"
#include "lines.h"
#include "linux.h"
#include "scan.h"

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
static struct wwid *find(struct agent_refresh *r, const char *name)
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

static int read_line(struct agent_refresh *r, struct scan *s)
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
	disk = find(r, wwid);
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
	return lines_read(r, "proc/diskstats", read_line);
}

const struct agent_cluster wwid_cluster = {
    .name = "wwid",
    .source = "/proc/diskstats and /sys/block",
    .refresh = wwid_refresh,
    .metrics = wwid_metrics,
    .nmetrics = NROWS(wwid_metrics),
    .fills = {{&wwid_indom, sizeof(struct wwid), 1}},
};

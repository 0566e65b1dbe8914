/*
 * mdstatus - the state of disk arrays: /sys/block/mdN/md.
 *
 * The numbers are the exit statuses of mdadm --detail --test; PCP's agent runs it. The level of an
 * array gives how many disks it can lose; for level 10 it is the layout, whose low byte is the
 * number of copies of each block.
 */
#include <errno.h>

#include "disks.h"
#include "linux.h"
#include "scan.h"

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
static const char *attribute(struct agent_refresh *r, const char *array, const char *file,
			     char *text, size_t size)
{
	if (agent_read_into(r, text, size, "sys/block/%s/md/%s", array, file) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static uint64_t number(struct agent_refresh *r, const char *array, const char *file)
{
	char text[32];
	struct scan s = {attribute(r, array, file, text, sizeof(text))};
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
	uint64_t disks = number(r, array, "raid_disks");
	uint64_t copies;

	attribute(r, array, "level", level, sizeof(level));
	for (size_t i = 0; i < NROWS(levels); i++)
		if (strcmp(level, levels[i].level) == 0)
			return levels[i].disks;
	if (strcmp(level, "raid1") == 0)
		return disks != 0 ? disks - 1 : 0;
	if (strcmp(level, "raid10") != 0)
		return 0;
	/* A disk of each group of copies but one: more than that is lost for sure. */
	copies = number(r, array, "layout") & 0xff;
	return copies > 1 ? disks - disks / copies : 0;
}

static int32_t read_status(struct agent_refresh *r, const char *array)
{
	static const char *const stopped[] = {"", "clear", "inactive"};
	char state[32];
	uint64_t missing;

	attribute(r, array, "array_state", state, sizeof(state));
	for (size_t i = 0; i < NROWS(stopped); i++)
		if (strcmp(state, stopped[i]) == 0)
			return UNKNOWN;
	if (strcmp(state, "broken") == 0)
		return FAILED;
	missing = number(r, array, "degraded");
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

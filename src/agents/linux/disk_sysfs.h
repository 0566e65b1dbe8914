/* disk_sysfs - the attributes of a disk in /sys/block, for the clusters that need them. */
#ifndef AGENT_LINUX_DISK_SYSFS_H
#define AGENT_LINUX_DISK_SYSFS_H

#include <pitot/agent.h>

/* The disk's folder in /sys/block: '!' where the name has '/'. out: DISK_NAME_MAX bytes. */
void disk_folder(char *out, const char *name, size_t len);

/* The scheduler of the disk's requests; NULL if it has none. Lives as long as the snapshot. */
const char *disk_scheduler(struct agent_refresh *r, const char *folder);

/* The world-wide name, the same for all paths to a disk: a digit for the kind of the number, then
 * the number. NULL if the disk has none. Lives as long as the snapshot. */
const char *disk_wwid(struct agent_refresh *r, const char *folder);

#endif

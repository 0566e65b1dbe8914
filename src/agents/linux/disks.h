/*
 * disks - which instance domain a block device belongs to, and what its instance is called.
 *
 * By the kernel's name alone: dm-N, mdN and zramN have domains of their own; a name that ends in a
 * digit is a partition, unless the digits are part of a disk's name (nvme0n1, mmcblk0, nbd0, rbd0,
 * cciss/c0d0); memory disks, loop devices and CD drives are left out. A device-mapper volume is
 * called by the name of its table (vg0-root), an array by its name in /dev/md if it has one.
 */
#ifndef AGENT_LINUX_DISKS_H
#define AGENT_LINUX_DISKS_H

#include <stddef.h>

#include <pitot/agent.h>

extern const struct agent_indom disk_indom;
extern const struct agent_indom partition_indom;
extern const struct agent_indom dm_indom;
extern const struct agent_indom md_indom;
extern const struct agent_indom zram_indom;

/* The domain of a device with this kernel name; NULL: of no interest. */
const struct agent_indom *disk_domain(const char *name, size_t len);

/* Room for an instance name. */
enum { DISK_NAME_MAX = 128 };

/* Adds the device's instance, which may have another name, to its domain: agent_add. */
void *disk_add(struct agent_refresh *r, const struct agent_indom *indom, const char *name,
	       size_t len);

/* ---- the attributes of a disk in /sys/block, for the clusters that need them ---- */

/* The disk's folder in /sys/block: '!' where the name has '/'. out: DISK_NAME_MAX bytes. */
void disk_folder(char *out, const char *name, size_t len);

/* The scheduler of the disk's requests; NULL if it has none. Lives as long as the snapshot. */
const char *disk_scheduler(struct agent_refresh *r, const char *folder);

/* The world-wide name, the same for all paths to a disk: a digit for the kind of the number, then
 * the number. NULL if the disk has none. Lives as long as the snapshot. */
const char *disk_wwid(struct agent_refresh *r, const char *folder);

#endif

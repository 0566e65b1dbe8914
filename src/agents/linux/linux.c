/*
 * linux - the agent of the Linux kernel: which clusters it has.
 */
#include "linux.h"

/* clang-format off */
static const struct agent_cluster *const clusters[] = {
	/* the machine */
	&machine_cluster,
	&uname_cluster,
	&devices_cluster,
	&scsi_cluster,
	&cpus_cluster,
	&cpuinfo_cluster,
	&cpufreq_cluster,
	&throttle_cluster,

	/* what it does */
	&stat_cluster,
	&interrupts_cluster,
	&percpu_interrupts_cluster,
	&softirqs_cluster,
	&percpu_softirqs_cluster,
	&loadavg_cluster,
	&uptime_cluster,
	&users_cluster,
	&sysctl_cluster,
	&pressure_cpu_cluster,
	&pressure_memory_cluster,
	&pressure_io_cluster,
	&pressure_irq_cluster,

	/* memory */
	&meminfo_cluster,
	&vmstat_cluster,
	&numa_cluster,
	&slabinfo_cluster,
	&buddyinfo_cluster,
	&zoneinfo_cluster,
	&ksm_cluster,
	&swaps_cluster,

	/* disks */
	&diskstats_cluster,
	&partitions_cluster,
	&disk_sysfs_cluster,
	&filesys_cluster,

	/* network */
	&netdev_cluster,
	&linkstate_cluster,
	&netaddr_cluster,
};
/* clang-format on */

const struct agent linux_agent = {"linux", 60, clusters, NROWS(clusters)};

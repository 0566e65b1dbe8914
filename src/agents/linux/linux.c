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
	&limits_cluster,
	&shm_cluster,
	&msg_cluster,
	&sem_cluster,
	&serial_cluster,
	&uevent_cluster,

	/* memory */
	&meminfo_cluster,
	&vmstat_cluster,
	&numa_cluster,
	&slabinfo_cluster,
	&buddyinfo_cluster,
	&zoneinfo_cluster,
	&fragmentation_cluster,
	&ksm_cluster,
	&swaps_cluster,

	/* disks */
	&diskstats_cluster,
	&partitions_cluster,
	&disk_sysfs_cluster,
	&wwid_cluster,
	&mdstatus_cluster,
	&zram_cluster,
	&tape_cluster,
	&fchost_cluster,
	&filesys_cluster,
	&vfs_cluster,
	&locks_cluster,

	/* network */
	&netdev_cluster,
	&linkstate_cluster,
	&netaddr_cluster,
	&softnet_cluster,
	&snmp_cluster,
	&snmp6_cluster,
	&netstat_cluster,
	&sockstat_cluster,
	&sockstat6_cluster,
	&tcp_cluster,
	&tcp6_cluster,
	&udp_cluster,
	&udp6_cluster,
	&raw_cluster,
	&raw6_cluster,
	&unix_cluster,
	&nfs_client_cluster,
	&nfs_server_cluster,
	&nfs_pools_cluster,
};
/* clang-format on */

const struct agent linux_agent = {"linux", 60, clusters, NROWS(clusters)};

/*
 * linux - what the files of the linux agent share: short words for the columns of a row, the
 * instance domains, and the clusters.
 */
#ifndef AGENT_LINUX_LINUX_H
#define AGENT_LINUX_LINUX_H

#include <pitot/agent.h>

/* Columns of a row. */
enum { S32 = PM_TYPE_32, U32 = PM_TYPE_U32, S64 = PM_TYPE_64, U64 = PM_TYPE_U64 };
enum { F32 = PM_TYPE_FLOAT, F64 = PM_TYPE_DOUBLE, STR = PM_TYPE_STRING };
enum { COUNTER = PM_SEM_COUNTER, INSTANT = PM_SEM_INSTANT, DISCRETE = PM_SEM_DISCRETE };

#define ONE               NULL /* column indom: a single value */
#define FIELD(type, name) AGENT_FIELD(struct type, name)
#define NROWS(rows)       ((unsigned int)(sizeof(rows) / sizeof((rows)[0])))

/* Instance domains that several clusters know about; each is defined in the file named. */
extern const struct agent_indom cpu_indom;  /* cpus.c */
extern const struct agent_indom node_indom; /* cpus.c */

/* The agent: all clusters. */
extern const struct agent linux_agent;

/* The clusters. */
extern const struct agent_cluster machine_cluster;
extern const struct agent_cluster cpus_cluster;
extern const struct agent_cluster cpufreq_cluster;
extern const struct agent_cluster throttle_cluster;
extern const struct agent_cluster cpuinfo_cluster;
extern const struct agent_cluster stat_cluster;
extern const struct agent_cluster interrupts_cluster;
extern const struct agent_cluster percpu_interrupts_cluster;
extern const struct agent_cluster softirqs_cluster;
extern const struct agent_cluster percpu_softirqs_cluster;
extern const struct agent_cluster loadavg_cluster;
extern const struct agent_cluster uptime_cluster;
extern const struct agent_cluster uname_cluster;
extern const struct agent_cluster devices_cluster;
extern const struct agent_cluster scsi_cluster;
extern const struct agent_cluster users_cluster;
extern const struct agent_cluster sysctl_cluster;
extern const struct agent_cluster pressure_cpu_cluster;
extern const struct agent_cluster pressure_memory_cluster;
extern const struct agent_cluster pressure_io_cluster;
extern const struct agent_cluster pressure_irq_cluster;
extern const struct agent_cluster meminfo_cluster;
extern const struct agent_cluster vmstat_cluster;
extern const struct agent_cluster numa_cluster;
extern const struct agent_cluster slabinfo_cluster;
extern const struct agent_cluster buddyinfo_cluster;
extern const struct agent_cluster zoneinfo_cluster;
extern const struct agent_cluster ksm_cluster;
extern const struct agent_cluster swaps_cluster;
extern const struct agent_cluster diskstats_cluster;
extern const struct agent_cluster partitions_cluster;
extern const struct agent_cluster disk_sysfs_cluster;
extern const struct agent_cluster filesys_cluster;
extern const struct agent_cluster netdev_cluster;
extern const struct agent_cluster linkstate_cluster;
extern const struct agent_cluster netaddr_cluster;
extern const struct agent_cluster limits_cluster;
extern const struct agent_cluster shm_cluster;
extern const struct agent_cluster msg_cluster;
extern const struct agent_cluster sem_cluster;
extern const struct agent_cluster serial_cluster;
extern const struct agent_cluster uevent_cluster;
extern const struct agent_cluster fragmentation_cluster;
extern const struct agent_cluster wwid_cluster;
extern const struct agent_cluster mdstatus_cluster;
extern const struct agent_cluster zram_cluster;
extern const struct agent_cluster tape_cluster;
extern const struct agent_cluster fchost_cluster;
extern const struct agent_cluster vfs_cluster;
extern const struct agent_cluster locks_cluster;
extern const struct agent_cluster softnet_cluster;
extern const struct agent_cluster snmp_cluster;
extern const struct agent_cluster snmp6_cluster;
extern const struct agent_cluster netstat_cluster;
extern const struct agent_cluster sockstat_cluster;
extern const struct agent_cluster sockstat6_cluster;
extern const struct agent_cluster tcp_cluster;
extern const struct agent_cluster tcp6_cluster;
extern const struct agent_cluster udp_cluster;
extern const struct agent_cluster udp6_cluster;
extern const struct agent_cluster raw_cluster;
extern const struct agent_cluster raw6_cluster;
extern const struct agent_cluster unix_cluster;
extern const struct agent_cluster nfs_client_cluster;
extern const struct agent_cluster nfs_server_cluster;
extern const struct agent_cluster nfs_pools_cluster;

#endif

/*
 * linux - the agent of the Linux kernel: which clusters it has.
 */
#include "linux.h"

static const struct agent_cluster *const clusters[] = {
    &machine_cluster,         &cpus_cluster,        &stat_cluster,
    &loadavg_cluster,         &uptime_cluster,      &uname_cluster,
    &users_cluster,           &sysctl_cluster,      &pressure_cpu_cluster,
    &pressure_memory_cluster, &pressure_io_cluster, &pressure_irq_cluster,
    &meminfo_cluster,         &ksm_cluster,
};

static const struct agent linux_agent = {"linux", 60, clusters, NROWS(clusters)};

AGENT_PROGRAM(linux_agent, linux_init)

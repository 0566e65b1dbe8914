/*
 * linux - the agent of the Linux kernel: which clusters it has.
 */
#include "linux.h"

#define CLUSTER(name, file) &name##_cluster,
static const struct agent_cluster *const clusters[] = {
#include "clusters.def"
};
#undef CLUSTER

const struct agent linux_agent = {
    .name = "linux",
    .domain = 60,
    .clusters = clusters,
    .nclusters = NROWS(clusters),
};

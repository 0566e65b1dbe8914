/* cpus - which processors and memory nodes there are, for the clusters that add up per node. */
#ifndef AGENT_LINUX_CPUS_H
#define AGENT_LINUX_CPUS_H

/* Processors and nodes beyond these numbers are left out. */
enum { CPUS_MAX = 8192, NODES_MAX = 1024 };

/* The node of a processor, or -1, according to the last refresh of cpus_cluster. The framework
 * refreshes that cluster before any other with instances of cpu_indom or node_indom. This applies
 * to all functions below, too. */
int cpus_node(int cpu);

/* The first processor after this one (-1: the first of all) in order of number; -1: no more.
 * Offline ones count. */
int cpus_next(int cpu);

/* The same of those that are online. */
int cpus_next_online(int cpu);

/* The number of nodes, at least 1; nodes are numbered from 0 but numbers may be missing. */
int cpus_nodes(void);

#endif

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

/* The clusters, name##_cluster. */
#define CLUSTER(name, file) extern const struct agent_cluster name##_cluster;
#include "clusters.def"
#undef CLUSTER

#endif

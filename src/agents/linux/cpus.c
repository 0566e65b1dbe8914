/*
 * cpus - processors and memory nodes: which there are, which are online, and who belongs to whom.
 *
 * Their lists change only when something is plugged in, so they are read once a second at most.
 */
#include "cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"
#include "scan.h"

struct cpus {
	uint32_t ncpu;
	uint32_t nnode;
};

struct cpu {
	uint32_t num;
	uint32_t node;
	uint32_t online;
};

struct node {
	uint32_t online;
};

const struct agent_indom cpu_indom = {
    0,
    1,
    NULL,
    0,
    "Processors",
    "Logical processors as the kernel counts them, cpu0, cpu1, ...; offline ones too.",
};

const struct agent_indom node_indom = {
    19,
    1,
    NULL,
    0,
    "Memory nodes",
    "NUMA nodes, node0, node1, ...; a machine without NUMA has node0 alone.",
};

/* clang-format off */
static const struct agent_metric cpus_metrics[] = {
	{ "hinv.ncpu", 0, 32, U32, DISCRETE, ONE, AGENT_NONE, FIELD(cpus, ncpu),
	  "Processors in use", "Logical processors that are online.", 0 },
	{ "hinv.nnode", 0, 19, U32, DISCRETE, ONE, AGENT_NONE, FIELD(cpus, nnode),
	  "Memory nodes in the system", "1 on a machine without NUMA.", 0 },
	{ "hinv.map.cpu_num", 18, 6, U32, DISCRETE, &cpu_indom, AGENT_NONE, FIELD(cpu, num),
	  "Number of each processor", "The kernel's own, as in the name of the instance.", 0 },
	{ "hinv.map.cpu_node", 18, 8, U32, DISCRETE, &cpu_indom, AGENT_NONE, FIELD(cpu, node),
	  "Memory node of each processor", NULL, 0 },
	{ "hinv.cpu.online", 55, 0, U32, INSTANT, &cpu_indom, AGENT_NONE, FIELD(cpu, online),
	  "Whether each processor is online", "1 if it runs tasks, 0 if it was taken offline.", 0 },
	{ "hinv.node.online", 55, 1, U32, INSTANT, &node_indom, AGENT_NONE, FIELD(node, online),
	  "Whether each memory node is online", "1 if it is, 0 if it is not.", 0 },
};
/* clang-format on */

/* The results of cpus_node and its like; written by cpus_refresh, on the fetching thread. */
static short node_of[CPUS_MAX];
static enum { ABSENT, OFFLINE, ONLINE } state_of[CPUS_MAX];
static int nnodes = 1;

int cpus_node(int cpu)
{
	return cpu >= 0 && cpu < CPUS_MAX ? node_of[cpu] : -1;
}

int cpus_next(int cpu)
{
	while (++cpu < CPUS_MAX)
		if (state_of[cpu] != ABSENT)
			return cpu;
	return -1;
}

int cpus_next_online(int cpu)
{
	while (++cpu < CPUS_MAX)
		if (state_of[cpu] == ONLINE)
			return cpu;
	return -1;
}

int cpus_nodes(void)
{
	return nnodes;
}

/* Calls put for each number of a list such as "0-3,8,10-11". */
static void each_number(const char *list, uint64_t max, void (*put)(void *arg, int n), void *arg)
{
	struct scan s = {list};
	uint64_t from, to;

	while (scan_u64(&s, &from)) {
		to = from;
		if (*s.p == '-') {
			s.p++;
			if (!scan_u64(&s, &to))
				return;
		}
		for (; from <= to && from < max; from++)
			put(arg, (int)from);
		if (*s.p != ',')
			return;
		s.p++;
	}
}

/* State while the table is built. */
struct topology {
	struct agent_refresh *r;
	struct cpus *cpus;
	int node; /* that put_cpu_of_node is about */
	int failed;
};

static void add_cpu(void *arg, int n)
{
	struct topology *t = arg;
	char name[16];
	struct cpu *cpu;

	snprintf(name, sizeof(name), "cpu%d", n);
	cpu = agent_add_id(t->r, &cpu_indom, n, name);
	if (cpu == NULL) {
		t->failed = -ENOMEM;
		return;
	}
	cpu->num = (uint32_t)n;
	cpu->node = node_of[n] >= 0 ? (uint32_t)node_of[n] : 0;
	cpu->online = 1;
	state_of[n] = ONLINE;
	t->cpus->ncpu++;
}

static void set_offline(void *arg, int n)
{
	struct topology *t = arg;
	struct cpu *cpu;

	for (size_t i = 0; (cpu = agent_added(t->r, &cpu_indom, i)) != NULL; i++)
		if (cpu->num == (uint32_t)n && cpu->online) {
			cpu->online = 0;
			state_of[n] = OFFLINE;
			t->cpus->ncpu--;
		}
}

static void set_node(void *arg, int n)
{
	const struct topology *t = arg;

	node_of[n] = (short)t->node;
}

static void add_node(void *arg, int n)
{
	struct topology *t = arg;
	char name[16];
	struct node *node;
	const char *text;

	snprintf(name, sizeof(name), "node%d", n);
	node = agent_add_id(t->r, &node_indom, n, name);
	if (node == NULL) {
		t->failed = -ENOMEM;
		return;
	}
	node->online = 1;
	nnodes = n + 1;
	t->cpus->nnode++;
	t->node = n;
	if (agent_readf(t->r, &text, "sys/devices/system/node/%s/cpulist", name) > 0)
		each_number(text, CPUS_MAX, set_node, t);
}

/* Kernels without /sys: the processors that /proc/stat counts. */
static void add_cpus_of_stat(struct topology *t)
{
	struct scan s;
	uint64_t n;

	if (agent_read(t->r, "proc/stat", &s.p) <= 0)
		return;
	do {
		if (scan_text(&s, "cpu") && *s.p != ' ' && scan_u64(&s, &n) && n < CPUS_MAX)
			add_cpu(t, (int)n);
	} while (scan_next_line(&s));
}

static int cpus_refresh(struct agent_refresh *r, void *snapshot)
{
	struct topology t = {r, snapshot, 0, 0};
	const char *list;

	t.cpus->ncpu = 0;
	t.cpus->nnode = 0;
	memset(node_of, 0xff, sizeof(node_of));
	memset(state_of, 0, sizeof(state_of));
	if (agent_readf(r, &list, "sys/devices/system/node/online") > 0) {
		char *copy = strdup(list);

		if (copy == NULL)
			return -ENOMEM;
		each_number(copy, NODES_MAX, add_node, &t);
		free(copy);
	}
	if (t.cpus->nnode == 0) {
		memset(node_of, 0, sizeof(node_of));
		add_node(&t, 0);
	}
	if (agent_readf(r, &list, "sys/devices/system/cpu/present") > 0)
		each_number(list, CPUS_MAX, add_cpu, &t);
	else
		add_cpus_of_stat(&t);
	if (agent_readf(r, &list, "sys/devices/system/cpu/offline") > 0)
		each_number(list, CPUS_MAX, set_offline, &t);
	return t.failed;
}

const struct agent_cluster cpus_cluster = {
    .name = "cpus",
    .source = "/sys/devices/system/cpu and /sys/devices/system/node",
    .size = sizeof(struct cpus),
    .refresh = cpus_refresh,
    .metrics = cpus_metrics,
    .nmetrics = NROWS(cpus_metrics),
    .fills = {{&cpu_indom, sizeof(struct cpu), 1}, {&node_indom, sizeof(struct node), 1}},
    .max_age_ms = 1000,
};

/*
 * softnet - packets that each processor took from the network devices: /proc/net/softnet_stat.
 *
 * A line a processor, hexadecimal numbers of 32 bits. Before kernel 5.14 a line does not name its
 * processor: the lines are those of the processors that are online, in their order.
 */
#include <errno.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

/* Columns of the file. */
enum { PROCESSED = 0, DROPPED, TIME_SQUEEZE, CPU_COLLISION = 8, RECEIVED_RPS, FLOW_LIMIT };
enum { CPU = 12, NCOLUMNS };

struct softnet {
	uint64_t column[NCOLUMNS];
};

/* clang-format off */

/* X(item in all, item by processor, last part of the name, column, text) */
#define SOFTNET_ROWS(X)                                                                            \
	X(0, 6, "processed", PROCESSED, "Packets taken from the network devices")                  \
	X(1, 7, "dropped", DROPPED, "Packets dropped because the queue of a processor was full")   \
	X(2, 8, "time_squeeze", TIME_SQUEEZE,                                                      \
	  "Times that packets were left over because the share of time was used up")               \
	X(3, 9, "cpu_collision", CPU_COLLISION,                                                    \
	  "Times that a device was busy with another processor while sending")                     \
	X(4, 10, "received_rps", RECEIVED_RPS,                                                     \
	  "Times that another processor handed over packets (RPS)")                                \
	X(5, 11, "flow_limit_count", FLOW_LIMIT,                                                   \
	  "Packets dropped because their flow had more than its share")

#define ALL(n, cpu_n, leaf, at, text)                                                              \
	{ "network.softnet." leaf, 57, n, U64, COUNTER, ONE, AGENT_COUNT,                          \
	  FIELD(softnet, column[at]), text, "Of all processors.", 0 },
#define EACH(n, cpu_n, leaf, at, text)                                                             \
	{ "network.softnet.percpu." leaf, 57, cpu_n, U64, COUNTER, &cpu_indom, AGENT_COUNT,        \
	  FIELD(softnet, column[at]), text, "By processor.", 0 },

static const struct agent_metric softnet_metrics[] = {
	SOFTNET_ROWS(ALL)
	SOFTNET_ROWS(EACH)
};
/* clang-format on */

/* A value that is absent in both stays absent; absent in one counts as 0. */
static void add(struct softnet *sum, const struct softnet *one, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++) {
		if (one->column[i] == UINT64_MAX)
			continue;
		if (sum->column[i] == UINT64_MAX)
			sum->column[i] = 0;
		sum->column[i] += one->column[i];
	}
}

static int softnet_refresh(struct agent_refresh *r, void *snapshot)
{
	struct softnet *all = snapshot;
	struct scan s;
	long n = agent_read(r, "proc/net/softnet_stat", &s.p);
	int number = -1;

	if (n < 0)
		return (int)n;
	do {
		struct softnet one;
		struct softnet *cpu;
		int ncolumns = 0;

		while (ncolumns < NCOLUMNS && scan_hex(&s, &one.column[ncolumns]))
			ncolumns++;
		if (ncolumns == 0)
			continue;
		add(all, &one, ncolumns);
		number = ncolumns <= CPU              ? cpus_next_online(number)
			 : one.column[CPU] < CPUS_MAX ? (int)one.column[CPU]
						      : -1;
		if (number < 0)
			continue;
		cpu = agent_add_id(r, &cpu_indom, number, NULL);
		if (cpu == NULL)
			return -ENOMEM;
		add(cpu, &one, ncolumns);
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster softnet_cluster = {
    .name = "softnet",
    .source = "/proc/net/softnet_stat",
    .size = sizeof(struct softnet),
    .refresh = softnet_refresh,
    .metrics = softnet_metrics,
    .nmetrics = NROWS(softnet_metrics),
    .fills = {{&cpu_indom, sizeof(struct softnet), 0}},
};

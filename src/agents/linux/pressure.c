/*
 * pressure - how much tasks are held up by a lack of processor, memory, input and output, or by
 * interrupts: /proc/pressure, a file and a cluster each. Kernels without PSI have no values.
 *
 *     some avg10=0.12 avg60=0.09 avg300=0.18 total=6501827
 *     full avg10=0.00 avg60=0.00 avg300=0.00 total=0
 */
#include <errno.h>

#include "linux.h"
#include "scan.h"

struct pressure {
	uint64_t some_total;
	uint64_t full_total;
};

struct pressure_avg {
	float some;
	float full;
};

static const struct agent_instance spans[] = {
    {10, "10 second"},
    {60, "1 minute"},
    {300, "5 minute"},
};

static const struct agent_indom pressure_indom = {
    37, 1, spans, 3, "Spans of the pressure averages", "10 seconds, 1 minute and 5 minutes.",
};

#define SOME_ROWS(name, cluster, item, what)                                                       \
	{"kernel.all.pressure." name ".some.avg",                                                  \
	 cluster,                                                                                  \
	 item,                                                                                     \
	 F32,                                                                                      \
	 INSTANT,                                                                                  \
	 &pressure_indom,                                                                          \
	 AGENT_NONE,                                                                               \
	 FIELD(pressure_avg, some),                                                                \
	 "Share of time in which some task waited for " what,                                      \
	 "In percent, averaged over each span.",                                                   \
	 0},                                                                                       \
	{                                                                                          \
		"kernel.all.pressure." name ".some.total", cluster, item + 1, U64, COUNTER, ONE,   \
		    AGENT_USEC, FIELD(pressure, some_total),                                       \
		    "Time in which some task waited for " what,                                    \
		    "Some: at least one task, while others may have run.", 0                       \
	}
#define FULL_ROWS(name, cluster, item, what)                                                       \
	{"kernel.all.pressure." name ".full.avg",                                                  \
	 cluster,                                                                                  \
	 item,                                                                                     \
	 F32,                                                                                      \
	 INSTANT,                                                                                  \
	 &pressure_indom,                                                                          \
	 AGENT_NONE,                                                                               \
	 FIELD(pressure_avg, full),                                                                \
	 "Share of time in which all tasks waited for " what,                                      \
	 "In percent, averaged over each span.",                                                   \
	 0},                                                                                       \
	{                                                                                          \
		"kernel.all.pressure." name ".full.total", cluster, item + 1, U64, COUNTER, ONE,   \
		    AGENT_USEC, FIELD(pressure, full_total),                                       \
		    "Time in which all tasks waited for " what,                                    \
		    "Full: all tasks that were not idle, so no work was done.", 0                  \
	}

/* clang-format off */
static const struct agent_metric cpu_metrics[] = {
	SOME_ROWS("cpu", 83, 0, "a processor"),
};
static const struct agent_metric memory_metrics[] = {
	SOME_ROWS("memory", 84, 0, "memory"),
	FULL_ROWS("memory", 84, 2, "memory"),
};
static const struct agent_metric io_metrics[] = {
	SOME_ROWS("io", 85, 0, "input or output"),
	FULL_ROWS("io", 85, 2, "input or output"),
};
static const struct agent_metric irq_metrics[] = {
	FULL_ROWS("irq", 93, 0, "interrupts"),
};
/* clang-format on */

/* "avg10=0.12 ... total=1" of a line; the averages go to one member of each struct. */
static void pressure_read_line(struct agent_refresh *r, struct scan *s, size_t member,
			       uint64_t *total)
{
	static const char *const words[] = {"avg10=", "avg60=", "avg300="};
	double v;

	for (size_t i = 0; i < 3; i++) {
		char *avg = agent_added(r, &pressure_indom, i);

		scan_blanks(s);
		if (!scan_text(s, words[i]) || !scan_double(s, &v))
			return;
		*(float *)(void *)(avg + member) = (float)v;
	}
	scan_blanks(s);
	if (scan_text(s, "total="))
		scan_u64(s, total);
}

static int pressure_read(struct agent_refresh *r, struct pressure *all, const char *path)
{
	struct scan s;
	long n = agent_read(r, path, &s.p);

	if (n < 0)
		return (int)n;
	for (int i = 0; i < 3; i++)
		if (agent_add_id(r, &pressure_indom, spans[i].id, NULL) == NULL)
			return -ENOMEM;
	do {
		if (scan_text(&s, "some"))
			pressure_read_line(r, &s, offsetof(struct pressure_avg, some),
					   &all->some_total);
		else if (scan_text(&s, "full"))
			pressure_read_line(r, &s, offsetof(struct pressure_avg, full),
					   &all->full_total);
	} while (scan_next_line(&s));
	return 0;
}

#define PRESSURE_CLUSTER(word)                                                                     \
	static int word##_refresh(struct agent_refresh *r, void *snapshot)                         \
	{                                                                                          \
		return pressure_read(r, snapshot, "proc/pressure/" #word);                         \
	}                                                                                          \
	const struct agent_cluster pressure_##word##_cluster = {                                   \
	    .name = "pressure_" #word,                                                             \
	    .source = "/proc/pressure/" #word,                                                     \
	    .size = sizeof(struct pressure),                                                       \
	    .refresh = word##_refresh,                                                             \
	    .optional = 1,                                                                         \
	    .metrics = word##_metrics,                                                             \
	    .nmetrics = NROWS(word##_metrics),                                                     \
	    .fills = {{&pressure_indom, sizeof(struct pressure_avg), 0}},                          \
	}

PRESSURE_CLUSTER(cpu);
PRESSURE_CLUSTER(memory);
PRESSURE_CLUSTER(io);
PRESSURE_CLUSTER(irq);

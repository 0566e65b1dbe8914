/*
 * stat - processor time of all, each and per node, and the kernel's event counters: /proc/stat.
 *
 * The kernel counts time in ticks of 1/USER_HZ second; our unit is the millisecond. Guest time is
 * part of user time, and guest_nice part of nice: vuser and vnice are the rest without them.
 */
#include <errno.h>
#include <unistd.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

/* Columns of a cpu line, in the file's order, in milliseconds. */
enum { USER, NICE, SYS, IDLE, WAIT, HARD, SOFT, STEAL, GUEST, GUEST_NICE, NCOLUMNS };

struct time {
	uint64_t column[NCOLUMNS];
	uint64_t intr;  /* HARD + SOFT */
	uint64_t vuser; /* USER - GUEST */
	uint64_t vnice; /* NICE - GUEST_NICE */
};

struct stat_all {
	struct time time;
	uint64_t intr;
	uint64_t ctxt;
	uint64_t processes;
	uint64_t running;
	uint64_t blocked;
	int64_t btime;
};

#define ALL(name)  AGENT_FIELD(struct stat_all, name)
#define TIME(name) AGENT_FIELD(struct time, name)

/* One kind of time for all, each and per node: three rows. */
#define TIME_ROWS(suffix, member, all, percpu, pernode, text, more)                                \
	{"kernel.all.cpu." suffix,  0,    all, U64, COUNTER, ONE, AGENT_MSEC, ALL(time.member),    \
	 text " of all processors", more, 0},                                                      \
	    {"kernel.percpu.cpu." suffix,                                                          \
	     0,                                                                                    \
	     percpu,                                                                               \
	     U64,                                                                                  \
	     COUNTER,                                                                              \
	     &cpu_indom,                                                                           \
	     AGENT_MSEC,                                                                           \
	     TIME(member),                                                                         \
	     text " of each processor",                                                            \
	     more,                                                                                 \
	     0},                                                                                   \
	{                                                                                          \
		"kernel.pernode.cpu." suffix, 0, pernode, U64, COUNTER, &node_indom, AGENT_MSEC,   \
		    TIME(member), text " of the processors of each memory node", more, 0           \
	}

/* clang-format off */
static const struct agent_metric stat_metrics[] = {
	TIME_ROWS("user", column[USER], 20, 0, 62, "Time in user mode",
		"Guests included: time of a guest's virtual processor counts here and in guest."),
	TIME_ROWS("nice", column[NICE], 21, 1, 63, "Time in user mode at low priority",
		"Tasks with a positive nice value; niced guests included."),
	TIME_ROWS("sys", column[SYS], 22, 2, 64, "Time in kernel mode",
		"System calls and kernel threads, without interrupts."),
	TIME_ROWS("idle", column[IDLE], 23, 3, 65, "Idle time",
		"Nothing to run, and no disk input or output waited for."),
	TIME_ROWS("wait.total", column[WAIT], 35, 30, 69,
	  "Idle time with disk input or output pending",
		"An estimate: no processor waits for a disk, and the number may even go back."),
	TIME_ROWS("irq.hard", column[HARD], 54, 57, 71, "Time serving hardware interrupts", NULL),
	TIME_ROWS("irq.soft", column[SOFT], 53, 56, 70, "Time serving soft interrupts", NULL),
	TIME_ROWS("intr", intr, 34, 31, 66, "Time serving interrupts",
		"Sum of irq.hard and irq.soft."),
	TIME_ROWS("steal", column[STEAL], 55, 58, 67, "Time stolen by the hypervisor",
		"Something was ready to run, and the hypervisor ran another guest."),
	TIME_ROWS("guest", column[GUEST], 60, 61, 68, "Time running guests", "Also part of user."),
	TIME_ROWS("guest_nice", column[GUEST_NICE], 81, 83, 85,
	  "Time running guests at low priority",
		"Also part of nice."),
	TIME_ROWS("vuser", vuser, 78, 76, 77, "Time in user mode without guests",
	  "user less guest."),
	TIME_ROWS("vnice", vnice, 82, 84, 86, "Time in user mode at low priority without guests",
		"nice less guest_nice."),

	{ "kernel.all.intr", 0, 12, U64, COUNTER, ONE, AGENT_COUNT, ALL(intr),
	  "Interrupts served",
	  "All sources since boot, those without a line in /proc/interrupts too.", 0 },
	{ "kernel.all.pswitch", 0, 13, U64, COUNTER, ONE, AGENT_COUNT, ALL(ctxt),
	  "Context switches", "From one task to another, on all processors.", 0 },
	{ "kernel.all.sysfork", 0, 14, U64, COUNTER, ONE, AGENT_COUNT, ALL(processes),
	  "Tasks created", "Calls of fork, vfork and clone: threads count.", 0 },
	{ "kernel.all.running", 0, 15, U64, INSTANT, ONE, AGENT_NONE, ALL(running),
	  "Tasks running or ready to run", NULL, 0 },
	{ "kernel.all.blocked", 0, 16, U64, INSTANT, ONE, AGENT_NONE, ALL(blocked),
	  "Tasks blocked, waiting for input or output", NULL, 0 },
	{ "kernel.all.boottime", 0, 17, S64, DISCRETE, ONE, AGENT_SEC, ALL(btime),
	  "Time of boot", "Seconds since the start of 1970, UTC.", 0 },
};
/* clang-format on */

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The numbers of a cpu line; old kernels have fewer columns, and what is missing is absent. */
static void read_time(struct scan *s, struct time *t, uint64_t hz)
{
	int n = scan_u64s(s, t->column, NCOLUMNS);

	for (int i = 0; i < n; i++)
		t->column[i] =
		    t->column[i] > UINT64_MAX / 1000 ? UINT64_MAX : t->column[i] * 1000 / hz;
	if (n > SOFT)
		t->intr = t->column[HARD] + t->column[SOFT];
	t->vuser = n > GUEST ? less(t->column[USER], t->column[GUEST]) : t->column[USER];
	t->vnice = n > GUEST_NICE ? less(t->column[NICE], t->column[GUEST_NICE]) : t->column[NICE];
}

/* A value that is absent in each of them stays absent in the sum. */
static void add_time(struct time *sum, const struct time *t)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)t;

	for (size_t i = 0; i < sizeof(*t) / sizeof(uint64_t); i++)
		if (from[i] != UINT64_MAX)
			to[i] = to[i] == UINT64_MAX ? from[i] : to[i] + from[i];
}

static int add_nodes(struct agent_refresh *r)
{
	for (int n = 0; n < cpus_nodes(); n++)
		if (agent_add_id(r, &node_indom, n, NULL) == NULL)
			return -ENOMEM;
	return 0;
}

static int read_cpu(struct agent_refresh *r, struct scan *s, uint64_t hz)
{
	struct time *t, *sum;
	uint64_t n;

	if (!scan_u64(s, &n) || n >= CPUS_MAX)
		return 0;
	t = agent_add_id(r, &cpu_indom, (int)n, NULL);
	if (t == NULL)
		return -ENOMEM;
	read_time(s, t, hz);
	sum =
	    cpus_node((int)n) >= 0 ? agent_added(r, &node_indom, (size_t)cpus_node((int)n)) : NULL;
	if (sum != NULL)
		add_time(sum, t);
	return 0;
}

static int stat_read_line(struct agent_refresh *r, struct scan *s, struct stat_all *all,
			  uint64_t hz)
{
	uint64_t btime;

	if (scan_text(s, "cpu")) {
		if (*s->p != ' ')
			return read_cpu(r, s, hz);
		read_time(s, &all->time, hz);
	} else if (scan_text(s, "intr ")) {
		scan_u64(s, &all->intr); /* the first of thousands: the total */
	} else if (scan_text(s, "ctxt ")) {
		scan_u64(s, &all->ctxt);
	} else if (scan_text(s, "btime ")) {
		if (scan_u64(s, &btime))
			all->btime = (int64_t)btime;
	} else if (scan_text(s, "processes ")) {
		scan_u64(s, &all->processes);
	} else if (scan_text(s, "procs_running ")) {
		scan_u64(s, &all->running);
	} else if (scan_text(s, "procs_blocked ")) {
		scan_u64(s, &all->blocked);
	}
	return 0;
}

static int stat_refresh(struct agent_refresh *r, void *snapshot)
{
	struct stat_all *all = snapshot;
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct scan s;
	long n = agent_read(r, "proc/stat", &s.p);
	int status;

	if (n < 0)
		return (int)n;
	status = add_nodes(r);
	do {
		if (status == 0)
			status = stat_read_line(r, &s, all, hz);
	} while (scan_next_line(&s));
	return status;
}

const struct agent_cluster stat_cluster = {
    .name = "stat",
    .source = "/proc/stat",
    .size = sizeof(struct stat_all),
    .refresh = stat_refresh,
    .metrics = stat_metrics,
    .nmetrics = NROWS(stat_metrics),
    .fills = {{&cpu_indom, sizeof(struct time), 0}, {&node_indom, sizeof(struct time), 0}},
};

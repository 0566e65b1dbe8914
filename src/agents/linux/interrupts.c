/*
 * interrupts - hardware and soft interrupts by source and processor: /proc/interrupts and
 * /proc/softirqs.
 *
 *                CPU0       CPU1
 *      24:          1          0   PCI-MSI 16384-edge      virtio0-config
 *     NMI:          0          0   Non-maskable interrupts
 *     ERR:          0
 *
 * Both files are a matrix. A large host has hundreds of thousands of its fields: the values of each
 * source on each processor are a cluster of their own, so that totals do not pay for them.
 */
#include <errno.h>
#include <string.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

struct interrupts {
	uint64_t missed;
	uint64_t errors;
};

struct source {
	uint64_t total;
};

struct source_cpu {
	uint64_t count;
};

struct cpu_sum {
	uint64_t count;
};

static const struct agent_indom interrupt_indom = {
    4, 0, NULL, 0, "Interrupt sources", "The first column of /proc/interrupts: a number or a word.",
};
static const struct agent_indom interrupt_cpu_indom = {
    40, 0, NULL, 0, "Interrupt sources on processors", "SOURCE::cpuN.",
};
static const struct agent_indom softirq_indom = {
    36, 0, NULL, 0, "Soft interrupts", "The first column of /proc/softirqs.",
};
static const struct agent_indom softirq_cpu_indom = {
    41, 0, NULL, 0, "Soft interrupts on processors", "NAME::cpuN.",
};

/* clang-format off */
static const struct agent_metric interrupts_metrics[] = {
	{ "kernel.all.interrupts.total", 4, 0, U64, COUNTER, &interrupt_indom, AGENT_COUNT,
	  FIELD(source, total), "Interrupts of each source, on all processors", NULL, 0 },
	{ "kernel.all.interrupts.missed", 4, 2, U32, COUNTER, ONE, AGENT_COUNT,
	  FIELD(interrupts, missed), "Interrupts that an interrupt controller lost",
	  "The line MIS, of x86 machines.", 0 },
	{ "kernel.all.interrupts.errors", 4, 3, U32, COUNTER, ONE, AGENT_COUNT,
	  FIELD(interrupts, errors), "Errors on the bus of the interrupt controllers",
	  "The line ERR.", 0 },
	{ "kernel.percpu.intr", 4, 4, U64, COUNTER, &cpu_indom, AGENT_COUNT, FIELD(cpu_sum, count),
	  "Interrupts on each processor, of all sources", NULL, 0 },
};

static const struct agent_metric percpu_interrupts_metrics[] = {
	{ "kernel.percpu.interrupts", 4, 1, U32, COUNTER, &interrupt_cpu_indom, AGENT_COUNT,
	  FIELD(source_cpu, count), "Interrupts of each source on each processor", NULL, 0 },
};

static const struct agent_metric softirqs_metrics[] = {
	{ "kernel.all.softirqs.total", 82, 0, U64, COUNTER, &softirq_indom, AGENT_COUNT,
	  FIELD(source, total), "Soft interrupts of each kind, on all processors", NULL, 0 },
	{ "kernel.percpu.sirq", 63, 1, U64, COUNTER, &cpu_indom, AGENT_COUNT, FIELD(cpu_sum, count),
	  "Soft interrupts on each processor, of all kinds", NULL, 0 },
};

static const struct agent_metric percpu_softirqs_metrics[] = {
	{ "kernel.percpu.softirqs", 63, 0, U32, COUNTER, &softirq_cpu_indom, AGENT_COUNT,
	  FIELD(source_cpu, count), "Soft interrupts of each kind on each processor", NULL, 0 },
};
/* clang-format on */

/* The matrix being read. */
struct matrix {
	struct agent_refresh *r;
	struct scan s;
	int ncpu;
	short cpu[CPUS_MAX]; /* of each column */
};

/* The head line: a column may be missing where a processor is offline. */
static int matrix_open(struct matrix *m, struct agent_refresh *r, const char *path)
{
	long n = agent_read(r, path, &m->s.p);
	uint64_t cpu;

	if (n < 0)
		return (int)n;
	m->r = r;
	m->ncpu = 0;
	for (scan_blanks(&m->s); scan_text(&m->s, "CPU"); scan_blanks(&m->s)) {
		if (!scan_u64(&m->s, &cpu) || cpu >= CPUS_MAX || m->ncpu == CPUS_MAX)
			break;
		m->cpu[m->ncpu++] = (short)cpu;
	}
	return 0;
}

/* The next line's name, without the colon. False at the end. */
static bool matrix_row(struct matrix *m, const char **ret_name, size_t *ret_len)
{
	while (scan_next_line(&m->s)) {
		if (!scan_word(&m->s, ret_name, ret_len) || (*ret_name)[*ret_len - 1] != ':')
			continue;
		(*ret_len)--;
		if (*ret_len != 0)
			return true;
	}
	return false;
}

static bool is_word(const char *name, size_t len, const char *upper, const char *lower)
{
	return len == 3 && (memcmp(name, upper, 3) == 0 || memcmp(name, lower, 3) == 0);
}

static int add_cpus(const struct matrix *m)
{
	for (int i = 0; i < m->ncpu; i++) {
		struct cpu_sum *sum = agent_add_id(m->r, &cpu_indom, m->cpu[i], NULL);

		if (sum == NULL)
			return -ENOMEM;
		sum->count = 0;
	}
	return 0;
}

/* A line's total, and each processor's share added to its sum. */
static int add_source(struct matrix *m, const struct agent_indom *indom, const char *name,
		      size_t len, struct cpu_sum *sums)
{
	struct source *source = agent_add(m->r, indom, name, len);
	uint64_t count;

	if (source == NULL)
		return -ENOMEM;
	source->total = 0;
	for (int i = 0; i < m->ncpu && scan_u64(&m->s, &count); i++) {
		source->total += count;
		sums[i].count += count;
	}
	return 0;
}

static int read_totals(struct agent_refresh *r, const char *path, const struct agent_indom *indom,
		       struct interrupts *all)
{
	struct matrix m;
	struct cpu_sum *sums;
	const char *name;
	size_t len;
	int status = matrix_open(&m, r, path);

	if (status == 0)
		status = add_cpus(&m);
	if (status < 0 || m.ncpu == 0)
		return status;
	sums = agent_added(r, &cpu_indom, 0);
	while (status == 0 && matrix_row(&m, &name, &len)) {
		if (all != NULL && is_word(name, len, "ERR", "Err"))
			scan_u64(&m.s, &all->errors);
		else if (all != NULL && is_word(name, len, "MIS", "Mis"))
			scan_u64(&m.s, &all->missed);
		else
			status = add_source(&m, indom, name, len, sums);
	}
	return status;
}

/* "NAME::cpuN"; the length. */
static size_t pair_name(char *out, const char *name, size_t len, int cpu)
{
	char digits[8];
	size_t n = 0;

	memcpy(out, name, len);
	memcpy(out + len, "::cpu", 5);
	len += 5;
	do {
		digits[n++] = (char)('0' + cpu % 10);
		cpu /= 10;
	} while (cpu != 0);
	while (n > 0)
		out[len++] = digits[--n];
	return len;
}

static int read_pairs(struct agent_refresh *r, const char *path, const struct agent_indom *indom)
{
	struct matrix m;
	const char *name;
	char pair[96];
	size_t len;
	uint64_t count;
	int status = matrix_open(&m, r, path);

	if (status < 0)
		return status;
	while (matrix_row(&m, &name, &len)) {
		if (len > sizeof(pair) - 16 || is_word(name, len, "ERR", "Err") ||
		    is_word(name, len, "MIS", "Mis"))
			continue;
		for (int i = 0; i < m.ncpu && scan_u64(&m.s, &count); i++) {
			struct source_cpu *at =
			    agent_add(r, indom, pair, pair_name(pair, name, len, m.cpu[i]));

			if (at == NULL)
				return -ENOMEM;
			at->count = count;
		}
	}
	return 0;
}

static int interrupts_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_totals(r, "proc/interrupts", &interrupt_indom, snapshot);
}

static int percpu_interrupts_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_pairs(r, "proc/interrupts", &interrupt_cpu_indom);
}

static int softirqs_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_totals(r, "proc/softirqs", &softirq_indom, NULL);
}

static int percpu_softirqs_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_pairs(r, "proc/softirqs", &softirq_cpu_indom);
}

const struct agent_cluster interrupts_cluster = {
    .name = "interrupts",
    .source = "/proc/interrupts",
    .size = sizeof(struct interrupts),
    .refresh = interrupts_refresh,
    .metrics = interrupts_metrics,
    .nmetrics = NROWS(interrupts_metrics),
    .fills = {{&interrupt_indom, sizeof(struct source), 1},
	      {&cpu_indom, sizeof(struct cpu_sum), 0}},
    .wait_ms = 20,
};

const struct agent_cluster percpu_interrupts_cluster = {
    .name = "percpu_interrupts",
    .source = "/proc/interrupts",
    .refresh = percpu_interrupts_refresh,
    .metrics = percpu_interrupts_metrics,
    .nmetrics = NROWS(percpu_interrupts_metrics),
    .fills = {{&interrupt_cpu_indom, sizeof(struct source_cpu), 1}},
    .wait_ms = 20,
};

const struct agent_cluster softirqs_cluster = {
    .name = "softirqs",
    .source = "/proc/softirqs",
    .refresh = softirqs_refresh,
    .metrics = softirqs_metrics,
    .nmetrics = NROWS(softirqs_metrics),
    .fills = {{&softirq_indom, sizeof(struct source), 1}, {&cpu_indom, sizeof(struct cpu_sum), 0}},
    .wait_ms = 20,
};

const struct agent_cluster percpu_softirqs_cluster = {
    .name = "percpu_softirqs",
    .source = "/proc/softirqs",
    .refresh = percpu_softirqs_refresh,
    .metrics = percpu_softirqs_metrics,
    .nmetrics = NROWS(percpu_softirqs_metrics),
    .fills = {{&softirq_cpu_indom, sizeof(struct source_cpu), 1}},
    .wait_ms = 20,
};

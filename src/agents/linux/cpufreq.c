/*
 * cpufreq - what slows processors down: clock scaling and throttling for heat, from
 * /sys/devices/system/cpu/cpuN. Machines without these folders (most virtual ones) have no values.
 *
 * cpufreq/stats/time_in_state has a line "KHZ TICKS" for each clock rate, ticks of 10 milliseconds.
 * count is the sum of MHz times ticks, time the sum of ticks: so the rate of count divided by the
 * rate of time is the mean clock in MHz. PCP gives them other units; numbers and units are as
 * there.
 */
#include <errno.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

struct cpufreq {
	uint64_t count;
	uint64_t time;
	uint64_t max_khz;
	uint64_t min_khz;
};

struct throttle {
	uint64_t core_count;
	uint64_t core_ms;
	uint64_t package_count;
	uint64_t package_ms;
};

/* clang-format off */
static const struct agent_metric cpufreq_metrics[] = {
	{ "hinv.cpu.frequency_scaling.count", 55, 6, U64, COUNTER, &cpu_indom, AGENT_COUNT,
	  FIELD(cpufreq, count), "Clock rate of each processor, added up over time",
	  "MHz times ticks of 10 milliseconds: divided by the growth of "
	  "frequency_scaling.time it is the "
	  "mean clock rate.", 0 },
	{ "hinv.cpu.frequency_scaling.time", 55, 7, U64, COUNTER, &cpu_indom, AGENT_USEC,
	  FIELD(cpufreq, time), "Time that the clock rate of each processor was watched",
	  "In ticks of 10 milliseconds, whatever the unit says.", 0 },
	{ "hinv.cpu.frequency_scaling.max", 55, 8, U32, INSTANT, &cpu_indom, AGENT_PER_USEC,
	  FIELD(cpufreq, max_khz), "Highest clock rate of each processor, in MHz", NULL, 0 },
	{ "hinv.cpu.frequency_scaling.min", 55, 9, U32, INSTANT, &cpu_indom, AGENT_PER_USEC,
	  FIELD(cpufreq, min_khz), "Lowest clock rate of each processor, in MHz", NULL, 0 },
};

static const struct agent_metric throttle_metrics[] = {
	{ "hinv.cpu.thermal_throttle.core.count", 55, 2, U64, COUNTER, &cpu_indom, AGENT_COUNT,
	  FIELD(throttle, core_count), "Times that each core was slowed down for heat", NULL, 0 },
	{ "hinv.cpu.thermal_throttle.core.time", 55, 3, U64, COUNTER, &cpu_indom, AGENT_MSEC,
	  FIELD(throttle, core_ms), "Time that each core was slowed down for heat", NULL, 0 },
	{ "hinv.cpu.thermal_throttle.package.count", 55, 4, U64, COUNTER, &cpu_indom, AGENT_COUNT,
	  FIELD(throttle, package_count),
	  "Times that each processor's package was slowed down for heat",
	  NULL, 0 },
	{ "hinv.cpu.thermal_throttle.package.time", 55, 5, U64, COUNTER, &cpu_indom, AGENT_COUNT,
	  FIELD(throttle, package_ms),
	  "Time that each processor's package was slowed down for heat",
	  "In milliseconds.", 0 },
};
/* clang-format on */

/* The number in a file of a processor's folder; absent if there is none. */
static uint64_t number(struct agent_refresh *r, int cpu, const char *file)
{
	char text[32];
	struct scan s = {text};
	uint64_t v;

	if (agent_read_into(r, text, sizeof(text), "sys/devices/system/cpu/cpu%d/%s", cpu, file) <=
	    0)
		return UINT64_MAX;
	return scan_u64(&s, &v) ? v : UINT64_MAX;
}

static void read_states(struct agent_refresh *r, int cpu, struct cpufreq *f)
{
	static const char path[] = "sys/devices/system/cpu/cpu%d/cpufreq/stats/time_in_state";
	uint64_t khz, ticks, khz_ticks = 0;
	struct scan s;

	if (agent_readf(r, &s.p, path, cpu) <= 0)
		return;
	f->time = 0;
	do {
		if (!scan_u64(&s, &khz) || !scan_u64(&s, &ticks))
			continue;
		khz_ticks += khz * ticks;
		f->time += ticks;
	} while (scan_next_line(&s));
	f->count = khz_ticks / 1000;
}

static uint64_t mhz(uint64_t khz)
{
	return khz != UINT64_MAX ? khz / 1000 : khz;
}

static int cpufreq_refresh(struct agent_refresh *r, void *snapshot)
{
	for (int cpu = cpus_next(-1); cpu >= 0; cpu = cpus_next(cpu)) {
		struct cpufreq *f = agent_add_id(r, &cpu_indom, cpu, NULL);

		if (f == NULL)
			return -ENOMEM;
		read_states(r, cpu, f);
		f->max_khz = mhz(number(r, cpu, "cpufreq/cpuinfo_max_freq"));
		f->min_khz = mhz(number(r, cpu, "cpufreq/cpuinfo_min_freq"));
	}
	return 0;
}

static int throttle_refresh(struct agent_refresh *r, void *snapshot)
{
	for (int cpu = cpus_next(-1); cpu >= 0; cpu = cpus_next(cpu)) {
		struct throttle *t = agent_add_id(r, &cpu_indom, cpu, NULL);

		if (t == NULL)
			return -ENOMEM;
		t->core_count = number(r, cpu, "thermal_throttle/core_throttle_count");
		if (t->core_count == UINT64_MAX)
			continue; /* no folder: do not ask four times */
		t->core_ms = number(r, cpu, "thermal_throttle/core_throttle_total_time_ms");
		t->package_count = number(r, cpu, "thermal_throttle/package_throttle_count");
		t->package_ms = number(r, cpu, "thermal_throttle/package_throttle_total_time_ms");
	}
	return 0;
}

const struct agent_cluster cpufreq_cluster = {
    .name = "cpufreq",
    .source = "/sys/devices/system/cpu/cpuN/cpufreq",
    .refresh = cpufreq_refresh,
    .metrics = cpufreq_metrics,
    .nmetrics = NROWS(cpufreq_metrics),
    .fills = {{&cpu_indom, sizeof(struct cpufreq), 0}},
};

const struct agent_cluster throttle_cluster = {
    .name = "throttle",
    .source = "/sys/devices/system/cpu/cpuN/thermal_throttle",
    .refresh = throttle_refresh,
    .metrics = throttle_metrics,
    .nmetrics = NROWS(throttle_metrics),
    .fills = {{&cpu_indom, sizeof(struct throttle), 0}},
};

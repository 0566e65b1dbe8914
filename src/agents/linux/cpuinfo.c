/* cpuinfo - what kind of processors these are, and what slows them down. */
#include <errno.h>
#include <string.h>

#include "cpus.h"
#include "linux.h"
#include "scan.h"

/*
 * ---- kinds ----
 *
 * What kind of processors these are: /proc/cpuinfo.
 *
 * The file is a block of "key : value" lines for each processor, and slow to make: the kernel asks
 * every processor for its clock. So it is read once in a second at most.
 */

struct cpuinfo {
	float clock;
	float bogomips;
	uint32_t cache_kb;
	uint32_t cache_alignment;
	const char *vendor;
	const char *model;
	const char *model_name;
	const char *stepping;
	const char *flags;
};

/* clang-format off */
static const struct agent_metric cpuinfo_metrics[] = {
	{ "hinv.cpu.clock", 18, 0, F32, DISCRETE, &cpu_indom, AGENT_PER_USEC, FIELD(cpuinfo, clock),
	  "Clock rate of each processor, in MHz", "As of now where the processor changes it.", 0 },
	{ "hinv.cpu.vendor", 18, 1, STR, DISCRETE, &cpu_indom, AGENT_NONE, FIELD(cpuinfo, vendor),
	  "Maker of each processor", NULL, 0 },
	{ "hinv.cpu.model", 18, 2, STR, DISCRETE, &cpu_indom, AGENT_NONE, FIELD(cpuinfo, model),
	  "Model number of each processor", NULL, 0 },
	{ "hinv.cpu.stepping", 18, 3, STR, DISCRETE, &cpu_indom, AGENT_NONE,
	  FIELD(cpuinfo, stepping),
	  "Revision of each processor", NULL, 0 },
	{ "hinv.cpu.cache", 18, 4, U32, DISCRETE, &cpu_indom, AGENT_KBYTE, FIELD(cpuinfo, cache_kb),
	  "Cache of each processor", "The one that the kernel reports, of the second or third level.",
	  0 },
	{ "hinv.cpu.bogomips", 18, 5, F32, DISCRETE, &cpu_indom, AGENT_NONE,
	  FIELD(cpuinfo, bogomips),
	  "Turns of the kernel's delay loop", "In millions a second; says little about speed.", 0 },
	{ "hinv.cpu.model_name", 18, 9, STR, DISCRETE, &cpu_indom, AGENT_NONE,
	  FIELD(cpuinfo, model_name), "Model of each processor, in words", NULL, 0 },
	{ "hinv.cpu.flags", 18, 10, STR, DISCRETE, &cpu_indom, AGENT_NONE, FIELD(cpuinfo, flags),
	  "Features of each processor", "The kernel's words for them, with blanks between.", 0 },
	{ "hinv.cpu.cache_alignment", 18, 11, U32, DISCRETE, &cpu_indom, AGENT_NONE,
	  FIELD(cpuinfo, cache_alignment), "Alignment of cache lines, in bytes", NULL, 0 },
};
/* clang-format on */

/* How a value is taken. */
enum kind { TEXT, NUMBER, FRACTION };

/* Keys of the architectures that have them. */
static const struct {
	const char *name;
	unsigned short offset;
	enum kind kind;
} keys[] = {
    {"cpu MHz", offsetof(struct cpuinfo, clock), FRACTION},
    {"bogomips", offsetof(struct cpuinfo, bogomips), FRACTION},
    {"BogoMIPS", offsetof(struct cpuinfo, bogomips), FRACTION},
    {"cache size", offsetof(struct cpuinfo, cache_kb), NUMBER},
    {"cache_alignment", offsetof(struct cpuinfo, cache_alignment), NUMBER},
    {"vendor_id", offsetof(struct cpuinfo, vendor), TEXT},
    {"CPU implementer", offsetof(struct cpuinfo, vendor), TEXT},
    {"model", offsetof(struct cpuinfo, model), TEXT},
    {"CPU part", offsetof(struct cpuinfo, model), TEXT},
    {"model name", offsetof(struct cpuinfo, model_name), TEXT},
    {"stepping", offsetof(struct cpuinfo, stepping), TEXT},
    {"CPU revision", offsetof(struct cpuinfo, stepping), TEXT},
    {"flags", offsetof(struct cpuinfo, flags), TEXT},
    {"Features", offsetof(struct cpuinfo, flags), TEXT},
};

/* "key : value": the key's length, and s at the value; 0 if the line is none. */
static size_t read_key(struct scan *s, const char **ret_key)
{
	const char *end;

	*ret_key = s->p;
	while (*s->p != '\0' && *s->p != '\n' && *s->p != ':')
		s->p++;
	if (*s->p != ':')
		return 0;
	end = s->p++;
	while (end > *ret_key && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (size_t)(end - *ret_key);
}

static int put_value(struct agent_refresh *r, struct scan *s, void *at, enum kind kind)
{
	const char *text;
	uint64_t number;
	double fraction;
	size_t len;

	if (kind == NUMBER && scan_u64(s, &number))
		*(uint32_t *)at = (uint32_t)number;
	if (kind == FRACTION && scan_double(s, &fraction))
		*(float *)at = (float)fraction;
	if (kind != TEXT)
		return 0;
	len = scan_rest(s, &text);
	text = agent_string(r, text, len);
	*(const char **)at = text;
	return text != NULL ? 0 : -ENOMEM;
}

static int cpuinfo_read_line(struct agent_refresh *r, struct scan *s, struct cpuinfo **cpu)
{
	const char *key;
	size_t len = read_key(s, &key);
	uint64_t n;

	if (len == 9 && memcmp(key, "processor", 9) == 0 && scan_u64(s, &n) && n <= INT32_MAX) {
		*cpu = agent_add_id(r, &cpu_indom, (int)n, NULL);
		return *cpu != NULL ? 0 : -ENOMEM;
	}
	if (len == 0 || *cpu == NULL)
		return 0;
	for (size_t i = 0; i < NROWS(keys); i++)
		if (strlen(keys[i].name) == len && memcmp(keys[i].name, key, len) == 0)
			return put_value(r, s, (char *)*cpu + keys[i].offset, keys[i].kind);
	return 0;
}

static int cpuinfo_refresh(struct agent_refresh *r, void *snapshot)
{
	struct cpuinfo *cpu = NULL;
	struct scan s;
	long n = agent_read(r, "proc/cpuinfo", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		status = cpuinfo_read_line(r, &s, &cpu);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

const struct agent_cluster cpuinfo_cluster = {
    .name = "cpuinfo",
    .source = "/proc/cpuinfo",
    .refresh = cpuinfo_refresh,
    .metrics = cpuinfo_metrics,
    .nmetrics = NROWS(cpuinfo_metrics),
    .fills = {{&cpu_indom, sizeof(struct cpuinfo), 0}},
    .max_age_ms = 1000,
    .wait_ms = 20,
};

/*
 * ---- clocks ----
 *
 * What slows processors down: clock scaling and throttling for heat, from
 * /sys/devices/system/cpu/cpuN. Machines without these folders (most virtual ones) have no values.
 *
 * cpufreq/stats/time_in_state has a line "KHZ TICKS" for each clock rate, ticks of 10 milliseconds.
 * count is the sum of MHz times ticks, time the sum of ticks: so the rate of count divided by the
 * rate of time is the mean clock in MHz. PCP gives them other units; numbers and units are as
 * there.
 */

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
static uint64_t cpufreq_number(struct agent_refresh *r, int cpu, const char *file)
{
	char text[32];
	struct scan s = {text};
	uint64_t v;

	if (agent_read_into(r, text, sizeof(text), "sys/devices/system/cpu/cpu%d/%s", cpu, file) <=
	    0)
		return UINT64_MAX;
	return scan_u64(&s, &v) ? v : UINT64_MAX;
}

static void cpufreq_read_states(struct agent_refresh *r, int cpu, struct cpufreq *f)
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
		cpufreq_read_states(r, cpu, f);
		f->max_khz = mhz(cpufreq_number(r, cpu, "cpufreq/cpuinfo_max_freq"));
		f->min_khz = mhz(cpufreq_number(r, cpu, "cpufreq/cpuinfo_min_freq"));
	}
	return 0;
}

static int throttle_refresh(struct agent_refresh *r, void *snapshot)
{
	for (int cpu = cpus_next(-1); cpu >= 0; cpu = cpus_next(cpu)) {
		struct throttle *t = agent_add_id(r, &cpu_indom, cpu, NULL);

		if (t == NULL)
			return -ENOMEM;
		t->core_count = cpufreq_number(r, cpu, "thermal_throttle/core_throttle_count");
		if (t->core_count == UINT64_MAX)
			continue; /* no folder: do not ask four times */
		t->core_ms = cpufreq_number(r, cpu, "thermal_throttle/core_throttle_total_time_ms");
		t->package_count =
		    cpufreq_number(r, cpu, "thermal_throttle/package_throttle_count");
		t->package_ms =
		    cpufreq_number(r, cpu, "thermal_throttle/package_throttle_total_time_ms");
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

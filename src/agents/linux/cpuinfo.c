/*
 * cpuinfo - what kind of processors these are: /proc/cpuinfo.
 *
 * The file is a block of "key : value" lines for each processor, and slow to make: the kernel asks
 * every processor for its clock. So it is read once in a second at most.
 */
#include <errno.h>
#include <string.h>

#include "linux.h"
#include "scan.h"

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
	  "Cache of each processor", "The one that the kernel tells, of the second or third level.",
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

static int read_line(struct agent_refresh *r, struct scan *s, struct cpuinfo **cpu)
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
		status = read_line(r, &s, &cpu);
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

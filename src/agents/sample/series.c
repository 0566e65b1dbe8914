/* series - numbers that change with time or with each fetch, as those of a real system do. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <pcp/libpcp.h>

#include "sample.h"

/* ---- by the clock ---- */

static int seconds(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return sample_number(call->metric->type, floor(sample_elapsed()), ret_atom);
}

static int milliseconds(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->d = sample_elapsed() * 1000;
	return PMDA_FETCH_STATIC;
}

/* A stair: so much more every 30 seconds. */
static double step_from, step_first = 20;

static int step(const struct agent_call *call, pmAtomValue *ret_atom)
{
	double steps = floor((sample_elapsed() - step_from) / 30);

	return sample_number(call->metric->type, step_first + 20 * steps, ret_atom);
}

static int store_step(const struct agent_call *call, const pmAtomValue *atom)
{
	step_from = sample_elapsed();
	step_first = atom->l;
	return 0;
}

/* Grows by a gradient that can be stored, so much a second. */
static double rate_at, rate_value = 10 * 1024 * 1024;
static unsigned int gradient;

/* As a counter of 32 bits wraps. */
static uint32_t wrapped(double number)
{
	return (uint32_t)fmod(number, 4294967296.0);
}

static void rate_advance(void)
{
	double now = sample_elapsed();

	rate_value = fmod(rate_value + gradient * (now - rate_at), 4294967296.0);
	rate_at = now;
}

static int rate(const struct agent_call *call, pmAtomValue *ret_atom)
{
	rate_advance();
	ret_atom->ul = wrapped(rate_value);
	return PMDA_FETCH_STATIC;
}

static int store_rate(const struct agent_call *call, const pmAtomValue *atom)
{
	rate_advance();
	rate_value = atom->ul;
	return 0;
}

static int rate_gradient(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = gradient;
	return PMDA_FETCH_STATIC;
}

static int store_gradient(const struct agent_call *call, const pmAtomValue *atom)
{
	rate_advance();
	gradient = atom->ul;
	return 0;
}

/* ---- by chance ---- */

static int drift_value, drift_known, drift_trend = 1;

static int drift(const struct agent_call *call, pmAtomValue *ret_atom)
{
	if (drift_known) {
		if (sample_random(8) == 0 || drift_value > 400 || drift_value < 0)
			drift_trend = drift_value > 200 ? -1 : 1;
		drift_value += drift_trend * sample_random(50);
	} else {
		drift_value = 200;
		drift_known = 1;
	}
	ret_atom->l = drift_value;
	return PMDA_FETCH_STATIC;
}

static int store_drift(const struct agent_call *call, const pmAtomValue *atom)
{
	drift_value = atom->l;
	drift_known = 1;
	return 0;
}

static int lights(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static char *const colours[] = {"red", "yellow", "green"};
	static int lit = 2;

	if (sample_random(4) == 0)
		lit = (lit + 1) % 3;
	ret_atom->cp = colours[lit];
	return PMDA_FETCH_STATIC;
}

/* A power of two: the same for a while, then another. */
static int magnitude(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static int power = 1;

	if (sample_random(4) == 0)
		power = 1 << sample_random(7);
	ret_atom->l = power;
	return PMDA_FETCH_STATIC;
}

static int any_rate(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = sample_random(1024);
	return PMDA_FETCH_STATIC;
}

/* The sum of such rates; two of them, by the row's arg. */
static int any_counter(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static uint32_t sums[2];

	sums[call->metric->value.arg] += (uint32_t)sample_random(1024);
	ret_atom->ul = sums[call->metric->value.arg];
	return PMDA_FETCH_STATIC;
}

/* ---- by fetches ---- */

/* So much (arg) more with each fetch, modulo the type: counters that wrap. */
enum { RAPID, WRAP, SLOW_WRAP = WRAP + 4, NWRAPS = SLOW_WRAP + 4 };

static int wrap(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static const uint64_t most[] = {INT_MAX, UINT_MAX, INT64_MAX, UINT64_MAX};
	static const uint64_t slow_most[] = {INT_MAX, INT_MAX, INT64_MAX, INT64_MAX};
	static uint64_t sums[NWRAPS];
	int i = (int)call->metric->value.arg;

	if (i == RAPID)
		sums[i] += 800000000;
	else if (i < SLOW_WRAP)
		sums[i] += most[i - WRAP] / 2 - 1;
	else
		sums[i] += slow_most[i - SLOW_WRAP] / 10 - 1;
	ret_atom->ull = sums[i];
	if (call->metric->type == PM_TYPE_32 || call->metric->type == PM_TYPE_U32)
		ret_atom->ul = (uint32_t)sums[i];
	return PMDA_FETCH_STATIC;
}

/* From -10000 up by one with each fetch of the type: a counter that begins below zero. */
static double negatives[PM_TYPE_DOUBLE + 1] = {-10000, 0, -10000, 0, -10000, -10000};

static int negative(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return sample_number(call->metric->type, ++negatives[call->metric->type], ret_atom);
}

static int store_negative(const struct agent_call *call, const pmAtomValue *atom)
{
	switch (call->metric->type) {
	case PM_TYPE_32:
		negatives[call->metric->type] = atom->l;
		return 0;
	case PM_TYPE_64:
		negatives[call->metric->type] = (double)atom->ll;
		return 0;
	case PM_TYPE_FLOAT:
		negatives[call->metric->type] = atom->f;
		return 0;
	default:
		negatives[call->metric->type] = atom->d;
		return 0;
	}
}

/* ---- of this machine ---- */

static unsigned long first_size;

void series_start(void)
{
	__pmProcessDataSize(&first_size);
}

static int daemon_pid(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = (unsigned int)getpid();
	return PMDA_FETCH_STATIC;
}

/* How much the agent has grown since it began. */
static int datasize(const struct agent_call *call, pmAtomValue *ret_atom)
{
	unsigned long size = first_size;

	__pmProcessDataSize(&size);
	ret_atom->ul = size > first_size ? (unsigned int)(size - first_size) : 0;
	return PMDA_FETCH_STATIC;
}

static int system_info(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static struct {
		pmValueBlock head;
		char more[sizeof(struct sysinfo)];
	} block;
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return -errno;
	block.head.vtype = PM_TYPE_AGGREGATE;
	block.head.vlen = PM_VAL_HDR_SIZE + sizeof(info);
	memcpy(block.head.vbuf, &info, sizeof(info));
	ret_atom->vbp = &block.head;
	return PMDA_FETCH_STATIC;
}

/* clang-format off */
#define KBYTE_PER_SEC PMDA_PMUNITS(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_SEC, 0)
#define BYTE_PER_SEC  PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0)
#define BYTE_PER_HOUR PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_HOUR, 0)
#define BYTE          PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)
#define ONE(name, item, type, sem, units, value, store, arg, help) \
    {name, 0, item, type, PM_SEM_##sem, ONE_VALUE, units, AGENT_CALLS(value, store, arg), help, NULL, 0}
#define WRAPS(word, item, first, text) \
    ONE(word ".long", item, PM_TYPE_32, COUNTER, NO_UNITS, wrap, NULL, first, text), \
    ONE(word ".ulong", item + 1, PM_TYPE_U32, COUNTER, NO_UNITS, wrap, NULL, first + 1, text), \
    ONE(word ".longlong", item + 2, PM_TYPE_64, COUNTER, NO_UNITS, wrap, NULL, first + 2, text), \
    ONE(word ".ulonglong", item + 3, PM_TYPE_U64, COUNTER, NO_UNITS, wrap, NULL, first + 3, text)
#define BELOW(name, item, type, sem) \
    ONE("negative." name, item, type, sem, NO_UNITS, negative, store_negative, 0, \
        "Begins below zero; one more with each fetch of the type")
#define NEGATIVES(word, item, sem) \
    BELOW(word ".m_32", item, PM_TYPE_32, sem), BELOW(word ".m_64", item + 1, PM_TYPE_64, sem), \
    BELOW(word ".m_float", item + 2, PM_TYPE_FLOAT, sem), \
    BELOW(word ".m_double", item + 3, PM_TYPE_DOUBLE, sem)

static const struct agent_metric rows[] = {
    ONE("daemon_pid", 1, PM_TYPE_U32, INSTANT, NO_UNITS, daemon_pid, NULL, 0,
     "The agent's process"),
    ONE("seconds", 2, PM_TYPE_U32, COUNTER, SEC, seconds, NULL, 0, "Seconds since the agent began"),
    ONE("milliseconds", 3, PM_TYPE_DOUBLE, COUNTER, MSEC, milliseconds, NULL, 0,
        "Milliseconds since the agent began"),
    ONE("drift", 7, PM_TYPE_32, INSTANT, NO_UNITS, drift, store_drift, 0,
        "Goes up and down by chance, from what was stored or 200"),
    ONE("step", 8, PM_TYPE_32, INSTANT, COUNT, step, store_step, 0, "20 more every 30 seconds"),
    ONE("step_counter", 63, PM_TYPE_32, COUNTER, COUNT, step, NULL, 0, "sample.step as a counter"),
    ONE("sysinfo", 39, PM_TYPE_AGGREGATE, INSTANT, NO_UNITS, system_info, NULL, 0,
        "The bytes that sysinfo(2) gives"),
    ONE("lights", 46, PM_TYPE_STRING, DISCRETE, NO_UNITS, lights, NULL, 0, "Red, yellow or green"),
    ONE("magnitude", 47, PM_TYPE_32, DISCRETE, NO_UNITS, magnitude, NULL, 0, "A power of two"),
    WRAPS("wrap", 57, WRAP, "A counter that wraps every other fetch"),
    WRAPS("slow_wrap", 160, SLOW_WRAP, "A counter that wraps every twentieth fetch"),
    ONE("rapid", RAPID_ITEM, PM_TYPE_U32, COUNTER, COUNT, wrap, NULL, RAPID,
        "A counter that wraps every fifth fetch"),
    ONE("const_rate.value", 72, PM_TYPE_U32, COUNTER, COUNT, rate, store_rate, 0,
        "Grows by sample.const_rate.gradient each second"),
    ONE("const_rate.gradient", 73, PM_TYPE_U32, INSTANT, NO_UNITS, rate_gradient, store_gradient, 0,
        "By how much sample.const_rate.value grows in a second; can be stored"),
    ONE("byte_ctr", 81, PM_TYPE_32, COUNTER, BYTE, any_counter, NULL, 0,
        "Up to 1023 more with each fetch"),
    ONE("byte_rate", 82, PM_TYPE_32, INSTANT, BYTE_PER_SEC, any_rate, NULL, 0, "From 0 to 1023"),
    ONE("kbyte_ctr", 83, PM_TYPE_32, COUNTER, KBYTE, any_counter, NULL, 1,
        "Up to 1023 more with each fetch"),
    ONE("kbyte_rate", 84, PM_TYPE_32, INSTANT, KBYTE_PER_SEC, any_rate, NULL, 0, "From 0 to 1023"),
    ONE("byte_rate_perhour", 85, PM_TYPE_32, INSTANT, BYTE_PER_HOUR, any_rate, NULL, 0,
        "From 0 to 1023"),
    ONE("datasize", 91, PM_TYPE_U32, INSTANT, KBYTE, datasize, NULL, 0,
        "By how much the agent's data has grown"),
    NEGATIVES("ctr", 141, COUNTER),
    NEGATIVES("instant", 145, INSTANT),
    NEGATIVES("discrete", 149, DISCRETE),
};
/* clang-format on */

ROWS_CLUSTER(series, rows);

/*
 * events - event records, with a second's fraction in microseconds and in nanoseconds: for each
 * kind a story in four rounds, one a fetch, with a parameter of each type, and a plain count.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sample.h"

enum { MICROSECONDS, NANOSECONDS, NKINDS };
enum { FUNGUS, BOGUS };
enum { ROUNDS = 4, PARAMS = 6 };

/* Items of the parameters, in the order of their types but for the first. */
enum { TYPE = 127, P32, PU32, P64, PU64, PFLOAT, PDOUBLE, PSTRING, PAGGREGATE };

static pmdaInstid instances[] = {{FUNGUS, "fungus"}, {BOGUS, "bogus"}};

struct param {
	unsigned int item; /* 0: no more */
	double number;
	const char *text; /* of a string, or the bytes of an aggregate */
};

/* clang-format off */
static const struct {
    int round;
    int flags;
    int missed; /* not 0: that many events are missing */
    struct param params[PARAMS];
} story[] = {
    {1, PM_EVENT_FLAG_POINT, 0, {{0, 0, NULL}}},
    {2, PM_EVENT_FLAG_POINT, 0, {{TYPE, 1, NULL}}},
    {2, PM_EVENT_FLAG_POINT, 0, {{TYPE, 2, NULL}, {P64, -3, NULL}}},
    {3, PM_EVENT_FLAG_START | PM_EVENT_FLAG_ID | PM_EVENT_FLAG_PARENT, 0,
     {{TYPE, 4, NULL}, {PU64, 5, NULL}, {PSTRING, 0, "6"}}},
    {3, PM_EVENT_FLAG_POINT, 0, {{TYPE, 7, NULL}, {PDOUBLE, 8, NULL}, {PDOUBLE, -9, NULL}}},
    {3, PM_EVENT_FLAG_END, 0,
     {{TYPE, 10, NULL}, {PU64, 11, NULL}, {PSTRING, 0, "twelve"}, {PSTRING, 0, "thirteen"},
      {P32, -14, NULL}, {PU32, 15, NULL}}},
    {3, 0, 7, {{0, 0, NULL}}},
    {3, PM_EVENT_FLAG_POINT, 0,
     {{TYPE, 16, NULL}, {PFLOAT, -17, NULL}, {PAGGREGATE, 0, "\001\003\007\017\037\077\177\377"}}},
};
/* clang-format on */

/* The state of a kind, and the arrays of its two instances. */
static struct {
	int arrays[2];
	int round;
	int fetches;
} kinds[NKINDS];

void events_start(void)
{
	sample_set_instances(EVENTS, instances, 2);
	for (int i = 0; i < 2; i++) {
		kinds[MICROSECONDS].arrays[i] = pmdaEventNewArray();
		kinds[NANOSECONDS].arrays[i] = pmdaEventNewHighResArray();
	}
}

/* ---- either kind ---- */

static int events_reset(int kind, int array)
{
	return kind == MICROSECONDS ? pmdaEventResetArray(array)
				    : pmdaEventResetHighResArray(array);
}

/* flags 0: missed events. */
static int add_record(int kind, int array, struct timespec stamp, int flags, int missed)
{
	struct timeval tv = {stamp.tv_sec, stamp.tv_nsec / 1000};

	if (kind == MICROSECONDS)
		return missed == 0 ? pmdaEventAddRecord(array, &tv, flags)
				   : pmdaEventAddMissedRecord(array, &tv, missed);
	return missed == 0 ? pmdaEventAddHighResRecord(array, &stamp, flags)
			   : pmdaEventAddHighResMissedRecord(array, &stamp, missed);
}

static int add_value(int kind, int array, unsigned int item, int type, pmAtomValue *atom)
{
	pmID pmid = pmID_build((unsigned int)sample_ext()->e_domain, 0, item);

	return kind == MICROSECONDS ? pmdaEventAddParam(array, pmid, type, atom)
				    : pmdaEventAddHighResParam(array, pmid, type, atom);
}

static int add_text(int kind, int array, const char *text)
{
	char copy[64];
	pmAtomValue atom = {.cp = copy};

	snprintf(copy, sizeof(copy), "%s", text);
	return add_value(kind, array, PSTRING, PM_TYPE_STRING, &atom);
}

static int add_bytes(int kind, int array, const char *bytes)
{
	union {
		pmValueBlock block;
		char room[64];
	} value = {.room = ""};
	size_t len = strlen(bytes);
	pmAtomValue atom = {.vbp = &value.block};

	value.block.vtype = PM_TYPE_AGGREGATE;
	value.block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(value.block.vbuf, bytes, len);
	return add_value(kind, array, PAGGREGATE, PM_TYPE_AGGREGATE, &atom);
}

/* The type of a parameter: its row is one of ours. */
static int param_type(unsigned int item)
{
	for (unsigned int i = 0; i < events_cluster.nmetrics; i++)
		if (events_cluster.metrics[i].item == item)
			return events_cluster.metrics[i].type;
	return PM_TYPE_UNKNOWN;
}

static int add_param(int kind, int array, const struct param *param)
{
	int type = param_type(param->item);
	pmAtomValue atom;

	if (type == PM_TYPE_STRING)
		return add_text(kind, array, param->text);
	if (type == PM_TYPE_AGGREGATE)
		return add_bytes(kind, array, param->text);
	sample_number(type, param->number, &atom);
	return add_value(kind, array, param->item, type, &atom);
}

/* ---- the two instances ---- */

/* The records of the round, a second apart, from ten seconds ago on. */
static int tell_story(int kind, struct timespec stamp)
{
	int array = kinds[kind].arrays[FUNGUS], round = kinds[kind].round, r = 0;

	stamp.tv_sec -= 10;
	for (size_t i = 0; r >= 0 && i < sizeof(story) / sizeof(story[0]); i++) {
		const struct param *param = story[i].params;

		if (story[i].round != round)
			continue;
		r = add_record(kind, array, stamp, story[i].flags, story[i].missed);
		for (; r >= 0 && param < story[i].params + PARAMS && param->item != 0; param++)
			r = add_param(kind, array, param);
		stamp.tv_sec++;
	}
	kinds[kind].round = (round + 1) % ROUNDS;
	return r;
}

/* The count of such fetches; every third has one event more. */
static int tell_count(int kind, struct timespec stamp)
{
	int array = kinds[kind].arrays[BOGUS], n = kinds[kind].fetches++, r;
	char text[32];

	snprintf(text, sizeof(text), "fetch #%d", n);
	r = add_record(kind, array, stamp, PM_EVENT_FLAG_POINT, 0);
	if (r >= 0)
		r = add_text(kind, array, text);
	if (r >= 0 && n % 3 == 0)
		r = add_record(kind, array, stamp, PM_EVENT_FLAG_POINT, 0);
	if (r >= 0 && n % 3 == 0)
		r = add_text(kind, array, "bingo!");
	return r;
}

static int records(const struct agent_call *call, pmAtomValue *ret_atom)
{
	int kind = (int)call->metric->value.arg, which = call->inst == FUNGUS ? FUNGUS : BOGUS, r;
	int array = kinds[kind].arrays[which];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	r = events_reset(kind, array);
	if (r >= 0)
		r = which == FUNGUS ? tell_story(kind, now) : tell_count(kind, now);
	if (r < 0)
		return r;
	ret_atom->vbp = kind == MICROSECONDS ? (pmValueBlock *)pmdaEventGetAddr(array)
					     : (pmValueBlock *)pmdaEventGetHighResAddr(array);
	return PMDA_FETCH_STATIC;
}

static int round_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = kinds[call->metric->value.arg].round;
	return PMDA_FETCH_STATIC;
}

static int store_round(const struct agent_call *call, const pmAtomValue *atom)
{
	kinds[call->metric->value.arg].round = atom->l % ROUNDS;
	kinds[call->metric->value.arg].fetches = 0;
	return 0;
}

static int events_no_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return PMDA_FETCH_NOVALUES;
}

/* clang-format off */
#define RECORDS(name, item, type, indom, kind, help) \
    {"event." name, 0, item, type, PM_SEM_INSTANT, indom, NO_UNITS, AGENT_GET_ARG(records, kind), help, NULL, 0}
#define PARAM(word, item, type, help) \
    {"event." word, 0, item, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET(events_no_value), help, \
     NULL, 0}
#define RESET(name, item, kind) \
    {"event." name, 0, item, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_CALLS(round_value, store_round, kind), \
     "The round that the next fetch of the records tells, 0 to 3; can be stored", NULL, 0}

static const struct agent_metric rows[] = {
    RECORDS("records", 136, PM_TYPE_EVENT, OF(EVENTS), MICROSECONDS,
        "Events in four rounds with parameters of each type, and a count of fetches"),
    RECORDS("no_indom_records", 137, PM_TYPE_EVENT, ONE_VALUE, MICROSECONDS,
        "A count of fetches, as events"),
    RECORDS("highres_records", 139, PM_TYPE_HIGHRES_EVENT, OF(EVENTS), NANOSECONDS,
        "As sample.event.records, with nanoseconds"),
    RESET("reset", 126, MICROSECONDS),
    RESET("reset_highres", 140, NANOSECONDS),
    PARAM("type", TYPE, PM_TYPE_32, "Parameter of an event: the first one"),
    PARAM("param_32", P32, PM_TYPE_32, "Parameter of an event"),
    PARAM("param_u32", PU32, PM_TYPE_U32, "Parameter of an event"),
    PARAM("param_64", P64, PM_TYPE_64, "Parameter of an event"),
    PARAM("param_u64", PU64, PM_TYPE_U64, "Parameter of an event"),
    PARAM("param_float", PFLOAT, PM_TYPE_FLOAT, "Parameter of an event"),
    PARAM("param_double", PDOUBLE, PM_TYPE_DOUBLE, "Parameter of an event"),
    PARAM("param_string", PSTRING, PM_TYPE_STRING, "Parameter of an event"),
    PARAM("param_aggregate", PAGGREGATE, PM_TYPE_AGGREGATE, "Parameter of an event"),
};
/* clang-format on */

ROWS_CLUSTER(events, rows);

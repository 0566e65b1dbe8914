/*
 * live_groups - fetch groups on a collector, one line per fact, for live.py: with two libraries the
 * lines must be the same. Only the magnitude of rates is printed, because each run has other times.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

enum { MAX = 8, FETCHES = 2, PAUSE_US = 5000 };

static const int types[] = {PM_TYPE_32,    PM_TYPE_U32,    PM_TYPE_64,     PM_TYPE_U64,
			    PM_TYPE_FLOAT, PM_TYPE_DOUBLE, PM_TYPE_STRING, PM_TYPE_AGGREGATE};
enum { NTYPE = sizeof(types) / sizeof(types[0]) };

/* clang-format off */
static const char *const metrics[][2] = {
	{ "sample.long.one", NULL },
	{ "sample.long.one", "bin-100" },
	{ "sample.long.million", NULL },
	{ "sample.ulong.hundred", NULL },
	{ "sample.longlong.million", NULL },
	{ "sample.ulonglong.million", NULL },
	{ "sample.float.hundred", NULL },
	{ "sample.double.million", NULL },
	{ "sample.double.bin", "bin-900" },
	{ "sample.string.hullo", NULL },
	{ "sample.string.null", NULL },
	{ "sample.aggregate.hullo", NULL },
	{ "sample.bin", NULL },
	{ "sample.bin", "bin-100" },
	{ "sample.bin", "no-such-bin" },
	{ "sample.novalues", NULL },
	{ "sample.novalues", "bin-100" },
	{ "sample.noinst", NULL },
	{ "sample.bad.unknown", NULL },
	{ "sample.bad.nosupport", NULL },
	{ "sample.bad.novalues", NULL },
	{ "sample.part_bin", "bin-100" },
	{ "sample.part_bin", "bin-200" },
	{ "sample.load", NULL },
	{ "sample.milliseconds", NULL },
	{ "sample.event.records", "fungus" },
	{ "sample.sysinfo", NULL },
	{ "sample.const_rate.value", NULL },
	{ "hinv.pagesize", NULL },
	{ "hinv.physmem", NULL },
	{ "hinv.machine", NULL },
	{ "no.such.metric", NULL },
	{ "sample", NULL },
	{ "sample.needprofile.bin", "bin-100" },
	{ "sample.needprofile.bin", NULL },
};

static const char *const scales[] = {
	NULL, "", "rate", "instant", "Instant", "count", "byte", "Kbyte", "Mbyte", "10 Kbyte", "Kbyte / sec",
	"Kbyte / min", "sec", "msec / sec", "msec", "count / sec", "/ sec", "count x 10", "hour / byte",
	"nonsense", "2", "sec / hour",
};
/* clang-format on */
enum {
	NMETRIC = sizeof(metrics) / sizeof(metrics[0]),
	NSCALE = sizeof(scales) / sizeof(scales[0])
};

static pmFG group;

static const char *text(const char *s)
{
	return s == NULL ? "NULL" : s;
}

/* A number, or its magnitude in powers of ten. */
static void print_real(double d, int rounded)
{
	if (rounded && d > 0)
		printf(" 10^%.0f", floor(log10(d) + 0.5));
	else
		printf(" %.17g", d);
}

static void print_value(const pmAtomValue *value, int type, int rounded)
{
	switch (type) {
	case PM_TYPE_32:
		rounded ? print_real(value->l, 1) : (void)printf(" %d", value->l);
		break;
	case PM_TYPE_U32:
		printf(" %u", value->ul);
		break;
	case PM_TYPE_64:
		printf(" %lld", (long long)value->ll);
		break;
	case PM_TYPE_U64:
		printf(" %llu", (unsigned long long)value->ull);
		break;
	case PM_TYPE_FLOAT:
		print_real((double)value->f, rounded);
		break;
	case PM_TYPE_DOUBLE:
		print_real(value->d, rounded);
		break;
	default:
		if (rounded && value->cp != NULL)
			print_real(atof(value->cp), 1);
		else
			printf(" %s", text(value->cp));
	}
}

/* Each metric with each scale and type, alone in the group. */
static void walk_item(const char *metric, const char *inst, const char *scale, int type)
{
	pmAtomValue value;
	int status = 12345;
	int r;

	memset(&value, 0x55, sizeof(value));
	value.cp = NULL;
	r = pmExtendFetchGroup_item(group, metric, inst, scale, &value, type, &status);
	printf("item <%s> <%s> <%s> %d\t%d", metric, text(inst), text(scale), type, r);
	for (int i = 0; i < FETCHES && r == 0; i++) {
		r = pmFetchGroup(group);
		printf(" | %d %d", r, status);
		print_value(&value, type, i > 0);
		if (i == 0 && status != PM_ERR_AGAIN)
			break;
		usleep(PAUSE_US);
	}
	printf("\n");
	pmClearFetchGroup(group);
}

static void walk_items(void)
{
	for (int i = 0; i < NMETRIC; i++) {
		for (int j = 0; j < NTYPE; j++)
			walk_item(metrics[i][0], metrics[i][1], "instant", types[j]);
		for (int j = 0; j < NSCALE; j++)
			walk_item(metrics[i][0], metrics[i][1], scales[j], PM_TYPE_DOUBLE);
		walk_item(metrics[i][0], metrics[i][1], "byte", PM_TYPE_STRING);
		walk_item(metrics[i][0], metrics[i][1], "rate", PM_TYPE_32);
	}
}

static void walk_indom(const char *metric, const char *scale, int type, unsigned int max)
{
	pmAtomValue values[MAX];
	int codes[MAX], statuses[MAX];
	char *names[MAX] = {NULL};
	unsigned int num = 77;
	int status = 12345;
	int r;

	memset(values, 0, sizeof(values));
	memset(codes, 0x11, sizeof(codes));
	memset(statuses, 0x11, sizeof(statuses));
	r = pmExtendFetchGroup_indom(group, metric, scale, codes, names, values, type, statuses,
				     max, &num, &status);
	printf("indom <%s> <%s> %d %u\t%d", metric, text(scale), type, max, r);
	for (int i = 0; i < FETCHES && r == 0; i++) {
		r = pmFetchGroup(group);
		printf(" | %d %d %u", r, status, num);
		for (unsigned int j = 0; j < max; j++) {
			printf(" [%d %s %d", codes[j], text(names[j]), statuses[j]);
			print_value(&values[j], type, i > 0);
			printf("]");
		}
		if (i == 0 && (num == 0 || statuses[0] != PM_ERR_AGAIN))
			break;
		usleep(PAUSE_US);
	}
	printf("\n");
	pmClearFetchGroup(group);
}

static void walk_indoms(void)
{
	for (int i = 0; i < NMETRIC; i++) {
		walk_indom(metrics[i][0], "instant", PM_TYPE_DOUBLE, MAX);
		walk_indom(metrics[i][0], "instant", PM_TYPE_32, 3);
		walk_indom(metrics[i][0], NULL, PM_TYPE_STRING, MAX);
	}
	walk_indom("sample.float.bin", "instant", PM_TYPE_FLOAT, 4);
	walk_indom("sample.bin", "instant", PM_TYPE_AGGREGATE, 4);
	walk_indom("sample.bin", "Kbyte", PM_TYPE_32, 4);
	walk_indom("sample.bin", "instant", PM_TYPE_32, 0);
}

static void walk_event(const char *metric, const char *inst, const char *field, const char *scale,
		       int type, unsigned int max)
{
	pmAtomValue values[MAX];
	struct timespec times[MAX];
	int statuses[MAX];
	unsigned int num = 77;
	int status = 12345;
	int r;

	memset(values, 0, sizeof(values));
	memset(times, 0, sizeof(times));
	memset(statuses, 0x11, sizeof(statuses));
	r = pmExtendFetchGroup_event(group, metric, inst, field, scale, times, values, type,
				     statuses, max, &num, &status);
	printf("event <%s> <%s> <%s> <%s> %d %u\t%d", metric, text(inst), text(field), text(scale),
	       type, max, r);
	for (int i = 0; i < 6 && r == 0; i++) {
		r = pmFetchGroup(group);
		printf(" | %d %d %u", r, status, num);
		for (unsigned int j = 0; j < max; j++) {
			printf(" [%d %d", times[j].tv_sec > 0, statuses[j]);
			print_value(&values[j], type, 0);
			printf("]");
		}
	}
	printf("\n");
	pmClearFetchGroup(group);
}

static void store_zero(const char *name)
{
	pmValueSet set = {
	    .numval = 1, .valfmt = PM_VAL_INSITU, .vlist = {{.inst = (int)PM_IN_NULL}}};
	pmResult result = {.numpmid = 1, .vset = {&set}};

	if (pmLookupName(1, &name, &set.pmid) == 1)
		pmStore(&result);
}

/* The agent begins its series of events again. */
static void reset_events(void)
{
	pmUseContext(pmGetFetchGroupContext(group));
	store_zero("sample.event.reset");
	store_zero("sample.event.reset_highres");
}

static void walk_events(void)
{
	static const char *const fields[] = {"sample.event.type",
					     "sample.event.param_32",
					     "sample.event.param_u64",
					     "sample.event.param_double",
					     "sample.event.param_string",
					     "sample.event.param_aggregate",
					     "sample.long.one",
					     "no.such",
					     "sample.bin"};
	static const char *const arrays[] = {"sample.event.records", "sample.event.highres_records",
					     "sample.event.no_indom_records", "sample.long.one"};

	for (int a = 0; a < 4; a++) {
		for (int f = 0; f < 9; f++) {
			reset_events();
			walk_event(arrays[a], "fungus", fields[f], NULL, PM_TYPE_DOUBLE, MAX);
			reset_events();
			walk_event(arrays[a], NULL, fields[f], "instant", PM_TYPE_STRING, 2);
		}
	}
	reset_events();
	walk_event("sample.event.records", "fungus", "sample.event.param_64", "rate", PM_TYPE_64,
		   3);
	walk_event("sample.event.records", "fungus", "sample.event.param_64", "Kbyte", PM_TYPE_64,
		   3);
	walk_event("sample.event.records", "fungus", "sample.event.param_64", NULL, PM_TYPE_EVENT,
		   3);
	walk_event("sample.event.records", "bogus", "sample.event.type", NULL, PM_TYPE_U32, 3);
	walk_event("sample.event.records", "no such", "sample.event.type", NULL, PM_TYPE_U32, 3);
}

static void fetch(void)
{
	printf("fetch\t%d\n", pmFetchGroup(group));
}

/* Several items at once, and one that joins later. */
static void walk_group(void)
{
	struct timeval tv = {1, 1};
	struct timespec ts = {1, 1};
	pmAtomValue a, b, c, d;
	int sa = 1, sb = 1, sc = 1, sd = 1;

	fetch();
	printf("stamp\t%d\n", pmExtendFetchGroup_timestamp(group, &tv));
	printf("no stamp\t%d\n", pmExtendFetchGroup_timestamp(group, NULL));
	fetch();
	printf("stamps alone\t%ld %ld\n", (long)tv.tv_sec, (long)tv.tv_usec);
	pmExtendFetchGroup_item(group, "sample.milliseconds", NULL, NULL, &a, PM_TYPE_DOUBLE, &sa);
	pmExtendFetchGroup_item(group, "sample.long.one", NULL, NULL, &b, PM_TYPE_32, &sb);
	pmExtendFetchGroup_timespec(group, &ts);
	fetch();
	printf("first\t%d %d %d %d\n", sa, sb, b.l, tv.tv_sec > 1);
	printf("same time\t%d\n", tv.tv_sec == ts.tv_sec && tv.tv_usec == ts.tv_nsec / 1000);
	pmExtendFetchGroup_item(group, "sample.milliseconds", NULL, NULL, &c, PM_TYPE_DOUBLE, &sc);
	usleep(PAUSE_US);
	fetch();
	printf("twin\t%d %d\n", sa, sc);
	pmExtendFetchGroup_item(group, "sample.seconds", NULL, NULL, &d, PM_TYPE_DOUBLE, &sd);
	usleep(PAUSE_US);
	fetch();
	printf("late\t%d %d\n", sa, sd);
	usleep(PAUSE_US);
	fetch();
	printf("later\t%d %d\n", sa, sd);
	printf("no outputs\t%d\n", pmExtendFetchGroup_item(group, "sample.string.hullo", NULL, NULL,
							   NULL, PM_TYPE_STRING, NULL));
	printf("no outputs at all\t%d\n",
	       pmExtendFetchGroup_indom(group, "sample.bin", NULL, NULL, NULL, NULL, PM_TYPE_STRING,
					NULL, 3, NULL, NULL));
	fetch();
	printf("clear\t%d\n", pmClearFetchGroup(group));
	fetch();
}

static void walk_bad(void)
{
	pmFG none = NULL;
	pmAtomValue value;

	printf("create nowhere\t%d\n",
	       pmCreateFetchGroup(&none, PM_CONTEXT_HOST, "no-such-host.invalid"));
	printf("create nothing\t%d\n", pmCreateFetchGroup(NULL, PM_CONTEXT_HOST, "x"));
	printf("create type\t%d\n", pmCreateFetchGroup(&none, 99, "x"));
	printf("no group item\t%d\n",
	       pmExtendFetchGroup_item(NULL, "sample.bin", NULL, NULL, &value, PM_TYPE_32, NULL));
	printf("no metric\t%d\n",
	       pmExtendFetchGroup_item(group, NULL, NULL, NULL, &value, PM_TYPE_32, NULL));
}

int main(int argc, char **argv)
{
	int r = pmCreateFetchGroup(&group, PM_CONTEXT_HOST, argv[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);

	printf("create\t%d\n", r);
	if (r < 0)
		return 1;
	printf("context\t%d %d\n", pmGetFetchGroupContext(group), pmWhichContext());
	walk_bad();
	walk_group();
	walk_items();
	walk_indoms();
	walk_events();
	printf("destroy\t%d\n", pmDestroyFetchGroup(group));
	return 0;
}

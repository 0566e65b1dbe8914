/*
 * test_faults_offline - each allocation of the half without connection fails once, in turn: an
 * error, nothing lost, and the next try is right.
 *
 * The linker puts the functions below in the place of the C library's (--wrap).
 */
#include <stdbool.h>

#include "pcp_test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
int __wrap_asprintf(char **ret_text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static const char *names_path;

static int countdown; /* the allocation that fails, counted from now; 0: none */

static bool fails(void)
{
	return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

int __wrap_asprintf(char **ret_text, const char *fmt, ...)
{
	va_list ap;
	int r;

	if (fails())
		return -1;
	va_start(ap, fmt);
	r = vasprintf(ret_text, fmt, ap);
	va_end(ap);
	return r;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static int try_labels(void)
{
	pmLabelSet *set = NULL, *copy;
	int r = __pmAddLabels(&set, "{\"a\":1,\"b\":{\"c\":2}}", 0);

	if (r >= 0)
		r = __pmAddLabels(&set, "{\"a\":3}", PM_LABEL_OPTIONAL);
	if (r >= 0) {
		copy = __pmDupLabelSets(set, 1);
		if (copy == NULL)
			r = -ENOMEM;
		else
			pmFreeLabelSets(copy, 1);
	}
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	return r;
}

static int try_merge(void)
{
	char *texts[] = {(char *)"{\"a\":1}", (char *)"{\"b\":2}"};
	char buf[64];

	return pmMergeLabels(texts, 2, buf, sizeof(buf));
}

static int try_metric_spec(void)
{
	pmMetricSpec *spec;
	char *msg;
	int r = pmParseMetricSpec("h:a.b[x]", 0, NULL, &spec, &msg);

	if (r == 0)
		pmFreeMetricSpec(spec);
	return r;
}

static int try_events(void)
{
	static const struct {
		int nrecords;
		pmTimeval stamp;
		unsigned int flags;
		int nparams;
		pmEventParameter param;
		char text[8];
	} one = {1,
		 {1, 2},
		 PM_EVENT_FLAG_POINT,
		 1,
		 {.ep_pmid = 7, .ep_type = PM_TYPE_STRING, .ep_len = 10},
		 "hello"};
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmResult **records;
	int r;

	set.vlist[0].value.pval = test_block(&u, &one, sizeof(one), PM_TYPE_EVENT);
	r = pmUnpackEventRecords(&set, 0, &records);
	if (r > 0)
		pmFreeEventResult(records);
	return r;
}

static int try_values(void)
{
	pmAtomValue in = {.d = 1.5}, out;
	pmValue v;
	int r = __pmStuffValue(&in, &v, PM_TYPE_DOUBLE);

	if (r < 0)
		return r;
	v.value.pval->vtype = PM_TYPE_STRING;
	r = pmExtractValue(PM_VAL_DPTR, &v, PM_TYPE_STRING, &out, PM_TYPE_STRING);
	free(v.value.pval);
	if (r == 0)
		free(out.cp);
	return r;
}

static int try_zone(void)
{
	return pmNewZone("UTC");
}

/* Where the answer is an error anyway, there is no message for want of memory. */
static int expected(int r, int want, char **msg)
{
	if (r == want && *msg != NULL) {
		free(*msg);
		return 0;
	}
	return r == want ? -ENOMEM : r;
}

static int try_units_message(void)
{
	char *msg = NULL;
	double mult;
	pmUnits units;

	return expected(pmParseUnitsStr("bogus", &units, &mult, &msg), PM_ERR_CONV, &msg);
}

static int try_interval_message(void)
{
	struct timespec ts;
	char *msg = NULL;

	return expected(pmParseHighResInterval("10 bogus", &ts, &msg), -1, &msg);
}

static int try_window_message(void)
{
	const struct timespec start = {1000, 0}, end = {2000, 0};
	struct timespec s, e, o;
	char *msg = NULL;

	return expected(
	    pmParseHighResTimeWindow("@bogus", NULL, NULL, NULL, &start, &end, &s, &e, &o, &msg),
	    -1, &msg);
}

static int try_debug(void)
{
	int r = pmSetDebug("fetch,pdu");

	return r < 0 ? r : pmClearDebug("all");
}

static int try_namespace(void)
{
	int r = pmLoadASCIINameSpace(names_path, 1);
	const char *name = "a";
	pmID pmid;

	if (r == 0)
		r = pmLookupName(1, &name, &pmid);
	pmUnloadNameSpace();
	return r;
}

static int try_local_spec(void)
{
	int r = pmSpecLocalPMDA("add,5,path,init") == NULL ? 0 : -ENOMEM;

	pmSpecLocalPMDA("clear");
	return r;
}

static const struct {
	const char *name;
	int (*try)(void);
} tries[] = {
    {"labels", try_labels},           {"merge", try_merge},
    {"metric spec", try_metric_spec}, {"events", try_events},
    {"values", try_values},           {"zone", try_zone},
    {"units", try_units_message},     {"interval", try_interval_message},
    {"window", try_window_message},   {"debug", try_debug},
    {"namespace", try_namespace},     {"local", try_local_spec},
};

static void each_allocation(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		int n = 0, r;

		do {
			countdown = ++n;
			r = tries[i].try();
			/* still counting: nothing failed, so nothing may have been reported */
			if (countdown > 0 ? r < 0 : r != -ENOMEM)
				fail_msg("%s: allocation %d: %d", tries[i].name, n, r);
			assert_true(n < 100);
		} while (countdown == 0);
		countdown = 0;
		if (n == 1)
			fail_msg("%s: allocates nothing", tries[i].name);
		assert_true(tries[i].try() >= 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation)};
	char path[] = "/tmp/names.XXXXXX";
	int fd = mkstemp(path);
	int r;

	if (fd < 0 || dprintf(fd, "root { a 1:0:0 }\n") < 0)
		return 1;
	close(fd);
	names_path = path;
	setenv("PCP_PMCDCONF_PATH", "/dev/null", 1);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return r;
}

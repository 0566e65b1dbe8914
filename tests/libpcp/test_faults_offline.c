/*
 * test_faults_offline - each allocation of the half without connection fails once, in turn: an
 * error, nothing lost, and the next try is right.
 *
 * The linker puts the functions below in the place of the C library's (--wrap).
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>

#include "pcp_test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_asprintf(char **ret_text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

ssize_t __real_getline(char **ret_line, size_t *ret_size, FILE *f);
ssize_t __wrap_getline(char **ret_line, size_t *ret_size, FILE *f);
ssize_t __real___getdelim(char **ret_line, size_t *ret_size, int end, FILE *f);
ssize_t __wrap___getdelim(char **ret_line, size_t *ret_size, int end, FILE *f);
int __real_setenv(const char *name, const char *value, int overwrite);
int __wrap_setenv(const char *name, const char *value, int overwrite);

static const char *names_path;

static int countdown; /* the allocation that fails, counted from now; 0: none */
static bool reading;  /* the configuration: then what the C library allocates counts too */

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

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
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

/* The C library's own allocations are not intercepted here, but these two calls may fail because of
 * them. */
ssize_t __wrap_getline(char **ret_line, size_t *ret_size, FILE *f)
{
	if (!reading || !fails())
		return __real_getline(ret_line, ret_size, f);
	errno = ENOMEM;
	return -1;
}

/* The function that getline becomes when the compiler optimizes. */
ssize_t __wrap___getdelim(char **ret_line, size_t *ret_size, int end, FILE *f)
{
	if (!reading || !fails())
		return __real___getdelim(ret_line, ret_size, end, f);
	errno = ENOMEM;
	return -1;
}

int __wrap_setenv(const char *name, const char *value, int overwrite)
{
	if (!reading || !fails())
		return __real_setenv(name, value, overwrite);
	errno = ENOMEM;
	return -1;
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

	if (r == 0)
		r = pmSpecLocalPMDA("add,6,other,init") == NULL ? 0 : -ENOMEM;
	if (r == 0)
		r = pmSpecLocalPMDA("del,5") == NULL && pmSpecLocalPMDA("del,,other") == NULL
			? 0
			: -ENOMEM;
	pmSpecLocalPMDA("clear");
	return r;
}

static int try_merge_sets(void)
{
	pmLabelSet *sets[2] = {NULL, NULL};
	char buf[64];
	int r = __pmAddLabels(&sets[0], "{\"a\":1}", 0);

	if (r >= 0)
		r = __pmAddLabels(&sets[1], "{\"b\":{\"c\":2}}", 0);
	if (r >= 0)
		r = pmMergeLabelSets(sets, 2, buf, sizeof(buf), NULL, NULL);
	for (int i = 0; i < 2; i++) {
		if (sets[i] != NULL)
			pmFreeLabelSets(sets[i], 1);
	}
	return r;
}

/* Anything that is wrong is said in a message and counted; what was there can be freed. */
static int parse(int argc, char **argv, int flags)
{
	pmOptions opts = {
	    .version = PMAPI_VERSION, .flags = flags, .short_options = PMAPI_OPTIONS "K:"};
	int left, r;

	do
		r = pmGetOptions(argc, argv, &opts);
	while (r != -1);
	r = opts.errors > 0 || (opts.flags & PM_OPTFLAG_RUNTIME_ERR) ? -ENOMEM : 0;
	left = countdown;
	countdown = 0; /* what follows only tidies up */
	pmFreeOptions(&opts);
	pmflush();
	pmClearDebug("all");
	pmSpecLocalPMDA("clear");
	pmUnloadNameSpace();
	countdown = left;
	return r;
}

static int try_host_options(void)
{
	char *argv[] = {(char *)"try", (char *)"-h",  (char *)"a",  (char *)"-h",   (char *)"b",
			(char *)"-Z",  (char *)"UTC", (char *)"-t", (char *)"2sec", NULL};

	return parse(9, argv, PM_OPTFLAG_MULTI);
}

static int try_archive_options(void)
{
	char *argv[] = {(char *)"try", (char *)"-a", (char *)"x",    (char *)"-a",
			(char *)"y",   (char *)"-S", (char *)"1min", NULL};

	return parse(7, argv, 0);
}

static int try_other_options(void)
{
	char *argv[] = {(char *)"try",
			(char *)"-D",
			(char *)"appl0,appl1",
			(char *)"-K",
			(char *)"add,5,path,init",
			(char *)"-n",
			(char *)names_path,
			NULL};

	return parse(7, argv, 0);
}

/* In a process of its own, as the file is read once; that says so, and ends. */
static int try_configuration(void)
{
	int left = countdown, status;
	int pipe_fds[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		reading = true;
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		pmGetOptionalConfig("TRIED_ONE");
		left = countdown;
		countdown = 0;
		if (write(pipe_fds[1], &left, sizeof(left)) < 0)
			_exit(3);
		_exit(strcmp(pmGetConfig("TRIED_ONE"), "1") == 0 &&
			      strcmp(pmGetConfig("TRIED_TWO"), "2") == 0
			  ? 0
			  : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(read(pipe_fds[0], &left, sizeof(left)), sizeof(left));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	countdown = left;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
	return WEXITSTATUS(status) == 1 ? -ENOMEM : 0;
}

static const struct {
	const char *name;
	int (*try)(void);
} tries[] = {
    {"configuration", try_configuration},
    {"labels", try_labels},
    {"merge", try_merge},
    {"metric spec", try_metric_spec},
    {"events", try_events},
    {"values", try_values},
    {"zone", try_zone},
    {"units", try_units_message},
    {"interval", try_interval_message},
    {"window", try_window_message},
    {"debug", try_debug},
    {"namespace", try_namespace},
    {"local", try_local_spec},
    {"merge sets", try_merge_sets},
    {"hosts", try_host_options},
    {"archives", try_archive_options},
    {"options", try_other_options},
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

/* Conversions report no error; but the program's TZ is unchanged, and the next conversion is
 * right. */
static void conversions_keep_tz(void **state)
{
	static const char *const zones[] = {"CET-1", NULL};
	const time_t noon = 12 * 3600;
	char text[32];
	struct tm tm;

	assert_true(pmNewZone("EST+5") >= 0);
	for (size_t i = 0; i < 3 * ARRAY_SIZE(zones); i++) {
		const char *tz = zones[i % ARRAY_SIZE(zones)];

		for (int n = 1; n < 8; n++) {
			if (tz == NULL)
				unsetenv("TZ");
			else
				setenv("TZ", tz, 1);
			pmLocaltime(&noon, &tm);
			reading = true;
			countdown = n;
			if (i / ARRAY_SIZE(zones) == 0)
				pmCtime(&noon, text);
			else if (i / ARRAY_SIZE(zones) == 1)
				pmLocaltime(&noon, &tm);
			else
				__pmMktime(&tm);
			countdown = 0;
			reading = false;
			if (tz == NULL)
				assert_null(getenv("TZ"));
			else
				assert_string_equal(getenv("TZ"), tz);
			assert_string_equal(pmCtime(&noon, text), "Thu Jan  1 07:00:00 1970\n");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation),
					   cmocka_unit_test(conversions_keep_tz)};
	char path[] = "/tmp/names.XXXXXX";
	char conf[64];
	FILE *f;
	int fd = mkstemp(path);
	int r;

	if (fd < 0 || dprintf(fd, "root { a 1:0:0 }\n") < 0)
		return 1;
	close(fd);
	names_path = path;
	setenv("PCP_PMCDCONF_PATH", "/dev/null", 1);
	setenv("PCP_STDERR", "/dev/null", 1);
	snprintf(conf, sizeof(conf), "%s.conf", path);
	f = fopen(conf, "w");
	if (f == NULL || fputs("TRIED_ONE=1\nTRIED_TWO='2'\n", f) < 0 || fclose(f) != 0)
		return 1;
	setenv("PCP_CONF", conf, 1);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(conf);
	return r;
}

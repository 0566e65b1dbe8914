/*
 * Tests of libpcp_import without memory: each allocation of a whole session fails once in turn. A
 * call returns an error or succeeds; a call that failed succeeds when it is repeated, or what it
 * was about is lost whole; the archive can be read.
 */
#include <errno.h>

#include "import_test.h"
#include "starve.h"

#define INDOM pmiInDom(1, 1)

static int context;
static int failures;

/* The call that lacked memory is repeated; a code that only the repetition has is part of the
 * first attempt: it was done. */
#define TRY(call)                                                                                  \
	do {                                                                                       \
		int code_ = (call);                                                                \
		if (code_ < 0) {                                                                   \
			starve_left = -1;                                                          \
			failures++;                                                                \
			code_ = (call);                                                            \
		}                                                                                  \
		assert_true(code_ >= 0 || code_ == PMI_ERR_NODATA);                                \
	} while (0)

static void session(const char *archive)
{
	pmValueSet set = {.pmid = pmiID(1, 2, 2), .numval = 1};
	pmResult result = {.timestamp = {4, 0}, .numpmid = 1, .vset = {&set}};
	pmUnits units = import_no_units();

	TRY(context = pmiStart(archive, 1));
	TRY(pmiSetHostname("host"));
	TRY(pmiSetTimezone("UTC"));
	TRY(pmiSetVersion(3));
	TRY(pmiAddMetric("a", pmiID(1, 2, 1), PM_TYPE_32, INDOM, PM_SEM_INSTANT, units));
	TRY(pmiAddMetric("b", pmiID(1, 2, 2), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, units));
	TRY(pmiAddMetric("c", PM_ID_NULL, PM_TYPE_STRING, INDOM, PM_SEM_INSTANT, units));
	TRY(pmiAddInstance(INDOM, "one two", 1));
	TRY(pmiAddInstance(INDOM, "three", 3));
	TRY(pmiPutText(PM_TEXT_PMID, PM_TEXT_HELP, pmiID(1, 2, 2), "help"));
	TRY(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "l", "v"));
	TRY(pmiPutLabel(PM_LABEL_INSTANCES, INDOM, 3, "l", "v"));
	TRY(pmiGetHandle("a", "three"));
	TRY(pmiPutValue("a", "one two", "1"));
	TRY(pmiPutValueHandle(1, "3"));
	TRY(pmiPutValue("c", "three", "text"));
	TRY(pmiWrite(1, 0));
	TRY(pmiPutMark());
	TRY(pmiPutValue("b", NULL, "3"));
	TRY(pmiWrite(3, 0));
	TRY(pmiPutResult(&result));
	TRY(pmiEnd());
}

static void test_starved(void **state)
{
	char archive[32];
	long n = 0;
	bool more = true;

	for (; more; n++) {
		int records;

		assert_true(pmiStart(NULL, 0) > 0);
		snprintf(archive, sizeof(archive), "starved%ld", n);
		failures = 0;
		starve_left = n;
		session(archive);
		more = starve_left < 0;
		starve_left = -1;
		records = import_records(archive);
		assert_true(failures == 0 ? records == 3 : records >= 2);
	}
	assert_true(n > 50);
}

static void test_starved_heir(void **state)
{
	int old, heir = -1;
	long n = 0;

	assert_true(pmiStart(NULL, 0) > 0);
	session("parent");
	old = context;
	assert_int_equal(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "l", "v"), 0);
	for (; heir < 0; n++) {
		assert_int_equal(pmiUseContext(old), 0);
		starve_left = n;
		heir = pmiStart("heir", 1);
		starve_left = -1;
		assert_true(heir > 0 || heir == -ENOMEM);
	}
	assert_int_equal(pmiPutValue("c", "three", "text"), 0);
	assert_int_equal(pmiPutValueHandle(1, "3"), 0);
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(import_records("heir"), 1);
	assert_true(n > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_starved),
	    cmocka_unit_test(test_starved_heir),
	};

	return cmocka_run_group_tests(tests, import_setup, import_teardown);
}

/* Tests of what the calls of libpcp_import return, and of what is in the archive after them. */
#include <errno.h>

#include "import_test.h"

#define INDOM pmiInDom(1, 1)

static int start(const char *archive)
{
	int context = pmiStart(archive, 0);

	assert_true(context > 0);
	assert_int_equal(pmiSetVersion(2), 0);
	return context;
}

static void add_metric(const char *name, int item, int type, pmInDom indom)
{
	assert_int_equal(
	    pmiAddMetric(name, pmiID(1, 2, item), type, indom, PM_SEM_INSTANT, import_no_units()),
	    0);
}

/* This runs first: there is no context yet. */
static void test_no_context(void **state)
{
	pmResult result = {.numpmid = 0};

	assert_int_equal(pmiUseContext(0), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiEnd(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiSetHostname("h"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiSetTimezone("UTC"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiSetVersion(3), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiAddMetric("a", PM_ID_NULL, 0, PM_INDOM_NULL, 1, import_no_units()),
			 PM_ERR_NOCONTEXT);
	assert_int_equal(pmiAddInstance(INDOM, "a", 1), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutValue("a", NULL, "1"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiGetHandle("a", NULL), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutValueHandle(1, "1"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiWrite(1, 1), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutResult(&result), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutMark(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutText(PM_TEXT_PMID, PM_TEXT_HELP, 1, "t"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", "b"), PM_ERR_NOCONTEXT);
	assert_string_equal(pmiErrStr(-1), "Operation not permitted");
	pmiDump();
}

static void test_codes(void **state)
{
	char text[PMI_MAXERRMSGLEN] = "unchanged";

	start("codes");
	assert_string_equal(pmiErrStr(0), "No error");
	assert_string_equal(pmiErrStr(PMI_ERR_BADVERSION), "Illegal log version");
	assert_string_equal(pmiErrStr(PM_ERR_NAME), "Unknown metric name");
	assert_string_equal(pmiErrStr_r(PMI_ERR_BADHANDLE, text, 0), "unchanged");
	assert_string_equal(pmiErrStr_r(PMI_ERR_BADHANDLE, text, 8), "Illegal");
	assert_int_equal(pmiSetVersion(4), PMI_ERR_BADVERSION);
	assert_string_equal(pmiErrStr(-1), "Illegal log version");
	assert_int_equal(pmiUseContext(1 << 20), PM_ERR_NOCONTEXT);
	assert_string_equal(pmiErrStr(-1), "Attempt to use an illegal context");
	assert_int_equal(pmiSetVersion(3), 0);
	assert_string_equal(pmiErrStr(-1), "No error");
	pmiEnd();
}

/* The null pointer is never a crash. */
static void test_null(void **state)
{
	int names = pmiStart(NULL, 0);
	pmUnits units = import_no_units();

	assert_true(names > 0);
	assert_int_equal(pmiAddMetric(NULL, PM_ID_NULL, 0, PM_INDOM_NULL, 1, units),
			 PMI_ERR_BADMETRICNAME);
	assert_int_equal(pmiAddInstance(INDOM, NULL, 1), PM_ERR_INST);
	assert_int_equal(pmiAddMetric("a", PM_ID_NULL, 0, PM_INDOM_NULL, 1, units), 0);
	assert_int_equal(pmiPutValue(NULL, NULL, "1"), PM_ERR_NAME);
	assert_int_equal(pmiPutText(PM_TEXT_PMID, PM_TEXT_HELP, 1, NULL), PMI_ERR_EMPTYTEXTCONTENT);
	assert_int_equal(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, NULL, "b"), PMI_ERR_EMPTYLABELNAME);
	assert_int_equal(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", NULL), PMI_ERR_EMPTYLABELVALUE);
	assert_int_equal(pmiPutResult(NULL), PMI_ERR_NODATA);
	assert_int_equal(pmiSetHostname(NULL), 0);
	assert_int_equal(pmiPutValue("a", NULL, "1"), 0);
	assert_int_equal(pmiWrite(1, 0), PM_ERR_NOCONTEXT); /* it has no archive */
	assert_int_equal(pmiPutValue("a", NULL, NULL), PM_ERR_CONV);

	/* It is for others. */
	assert_true(pmiStart("heir", 1) > 0);
	assert_int_equal(pmiPutValue("a", NULL, "1"), 0);
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(import_records("heir"), 1);
}

/* Identifiers that are asked for are always free ones. */
static void test_free_ids(void **state)
{
	pmUnits units = import_no_units();

	start("ids");
	assert_int_equal(pmiAddMetric("a", pmiID(245, 0, 2), 0, PM_INDOM_NULL, 1, units), 0);
	assert_int_equal(pmiAddMetric("b", PM_ID_NULL, 0, PM_INDOM_NULL, 1, units), 0);
	assert_int_equal(pmiAddMetric("c", pmiID(245, 0, 3), 0, PM_INDOM_NULL, 1, units),
			 PMI_ERR_DUPMETRICID);
	assert_int_equal(pmiAddMetric("c", pmiID(245, 0, 2), 0, PM_INDOM_NULL, 1, units),
			 PMI_ERR_DUPMETRICID);
	pmiEnd();
}

/* 6.0.3 mixes up numbers and names of this. */
static void test_late_instance(void **state)
{
	static char *const names[] = {"zero", "two", "one"};
	int context, id;

	start("late");
	add_metric("m", 0, PM_TYPE_32, INDOM);
	assert_int_equal(pmiAddInstance(INDOM, "two", 2), 0);
	assert_int_equal(pmiAddInstance(INDOM, "one", 1), 0);
	assert_int_equal(pmiPutValue("m", "two", "2"), 0);
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiAddInstance(INDOM, "zero", 0), 0);
	assert_int_equal(pmiAddInstance(INDOM, "minus", -1), PM_ERR_INST);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pmiPutValue("m", names[i], "5"), 0);
	assert_int_equal(pmiWrite(2, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	context = pmNewContext(PM_CONTEXT_ARCHIVE, "late");
	assert_true(context >= 0);
	for (int i = 0; i < 3; i++) {
		id = pmLookupInDomArchive(INDOM, names[i]);
		assert_int_equal(id, i == 0 ? 0 : i == 1 ? 2 : 1);
	}
	pmDestroyContext(context);
}

static void test_times(void **state)
{
	start("times");
	add_metric("m", 0, PM_TYPE_32, PM_INDOM_NULL);
	assert_int_equal(pmiWrite(1, 0), PMI_ERR_NODATA);
	assert_int_equal(pmiPutValue("m", NULL, "1"), 0);
	assert_int_equal(pmiWrite(1, -1), PMI_ERR_BADTIMESTAMP);
	assert_int_equal(pmiWrite2(1LL << 40, 0), PMI_ERR_BADTIMESTAMP);
	assert_int_equal(pmiWrite(1, 1000000), 0); /* second 2 */
	assert_int_equal(pmiPutValue("m", NULL, "2"), 0);
	assert_int_equal(pmiHighResWrite(1, 999999999), PMI_ERR_BADTIMESTAMP);
	assert_int_equal(pmiPutValue("m", NULL, "3"), PMI_ERR_DUPVALUE); /* it is kept */
	assert_int_equal(pmiWrite(2, 0), 0);
	assert_int_equal(pmiPutMark(), 0);
	assert_int_equal(pmiPutValue("m", NULL, "3"), 0);
	assert_int_equal(pmiWrite(2, 500), PMI_ERR_BADTIMESTAMP); /* before the mark */
	assert_int_equal(pmiWrite(2, 1000), 0);
	assert_int_equal(pmiPutValue("m", NULL, "4"), 0);
	assert_int_equal(pmiWrite(-1, 0), 0); /* now */
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(pmiPutMark(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmiPutValue("m", NULL, "4"), 0);
	assert_int_equal(pmiWrite(-1, 0), PM_ERR_NOCONTEXT);
	assert_int_equal(import_records("times"), 4);
}

static void test_unknown_metric(void **state)
{
	pmValueSet set = {.pmid = pmiID(9, 9, 9), .numval = 1};
	pmResult result = {.timestamp = {1, 0}, .numpmid = 1, .vset = {&set}};

	start("unknown");
	add_metric("m", 0, PM_TYPE_32, PM_INDOM_NULL);
	assert_int_equal(pmiPutResult(&result), PM_ERR_PMID);
	assert_int_not_equal(access("unknown.meta", F_OK), 0);
	set.pmid = pmiID(1, 2, 0);
	assert_int_equal(pmiPutResult(&result), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(import_records("unknown"), 1);
}

/* Files that are in the way are left alone; the next write tries again. */
static void test_files_there(void **state)
{
	static const char *const members[] = {"there.index", "there.meta", "there.0"};

	for (int i = 0; i < 3; i++) {
		FILE *f = fopen(members[i], "w");

		assert_non_null(f);
		fclose(f);
		start("there");
		add_metric("m", 0, PM_TYPE_32, PM_INDOM_NULL);
		assert_int_equal(pmiPutValue("m", NULL, "1"), 0);
		assert_int_equal(pmiWrite(1, 0), -EEXIST);
		for (int j = 0; j < 3; j++)
			assert_int_equal(access(members[j], F_OK) == 0, i == j);
		assert_int_equal(unlink(members[i]), 0);
		assert_int_equal(pmiWrite(1, 0), PMI_ERR_NODATA);
		assert_int_equal(pmiPutValue("m", NULL, "1"), 0);
		assert_int_equal(pmiWrite(2, 0), 0);
		assert_int_equal(pmiEnd(), 0);
		assert_int_equal(import_records("there"), 1);
		for (int j = 0; j < 3; j++)
			assert_int_equal(unlink(members[j]), 0);
	}
	start("no/such/folder");
	add_metric("m", 0, PM_TYPE_32, PM_INDOM_NULL);
	assert_int_equal(pmiPutValue("m", NULL, "1"), 0);
	assert_int_equal(pmiWrite(1, 0), -ENOENT);
	assert_int_equal(pmiEnd(), 0);
}

/* Texts and labels alone make no archive that a reader opens, so none is left. */
static void test_no_record(void **state)
{
	start("notes");
	assert_int_equal(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", "b"), 0);
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_not_equal(access("notes.meta", F_OK), 0);
}

/* One record of 10,000 instances, the order of names that is worst. */
static void test_many_instances(void **state)
{
	enum { MANY = 10000 };
	char name[32];

	start("many");
	add_metric("m", 0, PM_TYPE_STRING, INDOM);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "instance %d", i);
		assert_int_equal(pmiAddInstance(INDOM, name + 9, i), 0);
	}
	for (int i = MANY - 1; i >= 0; i--) {
		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(pmiPutValue("m", name, name), 0);
	}
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	assert_int_equal(import_records("many"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_context),     cmocka_unit_test(test_codes),
	    cmocka_unit_test(test_null),           cmocka_unit_test(test_free_ids),
	    cmocka_unit_test(test_late_instance),  cmocka_unit_test(test_times),
	    cmocka_unit_test(test_unknown_metric), cmocka_unit_test(test_files_there),
	    cmocka_unit_test(test_no_record),      cmocka_unit_test(test_many_instances),
	};

	return cmocka_run_group_tests(tests, import_setup, import_teardown);
}

/* Tests of calls from several threads: each is done as a whole. */
#include <pthread.h>

#include "import_test.h"

enum {
	THREADS = 4,
	EACH = 500,
};

static void *put_values(void *arg)
{
	int thread = (int)(intptr_t)arg;
	char name[32], text[16];

	for (int i = 0; i < EACH; i++) {
		snprintf(name, sizeof(name), "t%d.m%d", thread, i);
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(pmiAddMetric(name, PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL,
					      PM_SEM_INSTANT, import_no_units()),
				 0);
		assert_int_equal(pmiPutValue(name, NULL, text), 0);
		assert_int_equal(pmiPutValue(name, NULL, text), PMI_ERR_DUPVALUE);
		assert_string_equal(pmiErrStr(PMI_ERR_NODATA), "No data to output");
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	pmHighResResult *result;
	int context;

	assert_true(pmiStart("threads", 0) > 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, put_values, (void *)(intptr_t)i),
				 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(pmiWrite(1, 0), 0);
	assert_int_equal(pmiEnd(), 0);
	context = pmNewContext(PM_CONTEXT_ARCHIVE, "threads");
	assert_true(context >= 0);
	assert_int_equal(pmFetchHighResArchive(&result), 0);
	assert_int_equal(result->numpmid, THREADS * EACH);
	pmFreeHighResResult(result);
	pmDestroyContext(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, import_setup, import_teardown);
}

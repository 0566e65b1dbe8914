/* test_derive_starve - each allocation of derived metrics fails once, in turn: an error, nothing
 * lost, and the next try is right. */
#include "derive_source.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/plan.h"
#include "libpcp/derive/register.h"
#include "pcp_test.h"
#include "starve.h"

enum { ROUNDS = 2000 };

static const char *const exprs[] = {
    "t.i32 + t.few * 2 - (t.double / 3.5)",
    "matchinst(!/o/, t.i32)",
    "t.i32[two] + scalar(t.few)",
    "rate(t.ctr) + rescale(delta(t.ctr), \"kbyte\") / 1",
    "t.one ? avg(t.i64) : avg(t.u64)",
    "mkconst(1,type=64,units=\"byte\")",
    "defined(t.one) && !defined(t.two) || count(t.i32) > 1",
    "anon(PM_TYPE_32)",
};

static int fetch_names(struct context *ctx, pmID pmid)
{
	pmHighResResult *result;
	const char **names;
	int r = plan_fetch(ctx, 1, &pmid, &result);

	if (r < 0)
		return r;
	pmFreeHighResResult(result);
	r = derive_names(ctx, true, &names);
	if (r >= 0)
		free(names);
	return r < 0 ? r : 0;
}

static int define_and_fetch(const char *expr)
{
	const struct definition *def;
	enum fault fault;
	struct context ctx;
	int at;
	int r;

	source_init(&ctx);
	r = register_own(&ctx, "s.x", expr, &at, &fault);
	def = r < 0 ? NULL : derive_by_name(&ctx, "s.x");
	for (int i = 0; i < 3 && r == 0; i++)
		r = fetch_names(&ctx, def->pmid);
	source_done(&ctx);
	return r == PM_ERR_BADDERIVE ? 1 : r;
}

static void test_each(void **state)
{
	for (size_t i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		int usual = define_and_fetch(exprs[i]);
		int failures = 0;

		assert_in_range(usual, 0, 1);
		for (long n = 0; n < ROUNDS; n++) {
			int r;

			starve_left = n;
			r = define_and_fetch(exprs[i]);
			if (starve_left >= 0) {
				starve_left = -1;
				break;
			}
			if (r != -ENOMEM)
				fail_msg("%s: allocation %ld: %d", exprs[i], n, r);
			failures++;
			assert_int_equal(define_and_fetch(exprs[i]), usual);
		}
		assert_true(failures > 5);
	}
}

static void test_calls(void **state)
{
	char *message = NULL;
	int r = -1;

	/* Until there is memory enough the metric is not there, and then it is. */
	for (long n = 0; r != 0 && n < ROUNDS; n++) {
		starve_left = n;
		r = pmRegisterDerivedMetric("s.y", "1 + 2", &message);
		starve_left = -1;
		free(message);
	}
	assert_int_equal(r, 0);
	assert_non_null(registry_by_name("s.y"));
	starve_left = 0;
	r = registry_set_text("s.y", true, "text");
	starve_left = -1;
	assert_int_equal(r, -ENOMEM);
	assert_int_equal(registry_set_text("s.y", true, "text"), 0);
	assert_int_equal(registry_set_text("s.y", true, "text"), -EEXIST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_each),
					   cmocka_unit_test(test_calls)};

	setenv("PCP_DERIVED_CONFIG", "", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

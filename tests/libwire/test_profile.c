/* The profile as each call leaves it (docs/spec/pmapi.md 4). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libwire/profile.h"

/* "I|1:E2,3|2:I" - default, then each domain with state and list. */
static void describe(const pmProfile *p, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s", p->state == PM_PROFILE_INCLUDE ? "I" : "E");

	for (int i = 0; i < p->profile_len; i++) {
		const pmInDomProfile *e = &p->profile[i];

		n += (size_t)snprintf(buf + n, size - n, "|%u:%s", e->indom,
				      e->state == PM_PROFILE_INCLUDE ? "I" : "E");
		for (int j = 0; j < e->instances_len; j++)
			n += (size_t)snprintf(buf + n, size - n, "%s%d", j == 0 ? "" : ",",
					      e->instances[j]);
	}
}

struct call {
	char verb; /* 'a' add, 'd' delete; 0 ends */
	pmInDom indom;
	const char *list; /* NULL, or one digit an instance */
};

#define NULLDOM PM_INDOM_NULL

/* clang-format off */
static const struct {
	struct call calls[5];
	const char *want;
} cases[] = {
	{ { {0} },                                                    "I" },
	{ { {'d', NULLDOM, NULL} },                                   "E" },
	{ { {'d', NULLDOM, NULL}, {'a', NULLDOM, NULL} },             "I" },
	{ { {'a', 1, "1"}, {'d', NULLDOM, NULL} },                    "E" },
	{ { {'a', 1, NULL} },                                         "I|1:I" },
	{ { {'d', 1, NULL} },                                         "I|1:E" },
	{ { {'a', 1, "31"} },                                         "I|1:E1,3" },
	{ { {'a', 1, "31"}, {'a', 1, "213"} },                        "I|1:E1,2,3" },
	{ { {'a', 1, "31"}, {'d', 1, "12"} },                         "I|1:E3" },
	{ { {'a', 1, NULL}, {'d', 1, "552"} },                        "I|1:I2,5" },
	{ { {'a', 1, NULL}, {'d', 1, "25"}, {'a', 1, "59"} },         "I|1:I2" },
	{ { {'a', 1, NULL}, {'d', 1, "25"}, {'d', 1, "13"} },         "I|1:I1,2,3,5" },
	{ { {'a', 1, NULL}, {'d', 1, "25"}, {'d', 1, NULL} },         "I|1:E" },
	{ { {'a', 1, "1"}, {'a', 1, NULL} },                          "I|1:I" },
	{ { {'d', 1, "12"} },                                         "I|1:E" },
	{ { {'d', NULLDOM, NULL}, {'a', 1, "1"}, {'a', 2, NULL} },    "E|1:E1|2:I" },
	{ { {'a', 1, ""} },                                           "I|1:E" },
	{ { {'a', 1, "12345"}, {'d', 1, "24"}, {'a', 1, "20"} },      "I|1:E0,1,2,3,5" },
};
/* clang-format on */

static int apply(pmProfile *p, const struct call *c)
{
	int list[16];
	int n = c->list == NULL ? 0 : (int)strlen(c->list);

	for (int i = 0; i < n; i++)
		list[i] = c->list[i] - '0';
	return (c->verb == 'a' ? profile_add : profile_del)(p, c->indom, n,
							    c->list == NULL ? NULL : list);
}

static void test_calls(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pmProfile profile = {0};
		pmProfile copy;
		char text[256];

		for (const struct call *c = cases[i].calls; c->verb != 0; c++)
			assert_int_equal(apply(&profile, c), 0);
		describe(&profile, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		assert_int_equal(profile_copy(&profile, &copy), 0);
		profile_done(&profile);
		describe(&copy, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		profile_done(&copy);
		describe(&copy, text, sizeof(text));
		assert_string_equal(text, "I");
	}
}

static void test_refused(void **state)
{
	pmProfile profile = {0};
	int list[1] = {1};

	assert_int_equal(profile_add(&profile, NULLDOM, 1, list), PM_ERR_PROFILESPEC);
	assert_int_equal(profile_del(&profile, NULLDOM, 0, list), PM_ERR_PROFILESPEC);
	assert_int_equal(profile_add(&profile, 1, -1, list), -EINVAL);
	assert_int_equal(profile.profile_len, 0);
}

static void test_wants(void **state)
{
	int some[] = {5, 1};
	pmInDomProfile lists[] = {
	    {.indom = 10, .state = PM_PROFILE_INCLUDE, .instances_len = 2, .instances = some},
	    {.indom = 20, .state = PM_PROFILE_EXCLUDE, .instances_len = 2, .instances = some},
	    {.indom = 30, .state = PM_PROFILE_EXCLUDE},
	};
	pmProfile p = {.state = PM_PROFILE_EXCLUDE, .profile_len = 3, .profile = lists};
	static const struct {
		pmInDom indom;
		int inst;
		bool wanted;
	} rows[] = {
	    {10, 1, false}, {10, 2, true},  {20, 5, true},
	    {20, 2, false}, {30, 1, false}, {40, 1, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(profile_wants(&p, rows[i].indom, rows[i].inst), rows[i].wanted);
	p.state = PM_PROFILE_INCLUDE;
	assert_true(profile_wants(&p, 40, 1));
	assert_true(profile_wants(NULL, 10, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_wants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

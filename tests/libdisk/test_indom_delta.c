/* test_indom_delta - what changed in a domain, and the domain after it. */
#include "libdisk/meta.h"

#include "wire_test.h"

enum { ROOM = 64 };

/* Instances from text: "1a 5b 7-" is 1 "a", 5 "b", and 7 deleted. */
static size_t insts_from(const char *text, struct wire_inst *insts)
{
	size_t n = 0;

	while (*text != '\0') {
		char *end;

		insts[n].inst = (int32_t)strtol(text, &end, 10);
		insts[n].name =
		    *end == '-' ? (struct wire_str){NULL, 0} : (struct wire_str){end, 1};
		n++;
		text = end + 1;
		text += *text == ' ';
	}
	return n;
}

static void check_equal(const struct wire_inst *a, size_t n, const char *text)
{
	struct wire_inst b[ROOM];

	assert_int_equal(n, insts_from(text, b));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(a[i].inst, b[i].inst);
		assert_int_equal(a[i].name.s == NULL, b[i].name.s == NULL);
		if (a[i].name.s != NULL)
			wire_test_str_equal(a[i].name, (char[]){b[i].name.s[0], '\0'});
	}
}

static void changes(void **state)
{
	static const struct {
		const char *old, *now;
		enum indom_change change;
		const char *delta;
	} cases[] = {
	    {"", "", INDOM_SAME, ""},
	    {"1a 2b", "1a 2b", INDOM_SAME, ""},
	    {"1a 2b", "1a 2c", INDOM_FULL, ""}, /* a name changed */
	    {"1a 2b", "", INDOM_FULL, ""},      /* 2 changes, 0 instances */
	    {"", "1a", INDOM_CHANGES, "1a"},    /* as many as a full record has */
	    {"1a 2b", "1a 2b 3c", INDOM_CHANGES, "3c"},
	    {"2b 3c", "1a 2b 3c", INDOM_CHANGES, "1a"},
	    {"1a 2b 3c", "1a 3c", INDOM_CHANGES, "2-"},
	    {"1a 2b 3c 4d", "1a 3c 4d 5e", INDOM_CHANGES, "2- 5e"},
	    {"1a 2b 3c", "4d", INDOM_FULL, ""},
	    {"1a 2b", "1a 3c", INDOM_CHANGES, "2- 3c"},
	    {"1a 2b 3c", "3c", INDOM_FULL, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wire_inst old[ROOM], now[ROOM], delta[ROOM], after[ROOM];
		size_t n_old = insts_from(cases[i].old, old), n_new = insts_from(cases[i].now, now);
		size_t n = 0, n_after;

		if (indom_compare(old, n_old, now, n_new, delta, &n) != cases[i].change)
			fail_msg("case %zu", i);
		if (cases[i].change == INDOM_FULL)
			continue;
		check_equal(delta, n, cases[i].delta);
		assert_int_equal(indom_apply(old, n_old, delta, n, after, &n_after), 0);
		check_equal(after, n_after, cases[i].now);
	}
}

static void applied(void **state)
{
	static const struct {
		const char *old, *delta;
		int r;
		const char *now;
	} cases[] = {
	    {"1a 2b", "2c", 0, "1a 2c"}, /* the new name */
	    {"1a 2b", "1- 2-", 0, ""},
	    {"1a 2b", "3-", PM_ERR_LOGREC, ""},    /* is not there */
	    {"1a 2b", "4d 3c", PM_ERR_LOGREC, ""}, /* out of order */
	    {"1a 2b", "3c 3d", PM_ERR_LOGREC, ""}, /* twice */
	    {"2b 1a", "3c", PM_ERR_LOGREC, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wire_inst old[ROOM], delta[ROOM], now[ROOM];
		size_t n_old = insts_from(cases[i].old, old);
		size_t n_delta = insts_from(cases[i].delta, delta), n;

		if (indom_apply(old, n_old, delta, n_delta, now, &n) != cases[i].r)
			fail_msg("case %zu", i);
		if (cases[i].r == 0)
			check_equal(now, n, cases[i].now);
	}
}

/* Random domains: a delta brings the old one to the new one, and is never longer than that. */
static void random_round_trips(void **state)
{
	unsigned int seed = 7;

	for (int round = 0; round < 20000; round++) {
		struct wire_inst old[ROOM], now[ROOM], delta[ROOM], after[ROOM];
		size_t n_old = 0, n_new = 0, n = 0, n_after;

		for (int32_t id = 0; id < 30; id++) {
			int fate = rand_r(&seed) % (1 + round % 40);
			struct wire_inst inst = {id, {fate == 7 ? "x" : "y", 1}};

			if (fate != 1)
				old[n_old++] = (struct wire_inst){id, {"y", 1}};
			if (fate != 2)
				now[n_new++] = inst;
		}
		if (indom_compare(old, n_old, now, n_new, delta, &n) == INDOM_FULL)
			continue;
		assert_true(n <= n_new);
		assert_int_equal(indom_apply(old, n_old, delta, n, after, &n_after), 0);
		assert_int_equal(n_after, n_new);
		for (size_t i = 0; i < n_new; i++)
			assert_int_equal(after[i].inst, now[i].inst);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(changes),
	    cmocka_unit_test(applied),
	    cmocka_unit_test(random_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_starved - each allocation fails once, in turn: an error comes back, and nothing is lost. */
#include <errno.h>

#include "pmns_test.h"
#include "starve.h"

static const char root_a[] = "#define X 1 /* x */\n#include \"part\"\nroot {\n a X:1:1\n s\n}\n"
			     "s {\n x 1:1:1\n}\n";
static const char *dir;

static int load_folder(struct pmns **ret_ns)
{
	return pmns_load_folder(dir, NULL, ret_ns);
}

static int add_many(struct pmns **ret_ns)
{
	char name[64];
	int r = 0;

	*ret_ns = pmns_new();
	if (*ret_ns == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < 4000 && r >= 0; i++) {
		snprintf(name, sizeof(name), "a.b%u.c%u", i % 10, i);
		r = pmns_add(*ret_ns, name, strlen(name), i);
		/* All or nothing: a name that was refused is not half there. */
		if (r == -ENOMEM)
			assert_int_equal(
			    pmns_lookup(*ret_ns, name, strlen(name), &(struct pmns_entry){0}),
			    PM_ERR_NAME);
	}
	return r < 0 ? r : 0;
}

static void starved(int (*act)(struct pmns **ret_ns))
{
	bool reached = true;

	for (long n = 0; reached; n++) {
		struct pmns *ns = NULL;
		int r;

		assert_true(n < 10000);
		starve_left = n;
		r = act(&ns);
		reached = starve_left < 0;
		starve_left = -1;
		assert_true(r == 0 || r == -ENOMEM);
		/* A message that is missing does not matter; a name does. */
		if (r == 0)
			assert_true(pmns_count(ns) >= 3);
		pmns_free(ns);
	}
}

static void folders(void **state)
{
	starved(load_folder);
}

static void adding(void **state)
{
	starved(add_many);
}

static int setup(void **state)
{
	dir = test_folder();
	test_file(dir, "stdpmid.local", "A 1\n");
	test_file(dir, "part", "/* nothing\n */\n");
	test_file(dir, "root_a", root_a);
	test_file(dir, "root_b", "root {\n b A:*:*\n a 9:9:9\n}\n");
	return 0;
}

static int teardown(void **state)
{
	test_folder_remove(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(folders),
	    cmocka_unit_test(adding),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

/* The host's name, and when the machine's identifier is returned as a hash. */
#include "libbase/hostid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libbase/sha256.h"

static void test_names(void **state)
{
	char text[HOSTID_TEXT_MAX];

	hostid_name(text, sizeof(text));
	assert_true(strlen(text) > 0);
	hostid_domain(text, sizeof(text));
	assert_true(strlen(text) > 0);
	hostid_name(text, 2);
	assert_true(strlen(text) <= 1);
}

static void test_machine(void **state)
{
	static const struct {
		const char *conf;
		bool hashed;
	} rows[] = {
	    {"", false},
	    {"machineid_hash = sha256\n", false},
	    {"[global]\nmachineid_hash = none\n", false},
	    {"[global]\n# x\nmachineid_hash = sha256\n", true},
	    {"[global]\n[other]\nmachineid_hash = sha256\n", false},
	};
	char dir[] = "/tmp/hostid.XXXXXX";
	char plain[HOSTID_TEXT_MAX], text[HOSTID_TEXT_MAX], hex[SHA256_HEX_LEN], path[64];

	assert_non_null(mkdtemp(dir));
	assert_false(hostid_machine(dir, plain, sizeof(plain)));
	sha256_hex(plain, strlen(plain), hex);
	snprintf(path, sizeof(path), "%s/labels.conf", dir);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FILE *f = fopen(path, "w");

		fputs(rows[i].conf, f);
		fclose(f);
		assert_int_equal(hostid_machine(dir, text, sizeof(text)), rows[i].hashed);
		assert_string_equal(text, rows[i].hashed ? hex : plain);
	}
	file_remove_tree(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

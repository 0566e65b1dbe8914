/* test_starved - configuration and access lists while each allocation fails once, in turn. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/pmcd/access.h"
#include "starve.h"

static const char text[] = "a 1 dso x /y\nb 2 pipe binary c d\ne f\n\"g\" 3 socket unix /s\n"
			   "[access]\nallow * : all;\nallow 1.2.3.* : maximum 5 connections;\n"
			   "allow x, 1.2.3.4 : all; disallow users root, * : store;\n"
			   "disallow groups g : all; disallow b : foo;\n";

static int host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	if (strcmp(name, "x") == 0)
		return 0;
	memset(ret_addrs, 0, sizeof(*ret_addrs));
	ret_addrs->ss_family = AF_INET;
	return 1;
}

static int self(void *arg, char *buf, size_t size)
{
	return -ENOSYS;
}

static int account(void *arg, const char *name, uid_t *ret_id, gid_t *ret_others, int max)
{
	*ret_id = ret_others[0] = 5;
	return 1;
}

static const struct access_names world = {
    .host = host, .self = self, .user = account, .group = account, .ipv6 = true};

static void said(void *arg, const char *file, unsigned int line, const char *what)
{
}

static void all_in_turn(void **state)
{
	bool reached = true;

	for (long n = 0; reached; n++) {
		struct access *a = NULL;
		struct config c;
		int r, built = -ENOMEM;

		assert_true(n < 10000);
		config_init(&c);
		starve_left = n;
		r = config_parse(&c, text, strlen(text), "f", said, NULL);
		if (r >= 0)
			built = access_new(&c, "f", &world, said, NULL, &a);
		reached = starve_left < 0;
		starve_left = -1;
		assert_true(r == -ENOMEM || r == 2);
		assert_true(built == -ENOMEM || built == 0);
		assert_int_equal(built == 0, a != NULL);
		if (r >= 0) {
			assert_int_equal(c.nagent, 3);
			assert_int_equal(c.naccess, 5);
		}
		access_free(a);
		config_done(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_in_turn)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

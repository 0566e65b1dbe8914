/* Tests of resolve.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netdb.h>
#include <netinet/in.h>

#include "libbase/resolve.h"

static void test_localhost_is_loopback(void **state)
{
	struct addrinfo *list;
	int n = 0;

	assert_int_equal(resolve_host("localhost", &list), 0);
	for (const struct addrinfo *i = list; i != NULL; i = i->ai_next) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)i->ai_addr;
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)i->ai_addr;

		if (i->ai_family == AF_INET)
			assert_int_equal(ntohl(in->sin_addr.s_addr) >> 24, 127);
		else
			assert_true(IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr));
		n++;
	}
	assert_in_range(n, 1, 8);
	freeaddrinfo(list);
}

static void test_addresses_are_names_too(void **state)
{
	struct addrinfo *list;

	assert_int_equal(resolve_host("192.0.2.7", &list), 0);
	assert_int_equal(list->ai_family, AF_INET);
	freeaddrinfo(list);
}

static void test_unknown(void **state)
{
	struct addrinfo *list;

	assert_int_not_equal(resolve_host("no-such-host.invalid", &list), 0);
	assert_int_not_equal(resolve_host("not a name", &list), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_localhost_is_loopback),
	    cmocka_unit_test(test_addresses_are_names_too),
	    cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

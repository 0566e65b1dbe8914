/* Tests of resolve.c. */
#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* A server that does not answer: getaddrinfo takes its time for names that begin with "dead". */
static sem_t let_go, gone;

int __real_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_list);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_list);

int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_list)
{
	bool dead = name != NULL && strncmp(name, "dead", 4) == 0;
	int r;

	if (dead && (hints->ai_flags & AI_NUMERICHOST) != 0)
		return EAI_NONAME;
	if (dead)
		sem_wait(&let_go);
	r = __real_getaddrinfo(dead ? "192.0.2.7" : name, service, hints, ret_list);
	if (dead)
		sem_post(&gone);
	return r;
}

static void test_within(void **state)
{
	struct addrinfo *list;

	assert_int_equal(resolve_host_within("192.0.2.7", 1, &list), 0);
	freeaddrinfo(list);
	assert_int_equal(resolve_host_within("localhost", 10000, &list), 0);
	freeaddrinfo(list);
	sem_post(&let_go);
	assert_int_equal(resolve_host_within("dead.but.in.time", 10000, &list), 0);
	freeaddrinfo(list);
	sem_wait(&gone);
	assert_int_not_equal(resolve_host_within("not a name", 10000, &list), 0);
}

/* Late answers are let go; when too many are out, nothing more is asked. */
static void test_dead_server(void **state)
{
	struct addrinfo *list;

	for (int i = 0; i < RESOLVE_LATE_MAX + 3; i++) {
		errno = 0;
		assert_int_equal(resolve_host_within("dead", 5, &list), EAI_SYSTEM);
		assert_int_equal(errno, ETIMEDOUT);
	}
	for (int i = 0; i < RESOLVE_LATE_MAX; i++)
		sem_post(&let_go);
	for (int i = 0; i < RESOLVE_LATE_MAX; i++)
		sem_wait(&gone);
	assert_int_equal(sem_trywait(&gone), -1);
	/* The memory of ended threads is freed shortly after. */
	sem_post(&let_go);
	while (resolve_host_within("dead", 1000, &list) != 0)
		;
	freeaddrinfo(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_localhost_is_loopback),
	    cmocka_unit_test(test_addresses_are_names_too),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_within),
	    cmocka_unit_test(test_dead_server),
	};

	sem_init(&let_go, 0, 0);
	sem_init(&gone, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_access_hosts - the list of hosts as a daemon uses it: rules that merge, statements of every
 * form, decisions from the least to the most specific entry, and counts. How pmcd reads statements
 * is tests/daemons/pmcd/test_access.c.
 */
#include "libaccess/access_hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

enum { F = 1u << 0, S = 1u << 1, ALL = F | S, NO = PM_ERR_PERMISSION, FULL = PM_ERR_CONNLIMIT };

/*
 * The names of the tests: this host is "me" (10.0.0.5 and fd00::5), "two" has two addresses,
 * "slow" is still being looked up, and numbers are themselves.
 */
static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage addr = {.ss_family = AF_UNIX};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;

	if (inet_pton(AF_INET, text, &in->sin_addr) == 1)
		in->sin_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1)
		in6->sin6_family = AF_INET6;
	return addr;
}

static int find_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	bool me = strcmp(name, "me") == 0;

	if (strcmp(name, "slow") == 0)
		return ACCESS_HOST_LATER;
	if (me || strcmp(name, "two") == 0) {
		assert_true(max >= 2);
		ret_addrs[0] = address(me ? "10.0.0.5" : "192.168.1.1");
		ret_addrs[1] = address(me ? "fd00::5" : "192.168.2.1");
		return 2;
	}
	ret_addrs[0] = address(name);
	return ret_addrs[0].ss_family == AF_UNIX ? 0 : 1;
}

static int find_self(void *arg, char *buf, size_t size)
{
	snprintf(buf, size, "me");
	return 0;
}

static const struct access_names world = {.host = find_host, .self = find_self, .ipv6 = true};

struct statement {
	const char *name;
	struct access_rule rule;
};

static struct access_rule deny(unsigned int ops)
{
	return (struct access_rule){.specified = ops, .denied = ops};
}

static struct access_rule allow(unsigned int ops)
{
	return (struct access_rule){.specified = ops};
}

static struct access_rule at_most(unsigned int n)
{
	return (struct access_rule){.specified = ALL, .max_connections = n};
}

/* Adds a statement; what access_hosts_add returns, after a look at its sentence. */
static int add(struct access_hosts *h, const char *name, struct access_rule rule, const char *why)
{
	struct buffer said = BUFFER_INIT;
	int r = access_hosts_add(h, &world, name, &rule, &said);

	if (r == 0 || r == -EINVAL)
		assert_string_equal(buffer_str(&said), why);
	buffer_done(&said);
	return r;
}

/* The denied operations of a client, or the error that refuses it. */
static int enter(struct access_hosts *h, const char *from)
{
	struct sockaddr_storage peer = address(from);
	unsigned int denied = 77;
	int r = access_hosts_enter(h, (struct sockaddr *)&peer, &denied);

	assert_int_equal(denied == 77, r < 0);
	return r < 0 ? r : (int)denied;
}

static void leave(struct access_hosts *h, const char *from)
{
	struct sockaddr_storage peer = address(from);

	access_hosts_leave(h, (struct sockaddr *)&peer);
}

static int setup(void **state)
{
	static struct access_hosts h;

	access_hosts_init(&h, &world, ALL);
	*state = &h;
	return 0;
}

static int teardown(void **state)
{
	access_hosts_done(*state);
	return 0;
}

/*
 * Rules
 */

static void rules_merge_unless_they_contradict(void **state)
{
	static const struct {
		struct access_rule a, b, sum;
		bool merged;
	} rows[] = {
	    {{F, F, 0, 0}, {S, 0, 0, 0}, {ALL, F, 0, 0}, true},
	    {{F, F, 0, 0}, {F, F, 0, 0}, {F, F, 0, 0}, true},
	    {{F, F, 0, 0}, {ALL, S, 0, 0}, {F, F, 0, 0}, false},
	    {{0, 0, 5, 0}, {0, 0, 0, 0}, {0, 0, 5, 0}, true},
	    {{0, 0, 0, 0}, {S, S, 6, 0}, {S, S, 6, 0}, true},
	    {{0, 0, 5, 0}, {0, 0, 5, 0}, {0, 0, 5, 0}, true},
	    {{0, 0, 5, 0}, {S, S, 6, 0}, {0, 0, 5, 0}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct access_rule r = rows[i].a;

		assert_int_equal(access_rule_merge(&r, &rows[i].b), rows[i].merged);
		assert_memory_equal(&r, &rows[i].sum, sizeof(r));
	}
}

static void a_rule_counts_while_it_has_a_limit(void **state)
{
	struct access_rule limited = at_most(1), free_rule = allow(ALL);

	assert_false(access_rule_full(&limited));
	access_rule_count(&limited);
	assert_true(access_rule_full(&limited));
	access_rule_uncount(&limited);
	access_rule_uncount(&limited);
	assert_int_equal(limited.connections, 0);
	access_rule_count(&free_rule);
	assert_int_equal(free_rule.connections, 0);
	assert_false(access_rule_full(&free_rule));
}

/*
 * The list
 */

static void statements_make_entries(void **state)
{
	static const struct {
		const char *name, *why;
		int result;
		size_t entries;
	} rows[] = {
	    {"*", "", 1, 3},
	    {"10.*", "", 1, 4},
	    {"two", "", 2, 6},
	    {"me", "", 2, 8},
	    {"localhost", "", 2, 8}, /* the addresses of "me" */
	    {"LocalHost", "", 2, 8},
	    {"local:", "", 1, 8},
	    {"unix:/run/socket", "", 1, 8},
	    {"1.2.3.4", "", 1, 9},
	    {"nosuch", "Unknown host", 0, 9},
	    {"1.*.4", "Wildcard in host pattern \"1.*.4\" is not at the end", -EINVAL, 9},
	};
	struct access_hosts *h = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(add(h, rows[i].name, deny(S), rows[i].why), rows[i].result);
		assert_int_equal(h->count, rows[i].entries);
	}
}

static void contradictions_name_the_earlier_statement(void **state)
{
	struct access_hosts *h = *state;

	add(h, "localhost", deny(S), "");
	assert_int_equal(add(h, "10.0.0.5", allow(S),
			     "Permission clash for 10.0.0.5 with earlier statement for localhost"),
			 -EINVAL);
	assert_int_equal(add(h, "10.0.0.5", deny(F), ""), 1);
	assert_int_equal(h->count, 2);
}

static void the_more_specific_entry_wins(void **state)
{
	static const struct {
		struct statement statements[3];
		const char *from;
		int result;
	} rows[] = {
	    {{{"*", {S, S, 0, 0}}}, "1.1.1.1", S},
	    {{{"*", {S, S, 0, 0}}}, "fe80::1", S},
	    {{{"*", {S, S, 0, 0}}}, "unix", S},
	    {{{".*", {S, S, 0, 0}}}, "fe80::1", 0},
	    {{{"*", {ALL, ALL, 0, 0}}}, "1.1.1.1", NO},
	    {{{"10.1.*", {S, 0, 0, 0}}, {"10.*", {S, S, 0, 0}}}, "10.1.0.1", 0},
	    {{{"10.1.*", {S, 0, 0, 0}}, {"10.*", {S, S, 0, 0}}}, "10.2.0.1", S},
	    {{{".*", {F, F, 0, 0}}, {"10.*", {S, S, 0, 0}}}, "10.2.0.1", NO},
	    {{{".*", {ALL, ALL, 0, 0}}, {"two", {F, 0, 0, 0}}}, "192.168.2.1", S},
	    {{{"localhost", {S, S, 0, 0}}}, "127.0.0.1", S},
	    {{{"localhost", {S, S, 0, 0}}}, "::1", S},
	    {{{"fd00:*", {S, S, 0, 0}}}, "127.0.0.1", S}, /* another address of ours */
	    {{{"local:", {S, S, 0, 0}}}, "unix", S},
	    {{{"local:", {S, S, 0, 0}}}, "1.1.1.1", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct access_hosts h = {0};

		access_hosts_init(&h, &world, ALL);
		for (size_t j = 0; j < 3 && rows[i].statements[j].name != NULL; j++)
			assert_true(add(&h, rows[i].statements[j].name, rows[i].statements[j].rule,
					"") > 0);
		assert_int_equal(enter(&h, rows[i].from), rows[i].result);
		access_hosts_done(&h);
	}
}

static void an_empty_list_admits_everyone(void **state)
{
	struct access_hosts *h = *state;

	assert_int_equal(enter(h, "1.1.1.1"), 0);
	assert_int_equal(enter(h, "unix"), 0);
	leave(h, "1.1.1.1");
}

/* The limit of the most specific entry decides; each matching entry counts. */
static void clients_are_counted_in_and_out(void **state)
{
	struct access_hosts *h = *state;

	add(h, "10.*", at_most(3), "");
	add(h, "10.1.*", at_most(2), "");
	assert_int_equal(enter(h, "10.1.0.1"), 0);
	assert_int_equal(enter(h, "10.1.0.2"), 0);
	assert_int_equal(enter(h, "10.1.0.3"), FULL);
	assert_int_equal(enter(h, "10.2.0.1"), 0);
	assert_int_equal(enter(h, "10.2.0.2"), FULL);
	assert_int_equal(enter(h, "11.0.0.1"), 0);
	leave(h, "10.1.0.2");
	assert_int_equal(enter(h, "10.2.0.2"), 0);
	assert_int_equal(enter(h, "10.1.0.3"), 0);
	leave(h, "10.1.0.1");
	leave(h, "10.1.0.3");
	leave(h, "10.2.0.1");
	leave(h, "10.2.0.2");
	for (size_t i = 0; i < h->count; i++)
		assert_int_equal(h->list[i]->rule.connections, 0);
}

/* A refused client is not counted anywhere. */
static void a_refused_client_leaves_no_count(void **state)
{
	struct access_hosts *h = *state;

	add(h, "10.*", at_most(5), "");
	add(h, "10.1.1.1", deny(ALL), "");
	assert_int_equal(enter(h, "10.1.1.1"), NO);
	for (size_t i = 0; i < h->count; i++)
		assert_int_equal(h->list[i]->rule.connections, 0);
}

/* Until each name has been looked up the network waits; the Unix socket does not. */
static void names_that_come_later_keep_the_network_out(void **state)
{
	struct access_hosts *h = *state;

	assert_int_equal(add(h, "slow", deny(ALL), "Unknown host"), 0);
	assert_int_equal(h->later, 1);
	assert_int_equal(enter(h, "1.1.1.1"), NO);
	assert_int_equal(enter(h, "unix"), 0);
	h->later = 0;
	assert_int_equal(enter(h, "1.1.1.1"), 0);
}

static void the_dump_is_sorted_by_level(void **state)
{
	struct access_hosts *h = *state;
	struct buffer out = BUFFER_INIT;

	access_hosts_dump(h, &out);
	assert_string_equal(buffer_str(&out),
			    "Host access list empty: host-based access control turned off\n");
	buffer_reset(&out);
	add(h, ".*", deny(S), "");
	add(h, "1.2.3.4", at_most(7), "");
	assert_int_equal(enter(h, "1.2.3.4"), 0);
	access_hosts_dump(h, &out);
	assert_string_equal(
	    buffer_str(&out),
	    "Host access list:\n"
	    "00 01 Cur/MaxCons host-spec                               host-mask                  "
	    "             lvl host-name\n"
	    "== == =========== ======================================= ==========================="
	    "============ === ==============\n"
	    " y  y     1     7 1.2.3.4                                 255.255.255.255            "
	    "               0 1.2.3.4\n"
	    "    n     0     0 0.0.0.0                                 0.0.0.0                    "
	    "               4 .*\n");
	buffer_done(&out);
}

/* Thousands of statements: each is found again, and merges with its double. */
static void a_long_list_finds_its_doubles(void **state)
{
	struct access_hosts *h = *state;
	enum { N = 5000 };

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++) {
			char name[32];

			snprintf(name, sizeof(name), "10.%d.%d.7", i / 250, i % 250);
			assert_int_equal(add(h, name, deny(round == 0 ? F : S), ""), 1);
		}
		assert_int_equal(h->count, N);
	}
	assert_int_equal(enter(h, "10.19.249.7"), NO);
	assert_int_equal(enter(h, "10.20.0.7"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rules_merge_unless_they_contradict),
	    cmocka_unit_test(a_rule_counts_while_it_has_a_limit),
	    cmocka_unit_test_setup_teardown(statements_make_entries, setup, teardown),
	    cmocka_unit_test_setup_teardown(contradictions_name_the_earlier_statement, setup,
					    teardown),
	    cmocka_unit_test(the_more_specific_entry_wins),
	    cmocka_unit_test_setup_teardown(an_empty_list_admits_everyone, setup, teardown),
	    cmocka_unit_test_setup_teardown(clients_are_counted_in_and_out, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_refused_client_leaves_no_count, setup, teardown),
	    cmocka_unit_test_setup_teardown(names_that_come_later_keep_the_network_out, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(the_dump_is_sorted_by_level, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_long_list_finds_its_doubles, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_access_pattern - wildcards and addresses as patterns, which of them match, and their text.
 */
#include "libaccess/access_pattern.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/cleanup.h"

enum { V4 = AF_INET, V6 = AF_INET6 };

/* A socket address; "unix" is the Unix socket. */
static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage addr = {.ss_family = AF_UNIX};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;

	if (strcmp(text, "unix") == 0)
		return addr;
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
		in6->sin6_family = AF_INET6;
	}
	return addr;
}

static struct access_pattern pattern_of(const char *text)
{
	struct sockaddr_storage addr = address(text);
	struct access_pattern p;

	assert_true(access_pattern_address((struct sockaddr *)&addr, &p));
	return p;
}

static struct access_pattern wildcard(const char *name)
{
	const char *error = NULL;
	struct access_pattern p;

	assert_int_equal(access_pattern_wildcard(name, &p, &error), 1);
	assert_null(error);
	return p;
}

// clang-format off
static const struct {
	const char *name;
	int family;
	unsigned int bits, level;
	const char *text, *mask;
} wildcards[] = {
	{ ".*",               V4, 0,   4, "0.0.0.0",       "0.0.0.0" },
	{ "*",                V4, 0,   4, "0.0.0.0",       "0.0.0.0" },
	{ "10.*",             V4, 8,   3, "10.0.0.0",      "255.0.0.0" },
	{ "10.255.*",         V4, 16,  2, "10.255.0.0",    "255.255.0.0" },
	{ "010.1.2.*",        V4, 24,  1, "10.1.2.0",      "255.255.255.0" },
	{ ":*",               V6, 0,   8, "::",            "::" },
	{ "::*",              V6, 0,   8, "::",            "::" },
	{ "fe80:*",           V6, 16,  7, "fe80::",        "ffff::" },
	{ "FE80:1:*",         V6, 32,  6, "fe80:1::",      "ffff:ffff::" },
	{ "1:2:3:4:5:6:7:*",  V6, 112, 1, "1:2:3:4:5:6:7:0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:0" },
	{ "fe80::12:*",       V6, 112, 1, "fe80::12:0",    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:0" },
	{ "2::1:*",          V6, 112, 1, "2::1:0",                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:0" },
};

static const struct {
	const char *name, *error;
} refused[] = {
	{ "1.*.4",               "Wildcard in host pattern \"%s\" is not at the end" },
	{ "**",                  "Wildcard in host pattern \"%s\" is not at the end" },
	{ "1.2.3.4.*",           "Too many dots in host pattern \"%s\"" },
	{ "1.256.*",             "Bad IP address wildcard, %s" },
	{ "99999999999.*",       "Bad IP address wildcard, %s" },
	{ "1..*",                "Bad IP address wildcard, %s" },
	{ ".1.*",                "Bad IP address wildcard, %s" },
	{ "1.2*",                "Bad IP address wildcard, %s" },
	{ "a.*",                 "Bad IP address wildcard, %s" },
	{ "a::b::*",             "Too many empty regions in host pattern \"%s\"" },
	{ "1:2:3:4:5:6:7:8:*",   "Too many colons in host pattern \"%s\"" },
	{ "xyz:*",               "Bad IPv6 address wildcard, %s" },
	{ "12345:*",             "Bad IPv6 address wildcard, %s" },
	{ "1:2*",                "Bad IPv6 address wildcard, %s" },
	{ "1::x:*",              "Bad IPv6 address wildcard, %s" },
};

static const struct {
	const char *name, *address;
	bool matches;
} matches[] = {
	{ ".*",         "1.2.3.4",        true },
	{ ".*",         "::1",            false },
	{ ".*",         "unix",           false },
	{ ":*",         "fe80::1",        true },
	{ ":*",         "1.2.3.4",        false },
	{ "10.*",       "10.255.255.255", true },
	{ "10.*",       "11.0.0.0",       false },
	{ "10.1.2.*",   "10.1.2.255",     true },
	{ "10.1.2.*",   "10.1.3.0",       false },
	{ "fe80:*",     "fe80:ffff::1",   true },
	{ "fe80:*",     "fe81::1",        false },
	{ "fe80::12:*", "fe80::12:99",    true },
	{ "fe80::12:*", "fe80::1:12:99",  false },
	{ ".*",         "::ffff:1.2.3.4", true },
	{ "1.2.*",      "::ffff:1.2.3.4", true },
	{ "::*",        "::ffff:1.2.3.4", false },
};
// clang-format on

static void wildcards_are_prefixes(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wildcards); i++) {
		struct access_pattern p = wildcard(wildcards[i].name);
		char buf[INET6_ADDRSTRLEN];

		assert_int_equal(p.family, wildcards[i].family);
		assert_int_equal(p.bits, wildcards[i].bits);
		assert_int_equal(p.level, wildcards[i].level);
		assert_string_equal(access_pattern_text(&p, buf, sizeof(buf)), wildcards[i].text);
		assert_string_equal(access_pattern_mask(&p, buf, sizeof(buf)), wildcards[i].mask);
	}
}

static void bad_wildcards_are_named(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct access_pattern p = {.family = -1};
		const char *error = NULL;

		assert_int_equal(access_pattern_wildcard(refused[i].name, &p, &error), -1);
		assert_string_equal(error, refused[i].error);
		assert_int_equal(p.family, -1);
	}
}

static void a_name_without_a_star_is_no_wildcard(void **state)
{
	struct access_pattern p = {.family = -1};
	const char *error = NULL;

	assert_int_equal(access_pattern_wildcard("10.1.2.3", &p, &error), 0);
	assert_int_equal(access_pattern_wildcard("", &p, &error), 0);
	assert_int_equal(p.family, -1);
	assert_null(error);
}

static void addresses_match_their_prefix(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		struct access_pattern p = wildcard(matches[i].name);
		struct access_pattern addr = pattern_of(matches[i].address);

		assert_int_equal(access_pattern_match(&p, &addr), matches[i].matches);
	}
}

static void an_address_matches_itself_alone(void **state)
{
	static const char *const all[] = {"1.2.3.4", "1.2.3.5", "::1", "::2", "unix"};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(all); j++) {
			struct access_pattern a = pattern_of(all[i]), b = pattern_of(all[j]);

			assert_int_equal(access_pattern_match(&a, &b), i == j);
			assert_int_equal(access_pattern_equal(&a, &b), i == j);
		}
	}
}

static void levels_and_lengths_make_patterns_differ(void **state)
{
	struct access_pattern all = wildcard(".*"), zero = pattern_of("0.0.0.0");
	struct access_pattern a = wildcard("10.*"), b = wildcard("10.0.*"), c = wildcard("010.*");

	assert_false(access_pattern_equal(&all, &zero));
	assert_false(access_pattern_equal(&a, &b));
	assert_true(access_pattern_equal(&a, &c));
}

static void unknown_families_have_no_pattern(void **state)
{
	struct sockaddr addr = {.sa_family = AF_PACKET};
	struct access_pattern p = {.family = -1};

	assert_false(access_pattern_address(&addr, &p));
	assert_int_equal(p.family, -1);
}

static void loopback_addresses(void **state)
{
	static const struct {
		const char *address;
		bool loopback;
	} rows[] = {{"127.0.0.1", true},  {"127.255.1.2", true},
		    {"126.0.0.1", false}, {"::1", true},
		    {"::2", false},       {"1::1", false},
		    {"unix", false},      {"::ffff:127.0.0.1", true}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct access_pattern p = pattern_of(rows[i].address);

		assert_int_equal(access_pattern_loopback(&p), rows[i].loopback);
	}
}

static void the_unix_socket_is_a_slash(void **state)
{
	struct access_pattern p = access_pattern_unix();
	char buf[INET6_ADDRSTRLEN];

	assert_string_equal(access_pattern_text(&p, buf, sizeof(buf)), "/");
	assert_string_equal(access_pattern_mask(&p, buf, sizeof(buf)), "/");
	assert_int_equal(p.level, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wildcards_are_prefixes),
	    cmocka_unit_test(bad_wildcards_are_named),
	    cmocka_unit_test(a_name_without_a_star_is_no_wildcard),
	    cmocka_unit_test(addresses_match_their_prefix),
	    cmocka_unit_test(an_address_matches_itself_alone),
	    cmocka_unit_test(levels_and_lengths_make_patterns_differ),
	    cmocka_unit_test(unknown_families_have_no_pattern),
	    cmocka_unit_test(loopback_addresses),
	    cmocka_unit_test(the_unix_socket_is_a_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

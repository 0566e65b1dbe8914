/* test_access - the lists: building them, deciding, counting, and how the log shows them. */
#include "daemons/pmcd/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>

#include <cmocka.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

#define WARN(line, text) "pmcd config[line " #line "]: Warning: access control error for " text "\n"

enum { F = CONFIG_OP_FETCH, S = CONFIG_OP_STORE, NO = PM_ERR_PERMISSION, FULL = PM_ERR_CONNLIMIT };

/*
 * A world of names: this host is "me" at 10.0.0.5 and fd00::5, "two" has two addresses; users alice
 * (1000, groups 1000 and 50) and bob (1001, group 1001); groups staff (50: alice), lab (60: bob).
 */
static const struct {
	const char *name;
	const char *addrs[2];
} hosts[] = {
    {"me", {"10.0.0.5", "fd00::5"}},  {"two", {"192.168.1.1", "192.168.2.1"}},
    {"1.2.3.4", {"1.2.3.4", NULL}},   {"127.0.0.1", {"127.0.0.1", NULL}},
    {"10.0.0.5", {"10.0.0.5", NULL}},
};

static void address(const char *text, struct sockaddr_storage *ret_addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_addr;

	memset(ret_addr, 0, sizeof(*ret_addr));
	if (strcmp(text, "unix") == 0) {
		ret_addr->ss_family = AF_UNIX;
	} else if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		ret_addr->ss_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
		ret_addr->ss_family = AF_INET6;
	}
}

static int find_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		int n = 0;

		if (strcmp(hosts[i].name, name) != 0)
			continue;
		for (; n < 2 && n < max && hosts[i].addrs[n] != NULL; n++)
			address(hosts[i].addrs[n], &ret_addrs[n]);
		return n;
	}
	return 0;
}

static int self(void *arg, char *buf, size_t size)
{
	snprintf(buf, size, "me");
	return 0;
}

static int find_user(void *arg, const char *name, uid_t *ret_uid, gid_t *ret_gids, int max)
{
	if (strcmp(name, "alice") == 0) {
		*ret_uid = 1000;
		ret_gids[0] = 1000;
		ret_gids[1] = 50;
		return 2;
	}
	if (strcmp(name, "bob") == 0) {
		*ret_uid = ret_gids[0] = 1001;
		return 1;
	}
	return 0;
}

static int find_group(void *arg, const char *name, gid_t *ret_gid, uid_t *ret_uids, int max)
{
	bool staff = strcmp(name, "staff") == 0;

	if (!staff && strcmp(name, "lab") != 0)
		return -1;
	*ret_gid = staff ? 50 : 60;
	ret_uids[0] = staff ? 1000 : 1001;
	return 1;
}

static const struct access_names world = {
    .host = find_host, .self = self, .user = find_user, .group = find_group, .ipv6 = true};

static void said(void *arg, const char *file, unsigned int line, const char *text)
{
	buffer_printf(arg, "%s\n", text);
}

static int build(const char *statements, struct buffer *out, struct access **ret_access)
{
	struct config c;
	char text[1024];
	int r;

	snprintf(text, sizeof(text), "[access]\n%s\n", statements);
	config_init(&c);
	assert_int_equal(config_parse(&c, text, strlen(text), "f", NULL, NULL), 0);
	r = access_new(&c, "f", &world, said, out, ret_access);
	config_done(&c);
	return r;
}

static struct access *build_good(const char *statements)
{
	struct buffer out = BUFFER_INIT;
	struct access *a = NULL;

	assert_int_equal(build(statements, &out, &a), 0);
	assert_string_equal(buffer_str(&out), "");
	buffer_done(&out);
	return a;
}

/* The rights of an address: the denied operations, or the error. */
static int enter(struct access *a, const char *from)
{
	struct sockaddr_storage peer;
	unsigned int denied = 77;
	int r;

	address(from, &peer);
	r = access_host_enter(a, (struct sockaddr *)&peer, &denied);
	assert_int_equal(denied == 77, r < 0);
	return r < 0 ? r : (int)denied;
}

static void leave(struct access *a, const char *from)
{
	struct sockaddr_storage peer;

	address(from, &peer);
	access_host_leave(a, (struct sockaddr *)&peer);
}

// clang-format off
static const struct {
	const char *statements;
	const char *from;
	int result;
} decisions[] = {
	{ "disallow * : store;", "1.1.1.1", S },
	{ "disallow * : store;", "fe80::1", S },
	{ "disallow * : store;", "unix", S },
	{ "disallow * : all;", "1.1.1.1", NO },
	{ "disallow .* : store;", "1.1.1.1", S },
	{ "disallow .* : store;", "fe80::1", 0 },
	{ "disallow .* : store;", "unix", 0 },
	{ "disallow \":*\" : store;", "fe80::1", S },
	{ "disallow \"::*\" : store;", "fe80::1", S },
	{ "disallow \":*\" : store;", "1.1.1.1", 0 },
	{ "disallow \"unix:\" : store;", "unix", S },
	{ "disallow \"unix:*\" : store;", "unix", S },
	{ "disallow \"unix:///run/x\" : store;", "unix", S },
	{ "disallow \"unix:\" : store;", "127.0.0.1", 0 },
	/* prefixes, and the more specific one wins */
	{ "disallow 10.* : store; allow 10.1.* : store;", "10.2.0.1", S },
	{ "disallow 10.* : store; allow 10.1.* : store;", "10.1.0.1", 0 },
	{ "allow 10.1.* : store; disallow 10.* : store;", "10.1.0.1", 0 },
	{ "disallow 10.* : store; allow 10.1.* : store;", "11.1.0.1", 0 },
	{ "disallow 10.1.2.* : fetch;", "10.1.2.255", F },
	{ "disallow 10.1.2.* : fetch;", "10.1.3.1", 0 },
	{ "disallow 1.2.3.4 : fetch; allow .* : all;", "1.2.3.4", F },
	{ "disallow 1.2.3.4 : fetch; allow .* : all;", "1.2.3.5", 0 },
	{ "disallow .* : fetch; disallow 10.* : store;", "10.1.1.1", NO },
	{ "disallow two : store;", "192.168.2.1", S },
	{ "disallow two : store;", "192.168.1.1", S },
	{ "disallow two, 1.2.3.4 : store;", "1.2.3.4", S },
	{ "disallow \"fe80:*\" : store;", "fe80::1", S },
	{ "disallow \"fe80:*\" : store;", "fe81::1", 0 },
	{ "disallow \"fe80:*\" : store; allow \"fe80:0:*\" : store;", "fe80::1", 0 },
	{ "disallow \"FE80::12:*\" : store;", "fe80::12:99", S },
	{ "disallow \"fe80::12:*\" : store;", "fe80::1:12:99", 0 },
	{ "disallow \"1:2:3:4:5:6:7:*\" : store;", "1:2:3:4:5:6:7:8", S },
	{ "disallow \"::1:*\" : store;", "::1:5", S },
	{ "disallow .* : store;", "::ffff:1.1.1.1", S }, /* an IPv4 address in the other's clothes */
	/* loopback: as from every address of this host */
	{ "disallow localhost : store;", "127.0.0.1", S },
	{ "disallow localhost : store;", "::1", S },
	{ "disallow localhost : store;", "10.0.0.5", S },
	{ "disallow localhost : store;", "10.0.0.6", 0 },
	{ "disallow me : store;", "127.9.9.9", S },
	{ "disallow 10.* : store;", "::1", S },
	{ "disallow 127.0.0.1 : store;", "127.0.0.1", S },
	{ "disallow 127.0.0.1 : store;", "10.0.0.5", 0 },
	{ "disallow \"local:\" : store;", "unix", S },
	{ "disallow \"local:*\" : store;", "::1", S },
	{ "disallow \"local:/x\" : store;", "1.1.1.1", 0 },
	/* as Debian installs it */
	{ "disallow \".*\":store; disallow \":*\":store; allow \"local:*\":all;", "1.1.1.1", S },
	{ "disallow \".*\":store; disallow \":*\":store; allow \"local:*\":all;", "unix", 0 },
	{ "disallow \".*\":store; disallow \":*\":store; allow \"local:*\":all;", "127.0.0.1", 0 },
	/* two statements for the same are one */
	{ "disallow .* : store; disallow .* : fetch;", "1.1.1.1", NO },
	{ "disallow .* : store; disallow .* : store;", "1.1.1.1", S },
};

static const struct {
	const char *statements;
	int errors; /* 0: a warning alone */
	const char *said;
} bad[] = {
	{ "allow nosuch, .* : all;", 0, WARN(2, "host 'nosuch': Unknown host") },
	{ "allow nosuch : all;", 1, WARN(2, "host 'nosuch': Unknown host")
	  "pmcd config[line 2]: Error: no valid statements in [access] section\n" },
	{ "allow 1.*.4 : all;", 1, WARN(2, "host '1.*.4': Wildcard in host pattern \"1.*.4\" is not at the end") },
	{ "allow *.4 : all;", 1, WARN(2, "host '*.4': Wildcard in host pattern \"*.4\" is not at the end") },
	{ "allow 1.2.3.4.* : all;", 1, WARN(2, "host '1.2.3.4.*': Too many dots in host pattern \"1.2.3.4.*\"") },
	{ "allow 1.256.* : all;", 1, WARN(2, "host '1.256.*': Bad IP address wildcard, 1.256.*") },
	{ "allow 1..* : all;", 1, WARN(2, "host '1..*': Bad IP address wildcard, 1..*") },
	{ "allow .1.* : all;", 1, WARN(2, "host '.1.*': Bad IP address wildcard, .1.*") },
	{ "allow 1.2* : all;", 1, WARN(2, "host '1.2*': Bad IP address wildcard, 1.2*") },
	{ "allow a.* : all;", 1, WARN(2, "host 'a.*': Bad IP address wildcard, a.*") },
	{ "allow \"a::b::*\" : all;", 1, WARN(2, "host 'a::b::*': Too many empty regions in host pattern \"a::b::*\"") },
	{ "allow \"1:2:3:4:5:6:7:8:*\" : all;", 1,
	  WARN(2, "host '1:2:3:4:5:6:7:8:*': Too many colons in host pattern \"1:2:3:4:5:6:7:8:*\"") },
	{ "allow \"xyz:*\" : all;", 1, WARN(2, "host 'xyz:*': Bad IPv6 address wildcard, xyz:*") },
	{ "allow \"12345:*\" : all;", 1, WARN(2, "host '12345:*': Bad IPv6 address wildcard, 12345:*") },
	{ "allow \"1:2*\" : all;", 1, WARN(2, "host '1:2*': Bad IPv6 address wildcard, 1:2*") },
	{ "allow * : all;\ndisallow .* : store;", 1,
	  WARN(3, "host '.*': Permission clash for .* with earlier statement for .*") },
	{ "allow * : maximum 5 connections;\nallow \":*\" : maximum 6 connections;", 1,
	  WARN(3, "host ':*': Permission clash for :* with earlier statement for :*") },
	{ "allow localhost : all; disallow 10.0.0.5 : store;", 1,
	  WARN(2, "host '10.0.0.5': Permission clash for 10.0.0.5 with earlier statement for localhost") },
	{ "allow \"local:\" : all; disallow \"unix:/x\" : store;", 1,
	  WARN(2, "host 'unix:/x': Permission clash for unix: with earlier statement for unix:") },
	{ "allow user nosuch : all;", 1, WARN(2, "user 'nosuch': Failed to lookup user \"nosuch\"") },
	{ "allow user alice, nosuch : all;", 1, WARN(2, "user 'nosuch': Failed to lookup user \"nosuch\"") },
	{ "allow group nosuch : all;", 1, WARN(2, "group 'nosuch': Failed to lookup group \"nosuch\"") },
	{ "allow user alice : all; disallow user alice : fetch;", 1,
	  WARN(2, "user 'alice': Permission clash for alice with earlier statement for alice") },
	{ "allow group * : all; disallow group * : fetch;", 1,
	  WARN(2, "group '*': Permission clash for * with earlier statement for *") },
};

static const struct {
	const char *statements;
	uid_t uid;
	gid_t gid;
	unsigned int before;
	int result;
} accounts[] = {
	{ "allow * : all;", 7, 7, S, S }, /* no list: nothing is looked at */
	{ "allow user alice : all;", 1000, 7, 0, 0 },
	{ "allow user alice : all;", 1000, 7, S, S },
	{ "allow user alice : fetch;", 1000, 7, 0, 0 },
	{ "disallow user alice : store;", 1000, 7, 0, S },
	{ "disallow user alice : store;", 1000, 7, F, NO },
	{ "allow user alice : all;", 1001, 7, 0, NO },       /* the others are denied everything */
	{ "allow user alice : all;", 1001, 50, 0, 0 },       /* one of her groups */
	{ "allow user alice : all; disallow user * : store;", 1001, 7, 0, S },
	{ "allow user alice : all; disallow user * : store;", 1000, 7, 0, 0 },
	{ "disallow user alice : store; disallow user bob : fetch;", 1000, 1001, 0, NO },
	{ "allow group staff : all;", 7, 50, 0, 0 },
	{ "allow group staff : all;", 1000, 7, 0, 0 },       /* a member */
	{ "allow group staff : all;", 1001, 7, 0, NO },
	{ "disallow group staff : store;", 7, 50, 0, S },
	/* each list has its say */
	{ "allow user alice : all; allow group lab : all;", 1000, 7, 0, NO },
	{ "allow user alice : all; allow group lab : all;", 1000, 60, 0, 0 },
	{ "allow user alice : all except store; allow group lab, staff : all;", 1000, 7, 0, S },
};
// clang-format on

static void host_decisions(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(decisions); i++) {
		struct access *a = build_good(decisions[i].statements);

		assert_int_equal(enter(a, decisions[i].from), decisions[i].result);
		assert_false(access_wants_account(a));
		access_free(a);
	}
}

static void bad_statements(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct buffer out = BUFFER_INIT;
		struct access *a = NULL;

		assert_int_equal(build(bad[i].statements, &out, &a), bad[i].errors);
		assert_string_equal(buffer_str(&out), bad[i].said);
		assert_int_equal(a == NULL, bad[i].errors > 0);
		access_free(a);
		buffer_done(&out);
	}
}

static void account_decisions(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(accounts); i++) {
		struct access *a = build_good(accounts[i].statements);
		struct access_account who = {
		    .known = true, .uid = accounts[i].uid, .gid = accounts[i].gid};
		unsigned int denied = accounts[i].before;
		int r = access_account_enter(a, &who, &denied);

		assert_int_equal(r < 0 ? r : (int)denied, accounts[i].result);
		access_free(a);
	}
}

static void nobody_knows(void **state)
{
	struct access *a = build_good("allow user alice : all;");
	struct access_account who = {.known = false};
	unsigned int denied = 0;

	assert_true(access_wants_account(a));
	assert_int_equal(access_account_enter(a, &who, &denied), PM_ERR_PERMISSION);
	access_account_leave(a, &who);
	access_free(a);
}

static void no_lists(void **state)
{
	struct config c;
	struct access *a;
	struct access_account who = {.known = false};
	unsigned int denied = S;

	config_init(&c);
	assert_int_equal(access_new(&c, "f", &world, NULL, NULL, &a), 0);
	assert_int_equal(enter(a, "1.1.1.1"), 0);
	assert_false(access_wants_account(a));
	assert_int_equal(access_account_enter(a, &who, &denied), 0);
	assert_int_equal(denied, S);
	access_free(a);
	config_done(&c);
}

/* Every entry with a limit counts, the most specific one refuses. */
static void host_limits(void **state)
{
	struct access *a = build_good("allow .* : maximum 3 connections;\n"
				      "allow 10.* : fetch, maximum 2 connections;");

	assert_int_equal(enter(a, "10.1.1.1"), 0);
	assert_int_equal(enter(a, "10.1.1.2"), 0);
	assert_int_equal(enter(a, "10.1.1.3"), FULL);
	assert_int_equal(enter(a, "11.1.1.1"), 0);
	assert_int_equal(enter(a, "11.1.1.1"), FULL);
	leave(a, "10.1.1.1");
	assert_int_equal(enter(a, "11.1.1.1"), 0);
	/* 10.* has a place, and .* above it is not asked though it is full. */
	assert_int_equal(enter(a, "10.1.1.1"), 0);
	assert_int_equal(enter(a, "fe80::1"), 0);
	leave(a, "11.1.1.1");
	leave(a, "11.1.1.1");
	leave(a, "11.1.1.1");
	leave(a, "11.1.1.1");
	leave(a, "11.1.1.1"); /* once too often does no harm */
	assert_int_equal(enter(a, "11.1.1.1"), 0);
	access_free(a);
}

static void account_limits(void **state)
{
	struct access *a = build_good("allow user alice : all, maximum 1 connections;\n"
				      "allow user * : all, maximum 1 connections;");
	struct access_account alice = {.known = true, .uid = 1000, .gid = 1000};
	struct access_account bob = {.known = true, .uid = 1001, .gid = 1001};
	unsigned int denied = 0;

	assert_int_equal(access_account_enter(a, &alice, &denied), 0);
	assert_int_equal(access_account_enter(a, &alice, &denied), PM_ERR_CONNLIMIT);
	assert_int_equal(access_account_enter(a, &bob, &denied), 0);
	assert_int_equal(access_account_enter(a, &bob, &denied), PM_ERR_CONNLIMIT);
	access_account_leave(a, &alice);
	assert_int_equal(access_account_enter(a, &bob, &denied), PM_ERR_CONNLIMIT);
	assert_int_equal(access_account_enter(a, &alice, &denied), 0);
	access_free(a);
}

static void dump(void **state)
{
	struct access *a = build_good("allow * : all; disallow 1.2.3.* : store;\n"
				      "allow 1.2.3.4: maximum 3 connections;\n"
				      "disallow user bob : store;");
	struct buffer out = BUFFER_INIT;

	assert_int_equal(enter(a, "1.2.3.4"), S);
	access_dump(a, &out);
	assert_non_null(
	    strstr(buffer_str(&out),
		   "Host access list:\n"
		   "00 01 Cur/MaxCons host-spec                               "
		   "host-mask                               lvl host-name\n"
		   "== == =========== ======================================= "
		   "======================================= === ==============\n"
		   "          1     3 1.2.3.4                                 "
		   "255.255.255.255                           0 1.2.3.4\n"
		   " y  y     0     0 /                                       "
		   "/                                         1 unix:\n"
		   "    n     0     0 1.2.3.0                                 "
		   "255.255.255.0                             1 1.2.3.*\n"
		   " y  y     0     0 0.0.0.0                                 "
		   "0.0.0.0                                   4 .*\n"
		   " y  y     0     0 ::                                      "
		   "::                                        8 :*\n"
		   "User access list:\n"
		   "00 01 Cur/MaxCons     uid user-name                       group-list\n"
		   "== == =========== ======= =============================== "
		   "==========================================================\n"
		   "    n     0     0    1001 bob                             1001("));
	assert_non_null(strstr(buffer_str(&out), "\n n  n     0     0       * *          "));
	assert_non_null(strstr(buffer_str(&out), "\nGroup access list empty: group-based access "
						 "control turned off\n"));
	buffer_done(&out);
	access_free(a);
}

/* The system's own data bases know root and localhost. */
static void system_names(void **state)
{
	struct access_names n = access_names_system();
	struct sockaddr_storage addrs[8];
	gid_t gids[64];
	char name[256];
	uid_t uid = 1;
	gid_t gid = 1;

	assert_int_equal(n.self(n.arg, name, sizeof(name)), 0);
	assert_true(n.host(n.arg, "127.0.0.1", addrs, 8) == 1);
	assert_int_equal(addrs[0].ss_family, AF_INET);
	assert_int_equal(n.user(n.arg, "no such user", &uid, gids, 64), 0);
	assert_true(n.user(n.arg, "root", &uid, gids, 64) >= 1);
	assert_int_equal(uid, 0);
	assert_int_equal(gids[0], 0);
	assert_int_equal(n.group(n.arg, "no such group", &gid, gids, 64), -1);
	assert_true(n.group(n.arg, "root", &gid, gids, 64) >= 1);
	assert_int_equal(gid, 0);
}

/*
 * Long lists
 */

/* Account uN has id N. */
static int numbered_user(void *arg, const char *name, uid_t *ret_uid, gid_t *ret_gids, int max)
{
	*ret_uid = (uid_t)strtoul(name + 1, NULL, 10);
	ret_gids[0] = 1;
	return 1;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A statement for each of n hosts of two levels, the less specific ones first, and of n users. */
static void long_text(unsigned int n, struct buffer *text)
{
	buffer_printf(text, "[access]\n");
	for (unsigned int i = 0; i < n; i++) {
		if (i < n / 2)
			buffer_printf(text, "allow 10.%u.%u.* : fetch;\n", i >> 8, i & 255);
		else
			buffer_printf(text, "allow 1.2.%u.%u : fetch;\n", i >> 8 & 255, i & 255);
		buffer_printf(text, "allow user u%u : fetch;\n", i);
	}
}

static int any_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	if (strchr(name, '.') == NULL)
		return 0;
	address(name, ret_addrs);
	return 1;
}

static double seconds_for(unsigned int n)
{
	const struct access_names names = {
	    .host = any_host, .self = self, .user = numbered_user, .group = find_group};
	struct buffer text = BUFFER_INIT;
	struct access *a;
	struct config c;
	double start, best = 1e9;

	long_text(n, &text);
	for (int round = 0; round < 3; round++) {
		start = cpu_seconds();
		config_init(&c);
		assert_int_equal(
		    config_parse(&c, buffer_str(&text), strlen(buffer_str(&text)), "f", NULL, NULL),
		    0);
		assert_int_equal(access_new(&c, "f", &names, NULL, NULL, &a), 0);
		assert_int_equal(enter(a, "10.0.5.1"), 0);
		config_done(&c);
		access_free(a);
		best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
	}
	buffer_done(&text);
	return best;
}

/* Ten times the statements take about ten times the time: were each compared with all before it,
 * it would be a hundred times. */
static void long_lists(void **state)
{
	double few = seconds_for(3000), many = seconds_for(30000);

	if (many > 40 * few)
		fail_msg("3,000 statements of each kind: %.3f s; 30,000: %.3f s", few, many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(host_decisions),    cmocka_unit_test(bad_statements),
	    cmocka_unit_test(account_decisions), cmocka_unit_test(nobody_knows),
	    cmocka_unit_test(no_lists),          cmocka_unit_test(host_limits),
	    cmocka_unit_test(account_limits),    cmocka_unit_test(dump),
	    cmocka_unit_test(system_names),      cmocka_unit_test(long_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

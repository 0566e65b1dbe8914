/*
 * test_access_names - the system's look-ups, compared with the data bases of the machine that runs
 * the test. Only numeric addresses are looked up, so that no name server is asked.
 */
#include "libaccess/access_names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libbase/cleanup.h"

enum { MAX = 64, TEXT = 256 };

static void numeric_addresses_need_no_look_up(void **state)
{
	static const struct {
		const char *text;
		int family;
	} rows[] = {{"192.0.2.7", AF_INET}, {"127.0.0.1", AF_INET}, {"2001:db8::7", AF_INET6}};
	struct access_names names = access_names_quick();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sockaddr_storage addrs[MAX];
		char text[INET6_ADDRSTRLEN];
		const void *bytes = rows[i].family == AF_INET
					? (void *)&((struct sockaddr_in *)addrs)->sin_addr
					: (void *)&((struct sockaddr_in6 *)addrs)->sin6_addr;

		assert_int_equal(names.host(names.arg, rows[i].text, addrs, MAX), 1);
		assert_int_equal(addrs[0].ss_family, rows[i].family);
		assert_non_null(inet_ntop(rows[i].family, bytes, text, sizeof(text)));
		assert_string_equal(text, rows[i].text);
	}
}

static void a_quick_look_up_leaves_names_for_later(void **state)
{
	struct access_names names = access_names_quick();
	struct sockaddr_storage addrs[MAX];

	assert_int_equal(names.host(names.arg, "host.invalid", addrs, MAX), ACCESS_HOST_LATER);
	assert_int_equal(names.host(names.arg, "1.2.3", addrs, MAX), ACCESS_HOST_LATER);
	assert_int_equal(names.host(names.arg, "", addrs, MAX), ACCESS_HOST_LATER);
}

static void no_more_addresses_than_there_is_room_for(void **state)
{
	struct access_names names = access_names_system();
	struct sockaddr_storage addrs[MAX];

	assert_int_equal(names.host(names.arg, "192.0.2.7", addrs, 0), 0);
}

static void the_name_of_this_host(void **state)
{
	struct access_names names = access_names_system();
	char wanted[TEXT], got[TEXT];

	assert_int_equal(gethostname(wanted, sizeof(wanted)), 0);
	assert_int_equal(names.self(names.arg, got, sizeof(got)), 0);
	assert_string_equal(got, wanted);
}

/* The entry of root is on each machine: uid 0, and its primary group. */
static void root_and_its_groups(void **state)
{
	struct access_names names = access_names_system();
	const struct passwd *root = getpwuid(0);
	char name[TEXT], text[TEXT];
	gid_t primary, gids[MAX];
	uid_t uid = 77;

	if (root == NULL)
		skip();
	snprintf(name, sizeof(name), "%s", root->pw_name);
	primary = root->pw_gid;
	assert_true(names.user(names.arg, name, &uid, gids, MAX) >= 1);
	assert_int_equal(uid, 0);
	assert_int_equal(gids[0], primary);
	assert_int_equal(names.user_name(names.arg, 0, text, sizeof(text)), 0);
	assert_string_equal(text, name);
}

static bool has_uid(const uid_t *uids, int n, uid_t uid)
{
	for (int i = 0; i < n; i++) {
		if (uids[i] == uid)
			return true;
	}
	return false;
}

/* A user's entry names its primary group; the group's own entry need not name the user. */
static void a_group_has_the_users_whose_primary_group_it_is(void **state)
{
	struct access_names names = access_names_system();
	const struct passwd *root = getpwuid(0);
	const struct group *group = root != NULL ? getgrgid(root->pw_gid) : NULL;
	char name[TEXT], text[TEXT];
	uid_t uids[MAX];
	gid_t gid = 77;
	int n;

	if (group == NULL)
		skip();
	snprintf(name, sizeof(name), "%s", group->gr_name);
	n = names.group(names.arg, name, &gid, uids, MAX);
	assert_in_range(n, 1, MAX);
	assert_int_equal(gid, group->gr_gid);
	assert_true(has_uid(uids, n, 0));
	assert_int_equal(names.group(names.arg, name, &gid, uids, 0), 0);
	assert_int_equal(names.group_name(names.arg, gid, text, sizeof(text)), 0);
	assert_string_equal(text, name);
}

static void unknown_names_and_numbers(void **state)
{
	struct access_names names = access_names_system();
	gid_t gid = 77, gids[MAX];
	uid_t uid = 77, uids[MAX];
	char text[TEXT] = "same";

	assert_int_equal(names.user(names.arg, "no such user", &uid, gids, MAX), 0);
	assert_int_equal(names.group(names.arg, "no such group", &gid, uids, MAX), -1);
	assert_int_equal(names.user_name(names.arg, 0xfffffff0, text, sizeof(text)), -ENOENT);
	assert_int_equal(names.group_name(names.arg, 0xfffffff0, text, sizeof(text)), -ENOENT);
	assert_int_equal(uid, 77);
	assert_int_equal(gid, 77);
	assert_string_equal(text, "same");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numeric_addresses_need_no_look_up),
	    cmocka_unit_test(a_quick_look_up_leaves_names_for_later),
	    cmocka_unit_test(no_more_addresses_than_there_is_room_for),
	    cmocka_unit_test(the_name_of_this_host),
	    cmocka_unit_test(root_and_its_groups),
	    cmocka_unit_test(a_group_has_the_users_whose_primary_group_it_is),
	    cmocka_unit_test(unknown_names_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

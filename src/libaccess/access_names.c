/* access_names - see access_names.h: the system's data bases. */
#include "libaccess/access_names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/resolve.h"

enum { ENTRY_MAX = 1 << 20 }; /* bytes of a line of the password or group data base */

static int system_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	struct addrinfo *list;
	int n = 0;

	if (resolve_host(name, &list) != 0)
		return 0;
	for (const struct addrinfo *i = list; i != NULL && n < max; i = i->ai_next) {
		if (i->ai_addrlen <= sizeof(ret_addrs[n]))
			memcpy(&ret_addrs[n++], i->ai_addr, i->ai_addrlen);
	}
	freeaddrinfo(list);
	return n;
}

/* Numbers need no name server. */
static int quick_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	unsigned char number[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, name, number) != 1 && inet_pton(AF_INET6, name, number) != 1)
		return ACCESS_HOST_LATER;
	return system_host(arg, name, ret_addrs, max);
}

static int system_self(void *arg, char *buf, size_t size)
{
	if (gethostname(buf, size) < 0)
		return -errno;
	buf[size - 1] = '\0';
	return 0;
}

/* A user's entry; its strings are in *buf. */
static bool find_user(const char *name, struct passwd *ret_user, char **buf)
{
	struct passwd *found = NULL;

	*buf = malloc(ENTRY_MAX);
	return *buf != NULL && getpwnam_r(name, ret_user, *buf, ENTRY_MAX, &found) == 0 &&
	       found != NULL;
}

static int system_user(void *arg, const char *name, uid_t *ret_uid, gid_t *ret_gids, int max)
{
	AUTO_FREE char *buf = NULL;
	struct passwd user;
	int n = max;

	if (!find_user(name, &user, &buf))
		return 0;
	*ret_uid = user.pw_uid;
	return getgrouplist(name, user.pw_gid, ret_gids, &n) < 0 ? max : n;
}

/* Users whose primary group it is: the group's own entry need not name them. */
static int add_primary(gid_t gid, uid_t *ret_uids, int n, int max)
{
	const struct passwd *user;

	setpwent();
	while (n < max && (user = getpwent()) != NULL) {
		if (user->pw_gid == gid)
			ret_uids[n++] = user->pw_uid;
	}
	endpwent();
	return n;
}

static int system_group(void *arg, const char *name, gid_t *ret_gid, uid_t *ret_uids, int max)
{
	AUTO_FREE char *buf = malloc(ENTRY_MAX);
	struct group group, *found = NULL;
	int n = 0;

	if (buf == NULL || getgrnam_r(name, &group, buf, ENTRY_MAX, &found) != 0 || found == NULL)
		return -1;
	*ret_gid = group.gr_gid;
	for (char **member = group.gr_mem; *member != NULL && n < max; member++) {
		AUTO_FREE char *user_buf = NULL;
		struct passwd user;

		if (find_user(*member, &user, &user_buf))
			ret_uids[n++] = user.pw_uid;
	}
	return add_primary(group.gr_gid, ret_uids, n, max);
}

static int user_name(void *arg, uid_t uid, char *buf, size_t size)
{
	AUTO_FREE char *line = malloc(ENTRY_MAX);
	struct passwd user, *found = NULL;

	if (line == NULL || getpwuid_r(uid, &user, line, ENTRY_MAX, &found) != 0 || found == NULL)
		return -ENOENT;
	snprintf(buf, size, "%s", found->pw_name);
	return 0;
}

static int group_name(void *arg, gid_t gid, char *buf, size_t size)
{
	AUTO_FREE char *line = malloc(ENTRY_MAX);
	struct group group, *found = NULL;

	if (line == NULL || getgrgid_r(gid, &group, line, ENTRY_MAX, &found) != 0 || found == NULL)
		return -ENOENT;
	snprintf(buf, size, "%s", found->gr_name);
	return 0;
}

static bool have_ipv6(void)
{
	AUTO_FD int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0;
}

struct access_names access_names_system(void)
{
	return (struct access_names){.host = system_host,
				     .self = system_self,
				     .user = system_user,
				     .group = system_group,
				     .user_name = user_name,
				     .group_name = group_name,
				     .ipv6 = have_ipv6()};
}

struct access_names access_names_quick(void)
{
	struct access_names names = access_names_system();

	names.host = quick_host;
	return names;
}

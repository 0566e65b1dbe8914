/*
 * access_names - the look-ups of access rules: the addresses of hosts, the ids of users and groups.
 */
#ifndef LIBACCESS_ACCESS_NAMES_H
#define LIBACCESS_ACCESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

enum {
	ACCESS_HOST_LATER = -1,
};

/*
 * Where names come from; all members but arg and the names for the log are set. A test gives its
 * own. Anything here may take as long as it likes.
 */
struct access_names {
	/* All addresses of a host: fills at most max, returns how many, 0 for an unknown host,
	 * ACCESS_HOST_LATER for one that would have to be looked up. */
	int (*host)(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max);
	/* The name of this host (gethostname). 0 or -errno. */
	int (*self)(void *arg, char *buf, size_t size);
	/* uid of a user, and the groups the user is in (the primary one first): fills at most max,
	 * returns how many, 0 for an unknown user. */
	int (*user)(void *arg, const char *name, uid_t *ret_uid, gid_t *ret_gids, int max);
	/* gid of a group, and the users that are in it: fills at most max, returns how many, -1 for
	 * an unknown group. */
	int (*group)(void *arg, const char *name, gid_t *ret_gid, uid_t *ret_uids, int max);
	/* The name of a user or a group, for the log: 0, or -ENOENT. NULL: there are no such
	 * look-ups. */
	int (*user_name)(void *arg, uid_t uid, char *buf, size_t size);
	int (*group_name)(void *arg, gid_t gid, char *buf, size_t size);
	void *arg;
	bool ipv6; /* this host has IPv6: "*" includes IPv6 addresses */
};

/* The system's: getaddrinfo, getpwnam_r, getgrouplist, getgrnam_r, getpwuid_r, getgrgid_r. */
struct access_names access_names_system(void);

/* The same, but hosts are identified by numeric addresses only: no request goes to the network. */
struct access_names access_names_quick(void);

#endif

/*
 * access - permissions of clients: host, user and group lists (docs/spec/pmcd.md 6).
 *
 * Built once from the statements of a configuration, names resolved; after that each decision is a
 * function of an address or an identity and of the connections counted so far. On a reconfiguration
 * a new struct is built and every client that is connected enters it again.
 */
#ifndef PMCD_ACCESS_H
#define PMCD_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "daemons/pmcd/config.h"
#include "libaccess/access_names.h"

struct access;
struct buffer;

/* The identity of a client, from the socket or a login. */
struct access_account {
	bool known; /* uid and gid are */
	uid_t uid;
	gid_t gid;
};

/*
 * Builds the lists from a configuration. Errors are reported as "pmcd config[line N]: Error: ..."
 * or "Warning: ..." (an unresolvable host, whose statement is ignored). 0, the number of errors
 * (the configuration is to be rejected), or -ENOMEM; *ret_access is written on 0 alone.
 */
int access_new(const struct config *c, const char *file, const struct access_names *names,
	       config_message message, void *arg, struct access **ret_access);
void access_free(struct access *a);

/* True if a host was left for later: such a list's verdict on others than the Unix socket is not
 * known, so they are all refused. */
bool access_is_provisional(const struct access *a);

/* True if clients must introduce themselves: there is a user or group list (docs/spec/pmcd.md 6.4).
 */
bool access_wants_account(const struct access *a);

/*
 * A client comes from this address (AF_INET, AF_INET6 or AF_UNIX). 0 with the denied operations
 * (enum config_op bits), PM_ERR_PERMISSION or PM_ERR_CONNLIMIT. On 0 the client is counted, and
 * access_host_leave with the same address must follow when it goes.
 */
int access_host_enter(struct access *a, const struct sockaddr *peer, unsigned int *ret_denied);
void access_host_leave(struct access *a, const struct sockaddr *peer);

/*
 * The client has introduced itself. *denied holds the host's verdict, and gains what the account is
 * denied. 0, PM_ERR_PERMISSION or PM_ERR_CONNLIMIT; on 0 the client is counted until
 * access_account_leave.
 */
int access_account_enter(struct access *a, const struct access_account *who, unsigned int *denied);
void access_account_leave(struct access *a, const struct access_account *who);

/* The lists as the log shows them (docs/spec/pmcd.md 6.6). */
void access_dump(struct access *a, struct buffer *out);

#endif

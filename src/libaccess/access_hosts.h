/*
 * access_hosts - the list of hosts. It is built statement by statement, and then used to admit each
 * client and to count it out (docs/spec/pmcd.md 6.2, 6.3).
 */
#ifndef LIBACCESS_ACCESS_HOSTS_H
#define LIBACCESS_ACCESS_HOSTS_H

#include <stdbool.h>

#include "libaccess/access_names.h"
#include "libaccess/access_pattern.h"
#include "libbase/hash.h"

/*
 * ---- rules ----
 *
 * The permissions and limit of an access statement, and how two statements about the same host or
 * account become one (docs/spec/pmcd.md 6.1, 6.2).
 */

struct buffer;

struct access_rule {
	unsigned int specified; /* bits: operations, as the daemon numbers them */
	unsigned int denied;
	unsigned int max_connections; /* 0: no limit */
	unsigned int connections;     /* counted while there is a limit */
};

/* Takes on what another statement says; false if the two contradict each other. */
bool access_rule_merge(struct access_rule *r, const struct access_rule *other);

/* The more specific rule after the less specific ones. */
static inline unsigned int access_rule_apply(const struct access_rule *r, unsigned int denied)
{
	return (denied & ~r->specified) | r->denied;
}

static inline bool access_rule_full(const struct access_rule *r)
{
	return r->max_connections != 0 && r->connections >= r->max_connections;
}

static inline void access_rule_count(struct access_rule *r)
{
	if (r->max_connections != 0)
		r->connections++;
}

static inline void access_rule_uncount(struct access_rule *r)
{
	if (r->max_connections != 0 && r->connections > 0)
		r->connections--;
}

/* The columns of the log that a rule fills: " y  n     0     0 " (docs/spec/pmcd.md 6.6), and the
 * heads above them, "00 01 Cur/MaxCons ", then the line below these. */
void access_rule_dump(const struct access_rule *r, struct buffer *out);
void access_rule_dump_head(const char *more, const char *more_line, struct buffer *out);

/* ---- the list ---- */

enum {
	ACCESS_ADDRS_MAX = 64,      /* addresses of one host name */
	ACCESS_ENTRIES_MAX = 65536, /* of one list */
};

struct access_host {
	struct access_pattern pattern;
	struct access_rule rule;
	size_t seq; /* the order of the statements */
	char *name; /* as in the statement, or the wildcard that the statement expands to; owned */
};

/* A zeroed struct is a valid empty list. */
struct access_hosts {
	struct access_host **list; /* most specific first, once sorted; owned, with its entries */
	size_t count, cap;
	bool unsorted;        /* entries were added since the list was sorted */
	struct hash patterns; /* entries by pattern: finds the earlier statement of a double */
	/* The addresses of this host's name: a client from a loopback address comes from all. */
	struct access_pattern self[ACCESS_ADDRS_MAX];
	size_t nself;
	unsigned int all;   /* operations */
	unsigned int later; /* names that have not been looked up yet: until then no client of the
			       network is admitted */
};

void access_hosts_done(struct access_hosts *h);

/* Looks up the addresses of this host's name. all is the set of all operations: a client that is
 * denied all of them is refused. */
void access_hosts_init(struct access_hosts *h, const struct access_names *names, unsigned int all);

/*
 * Adds the rule of a statement for one name. Returns the number of entries made or merged; 0 for an
 * unknown host, or one that is still being looked up; -EINVAL for a bad pattern or a contradiction;
 * -E2BIG, -ENOMEM. For 0 and -EINVAL, why is filled with a sentence.
 */
int access_hosts_add(struct access_hosts *h, const struct access_names *names, const char *name,
		     const struct access_rule *rule, struct buffer *why);

/*
 * A client comes from this address (AF_INET, AF_INET6 or AF_UNIX). 0 with the denied operations,
 * PM_ERR_PERMISSION or PM_ERR_CONNLIMIT. On 0 the client is counted until access_hosts_leave with
 * the same address.
 */
int access_hosts_enter(struct access_hosts *h, const struct sockaddr *peer,
		       unsigned int *ret_denied);
void access_hosts_leave(struct access_hosts *h, const struct sockaddr *peer);

void access_hosts_dump(struct access_hosts *h, struct buffer *out);

#endif

/*
 * access_hosts - the list of hosts: built statement by statement, then asked for each client that
 * comes and told of each that goes (docs/spec/pmcd.md 6.2, 6.3).
 */
#ifndef PMCD_ACCESS_HOSTS_H
#define PMCD_ACCESS_HOSTS_H

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/access_pattern.h"
#include "daemons/pmcd/access_rule.h"

struct buffer;

enum {
	ACCESS_ADDRS_MAX = 64,      /* addresses of one host name */
	ACCESS_ENTRIES_MAX = 65536, /* of one list */
};

struct access_host {
	struct access_pattern pattern;
	struct access_rule rule;
	char *name; /* as the statement, or what it stands for, calls it; owned */
};

/* A zeroed struct is a valid empty list. */
struct access_hosts {
	struct access_host *list; /* most specific first */
	size_t count, cap;
	/* The addresses of this host's name: a client from a loopback address comes from all. */
	struct access_pattern self[ACCESS_ADDRS_MAX];
	size_t nself;
	unsigned int later; /* names that have not been looked up: nobody's rights are certain */
};

void access_hosts_done(struct access_hosts *h);

/* Learns the addresses of this host's name. */
void access_hosts_init(struct access_hosts *h, const struct access_names *names);

/*
 * What a statement says about one name. The number of entries made or merged; 0 for a host that is
 * not known, or for later; -EINVAL for a bad pattern or a contradiction; -E2BIG, -ENOMEM. For 0 and
 * -EINVAL why gets a sentence.
 */
int access_hosts_add(struct access_hosts *h, const struct access_names *names, const char *name,
		     const struct access_rule *rule, struct buffer *why);

/* As access_host_enter and access_host_leave (access.h). */
int access_hosts_enter(struct access_hosts *h, const struct sockaddr *peer,
		       unsigned int *ret_denied);
void access_hosts_leave(struct access_hosts *h, const struct sockaddr *peer);

void access_hosts_dump(const struct access_hosts *h, struct buffer *out);

#endif

/*
 * access_pattern - the form in which access statements name hosts: addresses with the part of them
 * that must be the same (docs/spec/pmcd.md 6.2).
 */
#ifndef LIBACCESS_ACCESS_PATTERN_H
#define LIBACCESS_ACCESS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct access_pattern {
	int family;         /* AF_INET, AF_INET6, AF_UNIX */
	unsigned int bits;  /* leading bits of addr that count */
	unsigned int level; /* 0: most specific */
	uint8_t addr[16];   /* in network order; the bits that do not count are 0 */
};

/*
 * A name with a wildcard ("10.1.*", ".*", "fe80:*", "::*"). 1 and the pattern, 0 if the name has no
 * '*', or -1 with *ret_error saying what is wrong (a format for the name).
 */
int access_pattern_wildcard(const char *name, struct access_pattern *ret_pattern,
			    const char **ret_error);

/* The pattern of one address, a mapped IPv4 one is IPv4; false for an unknown family. */
bool access_pattern_address(const struct sockaddr *addr, struct access_pattern *ret_pattern);

/* The Unix socket. */
struct access_pattern access_pattern_unix(void);

/* The same addresses at the same level. */
bool access_pattern_equal(const struct access_pattern *a, const struct access_pattern *b);

/* True if the address, given as a pattern of its own, is one that p means. */
bool access_pattern_match(const struct access_pattern *p, const struct access_pattern *addr);

/* True for 127.*, ::1. */
bool access_pattern_loopback(const struct access_pattern *addr);

/* Address and mask as the log shows them; "/" for the Unix socket. Return buf. */
const char *access_pattern_text(const struct access_pattern *p, char *buf, size_t size);
const char *access_pattern_mask(const struct access_pattern *p, char *buf, size_t size);

#endif

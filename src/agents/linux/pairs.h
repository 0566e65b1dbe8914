/*
 * pairs - files of two lines a group, as /proc/net/snmp: names, then their numbers.
 *
 *     Udp: InDatagrams NoPorts InErrors
 *     Udp: 4711 3 0
 *
 * A group whose second line is not its own is passed over; a number that is missing or negative is
 * absent.
 */
#ifndef AGENT_LINUX_PAIRS_H
#define AGENT_LINUX_PAIRS_H

#include "keys.h"

/* A group of the file: what its names mean. */
struct pairs_group {
	const char *name; /* without the colon */
	const struct key *table;
	unsigned int n;
	struct keys keys; /* zeroed at first */
};

/* Called for a group that is not in the table, with both lines: past the first words. */
typedef void pairs_other(void *base, const char *name, size_t len, struct scan *names,
			 struct scan *numbers);

/* Reads the text into base. other may be NULL. 0 or -ENOMEM. */
int pairs_read(struct pairs_group *groups, unsigned int n, pairs_other *other, void *base,
	       const char *text);

#endif

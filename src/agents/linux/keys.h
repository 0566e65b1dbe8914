/*
 * keys - files of lines "key number": which key goes where.
 *
 * A table of keys and offsets is hashed at its first use, so that a line costs one probe whatever
 * the kernel's order and however many keys it has that we don't know.
 */
#ifndef AGENT_LINUX_KEYS_H
#define AGENT_LINUX_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pitot/agent.h>

#include "scan.h"

struct key {
	const char *name;
	unsigned short offset; /* of an uint64_t */
};

/* Zeroed at first; filled by keys_init. */
struct keys {
	struct key *table;
	unsigned int n;
	unsigned short *slots; /* index + 1 into table; 0: free */
	unsigned int mask;
};

/* From a table of n keys; a second call does nothing. False when out of memory. */
bool keys_init(struct keys *k, const struct key *table, unsigned int n);

/* From the rows of a cluster: a row is the key that follows prefix in its name, if it does. */
bool keys_init_rows(struct keys *k, const char *prefix, const struct agent_metric *rows,
		    unsigned int n);

void keys_done(struct keys *k);

/* Where the key's number goes in base; NULL if it is unknown. */
uint64_t *keys_find(const struct keys *k, void *base, const char *name, size_t len);

/* Reads the key (up to a blank or a colon) and the number of a line; unknown ones are skipped. */
void keys_line(const struct keys *k, void *base, struct scan *s);

#endif

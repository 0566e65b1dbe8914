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

#include "linux.h"
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

/*
 * ---- pairs ----
 *
 * Files of two lines a group, as /proc/net/snmp: names, then their numbers.
 *
 *     Udp: InDatagrams NoPorts InErrors
 *     Udp: 4711 3 0
 *
 * A group whose second line is not its own is passed over; a number that is missing or negative is
 * absent.
 */

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

/* ---- a file of /proc that is read line by line ---- */

/* Takes a line: 0, or -errno, which ends the reading. */
typedef int (*line_reader)(struct agent_refresh *r, struct scan *s);

/* Reads a file and hands over its lines, each from its beginning: 0, or -errno of either. */
int lines_read(struct agent_refresh *r, const char *path, line_reader read_line);

#endif

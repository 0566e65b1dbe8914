/*
 * entry - one help text of a source: "@ KEY ONELINE", and lines of help.
 */
#ifndef NEWHELP_ENTRY_H
#define NEWHELP_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an entry from its key on, newlines included; more is cut. */
#define ENTRY_MAX 1024

struct entry {
	bool open; /* lines are being added */
	size_t len;
	char text[ENTRY_MAX];
};

/* An entry taken apart; all but the key lies in its text. */
struct entry_parts {
	char key[ENTRY_MAX];
	const char *line;    /* the first one as it was written, key included */
	const char *oneline; /* what follows the key there */
	const char *help;    /* without the newlines at its end */
};

/* Begins a new entry. */
void entry_open(struct entry *e);

/* Adds text that ends with a newline. False if the entry has become too long: it is cut, and
 * closed. */
bool entry_add(struct entry *e, const char *text);

/* Closes the entry and takes it apart, which changes its text. */
void entry_split(struct entry *e, struct entry_parts *ret_parts);

#endif

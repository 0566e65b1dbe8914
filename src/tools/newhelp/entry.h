/*
 * entry - one help text of a source: "@ KEY ONELINE", and lines of help.
 */
#ifndef NEWHELP_ENTRY_H
#define NEWHELP_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an entry from its key on, newlines included; the rest is cut off. */
#define ENTRY_MAX 1024

struct entry {
	bool open; /* lines are being added */
	size_t len;
	char text[ENTRY_MAX];
};

/* A parsed entry; everything but the key points into its text. */
struct entry_parts {
	char key[ENTRY_MAX];
	const char *line;    /* the first line as it was written, key included */
	const char *oneline; /* the part of that line after the key */
	const char *help;    /* without the newlines at its end */
};

/* Begins an empty entry. */
void entry_open(struct entry *e);

/*
 * Adds text that ends with a newline. Returns false if the entry is too long: it is then cut and
 * closed.
 */
bool entry_add(struct entry *e, const char *text);

/* Closes the entry and parses it. This changes its text. */
void entry_split(struct entry *e, struct entry_parts *ret_parts);

#endif

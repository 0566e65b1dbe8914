/*
 * newhelp - the entries of a source, and the files that they are compiled to.
 */
#ifndef NEWHELP_NEWHELP_H
#define NEWHELP_NEWHELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * entry - one help text of a source: "@ KEY ONELINE", and lines of help.
 */

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

/*
 * book - the two files of compiled help texts (docs/spec/pmda.md 15.1): texts, and an index of them
 * in the byte order of the host.
 */

/* Set in the index for an instance domain. */
#define BOOK_INDOM (1u << 31)

struct book_line {
	uint32_t id; /* a pmID, or a pmInDom with BOOK_INDOM */
	uint32_t oneline;
	uint32_t help; /* offsets in the text file */
};

struct book {
	FILE *text;
	char *index_path;
	struct book_line *lines;
	size_t n, room;
};

/* Creates BASE.pag. Returns 0, or -1 after reporting that it cannot. */
int book_create(struct book *b, const char *base);

/*
 * Writes the texts of an entry; key is the name in the source. A second entry in a row with the
 * same id is not written, and the function returns false. (As in 6.0.3, only if there are at least
 * two entries.)
 */
bool book_add(struct book *b, uint32_t id, const char *key, const char *oneline, const char *help);

/*
 * Frees everything; the texts written so far stay, without an index. An all-zero book is allowed.
 */
void book_abandon(struct book *b);

/* Writes BASE.dir and frees everything. Returns 0, or -1 after reporting a failed write. */
int book_finish(struct book *b);

#endif

/*
 * book - the two files of compiled help texts (docs/spec/pmda.md 15.1): texts, and an index of them
 * in the byte order of the host.
 */
#ifndef NEWHELP_BOOK_H
#define NEWHELP_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

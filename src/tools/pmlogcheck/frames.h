/*
 * frames - pass 0: the label of a file and the length words of all its records, or the completeness
 * of the entries of an index. The file may contain any bytes.
 */
#ifndef PMLOGCHECK_FRAMES_H
#define PMLOGCHECK_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct member;

enum frames_kind {
	FRAMES_DATA,
	FRAMES_META,
	FRAMES_INDEX,
};

/* The properties of the first file, which the others are compared with. */
struct frames_version {
	int version; /* 0: not known yet */
	const char *path;
};

struct frames {
	uint64_t records; /* whole records, label included; entries of an index count */
	bool fatal;       /* the archive cannot be opened, or not be read to its end */
};

/*
 * Checks one file. Errors are printed to out, with path in front; with verbose, progress messages
 * as well. tick is called for every record with its offset and the size of the file; it may be
 * NULL.
 */
struct frames frames_check(struct member *m, const char *path, enum frames_kind kind,
			   struct frames_version *first, bool verbose, FILE *out,
			   void (*tick)(uint64_t at, uint64_t size));

#endif

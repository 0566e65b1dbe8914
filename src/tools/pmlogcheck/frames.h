/*
 * frames - pass 0: the label of one file, and the length words of all of its records, or whether the
 * entries of an index are whole. Any bytes are judged, none is believed.
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

/* What files are held against: the version of the first one. */
struct frames_version {
	int version; /* 0: none yet */
	const char *path;
};

struct frames {
	uint64_t records; /* whole ones, label included; entries of an index count */
	bool fatal;       /* the archive can't be opened, or not be read to its end */
};

/*
 * Checks one file; what is wrong goes to out, with path in front. verbose: what is done goes there
 * too. tick is told about every record, where it is and how long the file is; NULL: nobody is.
 */
struct frames frames_check(struct member *m, const char *path, enum frames_kind kind,
			   struct frames_version *first, bool verbose, FILE *out,
			   void (*tick)(uint64_t at, uint64_t size));

#endif

/*
 * stamp - which files something was read from, and how they looked: has one changed since?
 */
#ifndef LIBPMNS_STAMP_H
#define LIBPMNS_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct stamp {
	char *path; /* owned */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
};

/* A zeroed struct is a valid empty list. */
struct stamps {
	struct stamp *list;
	size_t count, cap;
};

void stamps_done(struct stamps *s);

/* Notes a file or folder as it is now; one that is not there is noted as missing. 0 or -ENOMEM. */
int stamps_add(struct stamps *s, const char *path);

/* Appends all of from to to; from is then empty. 0, or -ENOMEM and nothing is moved. */
int stamps_move(struct stamps *to, struct stamps *from);

/* True if one of them looks different now. */
bool stamps_changed(const struct stamps *s);

#endif

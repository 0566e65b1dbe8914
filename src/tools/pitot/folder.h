/* folder - a directory that the collector writes to: whose it is, and is there room. */
#ifndef PITOT_FOLDER_H
#define PITOT_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct folder {
	const char *role; /* "run", "log", "tmp", "state" */
	char path[PATH_MAX];
	int error;       /* 0, or -errno: it can't be looked at */
	int64_t uid;     /* its owner */
	int write_error; /* 0, or -errno: the user can't write there */
	int64_t free_kb; /* for that user */
	int64_t size_kb;
	double free_part;   /* 0 to 1 */
	double inodes_part; /* of the inodes, free; 1 where the file system has no such limit */
};

/* Looks at path for the user uid. */
void folder_look(struct folder *f, const char *role, const char *path, int64_t uid);

#endif

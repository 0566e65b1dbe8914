/* folder - the names of files in a folder that begin alike, in alphabetical order. */
#ifndef LIBPMNS_FOLDER_H
#define LIBPMNS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { FOLDER_NAMES_MAX = 4096 };

struct folder {
	char **list; /* owned */
	size_t count, cap;
};

/*
 * The names in dir that begin with prefix and have more to them; a name that is an editor's or a
 * package manager's left-over ("~", ".dpkg-new" …) is none. 0, -errno, -E2BIG, -ENOMEM.
 */
int folder_list(const char *dir, const char *prefix, struct folder *ret_folder);
void folder_done(struct folder *f);

/* True for a regular file: what blocks or never ends is not read. */
bool folder_is_file(const char *path);

/* "dir/name". 0 or -ENAMETOOLONG. */
int folder_path(const char *dir, const char *name, char *path, size_t size);

/* ---- the files that something was read from, to find out whether one has changed since ---- */

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

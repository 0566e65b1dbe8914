/*
 * folder - the names of files in a folder that begin alike, in alphabetical order.
 */
#ifndef LIBPMNS_FOLDER_H
#define LIBPMNS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

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

#endif

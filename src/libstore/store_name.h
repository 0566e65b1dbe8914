/* store_name - names of an archive's files, and a new name for one of them. */
#ifndef LIBSTORE_STORE_NAME_H
#define LIBSTORE_STORE_NAME_H

#include <limits.h>

/* ret_path (PATH_MAX bytes) is base and suffix. 0, -ENAMETOOLONG. */
int store_name(char *ret_path, const char *base, const char *suffix);

/* The path of a data volume. 0, -ENAMETOOLONG. */
int store_name_volume(char *ret_path, const char *base, int volume);

/* Renames, unless to is there. 0, -EEXIST, -errno. */
int store_rename_new(const char *from, const char *to);

/* Opens the folder that path is in, for fsync. A descriptor, or -errno. */
int store_open_dir(const char *path);

#endif

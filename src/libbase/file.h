/*
 * file - whole reads and writes, small files, directories.
 *
 * All return 0 or more on success and -errno on failure.
 */
#ifndef LIBBASE_FILE_H
#define LIBBASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buffer;

/* Exactly len bytes, over short reads and EINTR. -EPIPE if the end comes first. */
int file_read_full(int fd, void *buf, size_t len);

/* All len bytes, over short writes and EINTR. */
int file_write_full(int fd, const void *buf, size_t len);

/* True for a regular file, or a link to one: opening anything else might wait. */
bool file_is_regular(const char *path);

/* Appends the whole file to b, at most max bytes (-EFBIG if there are more). Works for files of
 * /proc, which have no size. */
int file_read_all(const char *path, size_t max, struct buffer *b);

/* Makes path and the missing folders above it with mode. An existing folder is success. */
int file_mkdirs(const char *path, mode_t mode);

/* Removes a tree without following symbolic links. A missing one is success. */
int file_remove_tree(const char *path);

#endif

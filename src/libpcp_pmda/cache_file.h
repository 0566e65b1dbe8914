/*
 * cache_file - a cache on disk: one line of text an instance (docs/spec/pmda.md 12.8).
 */
#ifndef LIBPCP_PMDA_CACHE_FILE_H
#define LIBPCP_PMDA_CACHE_FILE_H

#include <stddef.h>

struct buffer;
struct cache;

/* Reads the cache's file. Number of records, 0 for an empty file, PM_ERR_GENERIC, -errno. */
int cache_file_load(struct cache *c);

/* Writes it if one of the CACHE_DIRTY_ bits in why is set. Number of records, 0, or an error. */
int cache_file_save(struct cache *c, int why);

/*
 * The same from memory; path is for messages. The text is changed, and one more byte after it.
 * Reading ends at the first bad record.
 */
int cache_file_parse(struct cache *c, const char *path, char *text, size_t len);

/*
 * The text of the file: to a descriptor, or into the buffer if fd is negative. Number of records,
 * -ENOMEM, -errno.
 */
int cache_file_format(struct cache *c, struct buffer *out, int fd);

#endif

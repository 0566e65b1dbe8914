/*
 * writer_file - one growing file of an archive: whole records at its end, or nothing.
 *
 *     | whole records      | allocated ahead                  |
 *     0                    size                               room
 *
 * A record is written by one write. The bytes of a failed or short write are cut off. Blocks are
 * allocated ahead, in steps that grow with the file, so that a full disk is met by the allocation,
 * before anything is written, and so that WRITER_RESERVE bytes after the last record are always
 * there: a closing mark fits when nothing else does. If the file system cannot allocate ahead, the
 * write is tried and cut.
 */
#ifndef LIBSTORE_WRITER_FILE_H
#define LIBSTORE_WRITER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WRITER_RESERVE = 1024, /* bytes reserved after the last record: labels, marks, index entries */
};

struct writer_file {
	int fd; /* -1: none */
	uint64_t size;
	uint64_t room;
	bool ahead; /* the file system allocates ahead */
	bool torn;  /* there may be part of a record after size: cut before the next one */
	bool dirty; /* there is something that was not synced */
};

#define WRITER_FILE_NONE ((struct writer_file){.fd = -1})

/* Makes a file that must not exist. 0, -EEXIST, -errno. */
int writer_file_create(struct writer_file *f, const char *path);

/*
 * Appends len bytes. 0; or -errno (ENOSPC, EDQUOT, EFBIG, EIO, …), and then the file holds what it
 * held before. With use_reserve the bytes may come from what is kept. SIGXFSZ is the caller's to
 * ignore.
 */
int writer_file_append(struct writer_file *f, const void *bytes, size_t len, bool use_reserve);

/* Gives back what was allocated ahead, and cuts what is torn. */
void writer_file_trim(struct writer_file *f);

/* Closes the file without cutting it; the size stays known. */
void writer_file_close(struct writer_file *f);

#endif

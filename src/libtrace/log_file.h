/*
 * log_file - the file of a log, for its writer: positioned writes through a descriptor of its own,
 * space reserved ahead, no SIGXFSZ. System calls only.
 */
#ifndef LIBTRACE_LOG_FILE_H
#define LIBTRACE_LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct log_file {
	int fd;
	dev_t dev; /* identifies the file: the application may close fd */
	ino_t ino;
	bool no_reserve; /* the file system does not support it */
	uint64_t reserved;
};

/* Opens a writable regular file again, without O_APPEND (which would override the position of
 * writes): 0, -EBADF, -EINVAL, -EMFILE, .... */
int log_file_open(int fd, struct log_file *ret_file);
/* Takes ownership of a descriptor as it is: 0, -EBADF, -EINVAL. */
int log_file_adopt(int fd, struct log_file *ret_file);
void log_file_close(struct log_file *file);

/* Writes all parts at that position: 0, -ENOSPC, -EFBIG (without a signal), -EIO, -EDQUOT,
 * -EBADF, .... Up to LOG_FILE_PARTS parts. */
enum { LOG_FILE_PARTS = 4 };
int log_file_write(struct log_file *file, const struct iovec *parts, int count, uint64_t at);

/* Reserves space up to this size: 0, -ENOSPC, -EDQUOT, .... Returns 0 if the file system does not
 * support it. */
int log_file_reserve(struct log_file *file, uint64_t end);

/* Truncates the file and releases reserved space after the end: 0, -errno. */
int log_file_cut(struct log_file *file, uint64_t end);

#endif

/*
 * log_file - the file of a log as its writer sees it: positioned writes through a descriptor of
 * its own, room reserved ahead, no SIGXFSZ. System calls only.
 */
#ifndef LIBTRACE_LOG_FILE_H
#define LIBTRACE_LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct log_file {
	int fd;
	dev_t dev; /* the file behind it: an application may close descriptors it does not know */
	ino_t ino;
	bool no_reserve; /* the file system cannot */
	uint64_t reserved;
};

/* A regular file that can be written, through a descriptor of our own without O_APPEND (positioned
 * writes ignore their position with it): 0, -EBADF, -EINVAL, -EMFILE, .... */
int log_file_open(int fd, struct log_file *ret);
/* Takes a descriptor over as it is: 0, -EBADF, -EINVAL. */
int log_file_adopt(int fd, struct log_file *ret);
void log_file_close(struct log_file *file);

/* All of it at that place: 0, -ENOSPC, -EFBIG (without a signal), -EIO, -EDQUOT, -EBADF, .... Up to
 * LOG_FILE_PARTS parts. */
enum {
	LOG_FILE_PARTS = 4
};
int log_file_write(struct log_file *file, const struct iovec *parts, int count, uint64_t at);

/* Makes sure that the file can grow up to there: 0, -ENOSPC, -EDQUOT, .... Where the file system
 * has no such service it says yes. */
int log_file_reserve(struct log_file *file, uint64_t end);

/* Ends the file there, and gives back what is reserved behind: 0, -errno. */
int log_file_cut(struct log_file *file, uint64_t end);

#endif

/*
 * log_out - write a new log from start to end: events in, blocks and trailer out. Used by recovery
 * and for remains. Memory for one block; system calls only.
 */
#ifndef LIBTRACE_LOG_OUT_H
#define LIBTRACE_LOG_OUT_H

#include "libtrace/event.h"
#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_types.h"

struct log_out {
	struct log_file file;
	struct log_head head;
	struct log_block block; /* the current one */
	uint64_t users;         /* user events written so far */
	uint8_t *bytes;         /* head and payload */
};

/* Truncates the file of fd and writes a head with these attributes; sets payload and places,
 * without a limit of size: 0, -EBADF, -EINVAL, -ENOSPC, -EFBIG, -ENOMEM, .... */
int log_out_open(int fd, const struct log_head *head, struct log_out *ret_log);
int log_out_add(struct log_out *out, const struct event *event);
/* Writes the trailer; the caller provides status, counts and names. */
int log_out_end(struct log_out *out, struct log_trailer *trailer, const struct log_types *types);
void log_out_close(struct log_out *out);

/*
 * ---- trailer ----
 *
 * The trailer of a log, which makes it complete. It is built in an anonymous mapping and written
 * after the last block; system calls only.
 */

/* Writes the trailer at this place and truncates the file after it; fills in salt, bytes, names
 * and descriptions of *trailer. most: maximum size of the file (descriptions that do not fit are
 * left out). 0, -ENOSPC, -EFBIG, ..., -ENOMEM. */
int log_end_write(struct log_file *file, const struct log_head *head, struct log_trailer *trailer,
		  uint64_t at, uint64_t most, const struct log_types *types);

#endif

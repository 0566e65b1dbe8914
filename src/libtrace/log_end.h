/*
 * log_end - the trailer of a log, which makes it complete. It is built in an anonymous mapping and written
 * after the last block; system calls only.
 */
#ifndef LIBTRACE_LOG_END_H
#define LIBTRACE_LOG_END_H

#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_types.h"

/* Writes the trailer at this place and truncates the file after it; fills in salt, bytes, names
 * and descriptions of *trailer. most: maximum size of the file (descriptions that do not fit are
 * left out). 0, -ENOSPC, -EFBIG, ..., -ENOMEM. */
int log_end_write(struct log_file *file, const struct log_head *head, struct log_trailer *trailer,
		  uint64_t at, uint64_t most, const struct log_types *types);

#endif

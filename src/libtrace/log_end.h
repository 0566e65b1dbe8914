/*
 * log_end - the trailer of a log: what makes it complete. Built in memory of its own mapping and
 * written behind the last block; system calls only.
 */
#ifndef LIBTRACE_LOG_END_H
#define LIBTRACE_LOG_END_H

#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_types.h"

/* Writes the trailer there and ends the file behind it; salt, bytes, names and descriptions of
 * *trailer are filled in. most: bytes that the whole file may have (descriptions are left out where
 * they do not fit). 0, -ENOSPC, -EFBIG, ..., -ENOMEM. */
int log_end_write(struct log_file *file, const struct log_head *head, struct log_trailer *trailer,
		  uint64_t at, uint64_t most, const struct log_types *types);

#endif

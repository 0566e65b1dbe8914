/*
 * record - the frame of metadata and data records (docs/spec/archive.md 5).
 *
 *     N (4 bytes) | payload (N - 8) | N (4 bytes)
 */
#ifndef LIBDISK_RECORD_H
#define LIBDISK_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "libbase/frame.h"

struct timespec;
struct wire_str;

/*
 * Looks at the record that begins at p, of which left bytes are there. 1: it is whole, and *ret_len
 * its length; 0: there are too few, *ret_len is how many are known to be needed (4 for the length
 * word); PM_ERR_LOGREC: the length is below 8 or above RECORD_MAX, or the last word differs.
 */
int record_frame(const void *p, size_t left, size_t *ret_len);

/* 0 if these bytes are exactly one record, else PM_ERR_LOGREC. */
int record_check(const void *record, size_t len);

/*
 * A record being appended to a buffer, as a frame (libbase/frame.h), which fails with -ERANGE for a
 * time that its version can't hold.
 */

/* Begins with the length word, which is filled in at the end. */
void record_out_begin(struct frame_out *out, struct buffer *b);

/* Adds the last word. 0, or the first failure, and then the buffer holds what it held before. */
int record_out_end(struct frame_out *out);

/* A length word and the bytes, without padding. */
void record_put_str(struct frame_out *out, struct wire_str str);

void record_put_stamp(struct frame_out *out, const struct timespec *stamp, int version);

#endif

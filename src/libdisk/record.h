/*
 * record - the frame of metadata and data records (docs/spec/archive.md 5).
 *
 *     N (4 bytes) | payload (N - 8) | N (4 bytes)
 */
#ifndef LIBDISK_RECORD_H
#define LIBDISK_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
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
 * A record being appended to a buffer. Sticky: after the first failure (-EINVAL for what no record
 * can carry, -ERANGE for a time, -ENOMEM) every put does nothing, and record_out_end takes the
 * unfinished record off the buffer again.
 */
struct record_out {
	struct buffer *b;
	size_t len; /* so far; it ends where the buffer ends */
	int err;
	int buffer_err; /* the buffer's own, as it was before */
};

/* Begins with the length word, which is filled in at the end. */
void record_out_begin(struct record_out *out, struct buffer *b);

/* Adds the last word. 0, or the first failure, and then the buffer holds what it held before. */
int record_out_end(struct record_out *out);

void record_out_fail(struct record_out *out, int err);

/* n bytes that count as written: the caller fills them. NULL after any failure. */
uint8_t *record_out_room(struct record_out *out, size_t n);

void record_put_u32(struct record_out *out, uint32_t v);
void record_put_bytes(struct record_out *out, const void *bytes, size_t n);

/* A length word and the bytes, without padding. */
void record_put_str(struct record_out *out, struct wire_str str);

void record_put_stamp(struct record_out *out, const struct timespec *stamp, int version);

#endif

/* record - see record.h. */
#include "libdisk/record.h"

#include <errno.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libdisk/stamp.h"
#include "libvalue/wire_form.h"

enum { WORD = 4 };

int record_frame(const void *p, size_t left, size_t *ret_len)
{
	uint32_t len;

	*ret_len = WORD;
	if (left < WORD)
		return 0;
	len = load_be32(p);
	if (len < RECORD_MIN || len > RECORD_MAX)
		return PM_ERR_LOGREC;
	*ret_len = len;
	if (left < len)
		return 0;
	return load_be32((const uint8_t *)p + len - WORD) == len ? 1 : PM_ERR_LOGREC;
}

int record_check(const void *record, size_t len)
{
	size_t framed;

	return record_frame(record, len, &framed) == 1 && framed == len ? 0 : PM_ERR_LOGREC;
}

void record_out_fail(struct record_out *out, int err)
{
	if (out->err == 0)
		out->err = err;
}

uint8_t *record_out_room(struct record_out *out, size_t n)
{
	uint8_t *p;

	if (n > RECORD_MAX - out->len)
		record_out_fail(out, -EINVAL);
	if (out->err != 0)
		return NULL;
	p = buffer_reserve(out->b, n);
	if (p == NULL) {
		record_out_fail(out, out->b->err);
		return NULL;
	}
	buffer_commit(out->b, n);
	out->len += n;
	return p;
}

void record_put_u32(struct record_out *out, uint32_t v)
{
	uint8_t *p = record_out_room(out, WORD);

	if (p != NULL)
		store_be32(p, v);
}

void record_put_bytes(struct record_out *out, const void *bytes, size_t n)
{
	uint8_t *p = record_out_room(out, n);

	if (p != NULL && n > 0)
		memcpy(p, bytes, n);
}

void record_put_str(struct record_out *out, struct wire_str str)
{
	record_put_u32(out, str.len);
	record_put_bytes(out, str.s, str.len);
}

void record_put_stamp(struct record_out *out, const struct timespec *stamp, int version)
{
	uint8_t *p;

	if (!stamp_fits(stamp, version))
		record_out_fail(out, -ERANGE);
	p = record_out_room(out, stamp_len(version));
	if (p != NULL)
		stamp_store(p, stamp, version);
}

void record_out_begin(struct record_out *out, struct buffer *b)
{
	*out = (struct record_out){.b = b, .err = b->err, .buffer_err = b->err};
	record_put_u32(out, 0);
}

int record_out_end(struct record_out *out)
{
	struct buffer *b = out->b;

	record_put_u32(out, (uint32_t)(out->len + WORD));
	if (out->err == 0) {
		buffer_patch_u32(b, b->len - out->len, (uint32_t)out->len);
		return 0;
	}
	b->len -= out->len;
	b->err = out->buffer_err;
	return out->err;
}

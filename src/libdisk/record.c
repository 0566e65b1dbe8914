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

void record_put_str(struct frame_out *out, struct wire_str str)
{
	frame_put_u32(out, str.len);
	frame_put_bytes(out, str.s, str.len);
}

void record_put_stamp(struct frame_out *out, const struct timespec *stamp, int version)
{
	uint8_t *p;

	if (!stamp_fits(stamp, version))
		frame_out_fail(out, -ERANGE);
	p = frame_out_room(out, stamp_len(version));
	if (p != NULL)
		stamp_store(p, stamp, version);
}

void record_out_begin(struct frame_out *out, struct buffer *b)
{
	frame_out_begin(out, b, RECORD_MAX);
}

int record_out_end(struct frame_out *out)
{
	frame_put_u32(out, (uint32_t)(out->len + WORD));
	return frame_out_end(out);
}

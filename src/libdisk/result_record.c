/* result_record - see result_record.h. */
#include "libdisk/result_record.h"

#include "libbase/buffer.h"
#include "libdisk/record.h"
#include "libdisk/result_view.h"
#include "libdisk/stamp.h"
#include "libvalue/host_result.h"

enum {
	WORD = 4,
	RECORD_SHIFT = 8, /* positions count from this many bytes before the record */
};

int result_record_to_host(int version, const void *record, size_t len, pmHighResResult **ret_result)
{
	struct host_result s;
	struct result_view view;
	int r = result_view_init(&view, version, record, len);

	if (r < 0)
		return r;
	s.sets = view.sets;
	s.len = (size_t)(view.end - view.sets);
	s.at = view.at;
	s.numpmid = view.numpmid;
	if (!host_result_measure(&s))
		return PM_ERR_LOGREC;
	return host_result_new(&s, &view.stamp, ret_result);
}

/* Everything before the sets. NULL after a failure; else where they go, with room for len bytes. */
static uint8_t *put_head(struct frame_out *out, int version, const struct timespec *stamp,
			 uint32_t n, uint64_t len)
{
	if (len > RECORD_MAX - (RECORD_MIN + STAMP_LEN_V3 + WORD)) {
		frame_out_fail(out, PM_ERR_TOOBIG);
		return NULL;
	}
	record_put_stamp(out, stamp, version);
	frame_put_u32(out, n);
	return frame_out_room(out, (size_t)len);
}

/* Position of the first set of a record. */
static size_t first_position(int version)
{
	return RECORD_SHIFT + WORD + stamp_len(version) + WORD;
}

/* Which sets were found bad is asked again, and only when there are any. */
static void put_sets(struct vset_cursor *c, pmValueSet *const *sets, uint32_t n, uint32_t bad)
{
	for (uint32_t i = 0; i < n && bad == 0; i++)
		vset_host_put(c, sets[i]->pmid, sets[i]);
	for (uint32_t i = 0; i < n && bad > 0; i++) {
		struct vset_len ignored = {0, 0};

		if (vset_host_len(sets[i], &ignored))
			vset_host_put(c, sets[i]->pmid, sets[i]);
		else
			vset_put_error(c, sets[i]->pmid, PM_ERR_CONV);
	}
}

int result_record_put(struct buffer *b, int version, const struct timespec *stamp,
		      pmValueSet *const *sets, uint32_t n)
{
	struct vset_len total = {0, 0};
	struct vset_cursor cursor;
	struct frame_out out;
	uint32_t bad = 0;
	uint8_t *p;

	for (uint32_t i = 0; i < n; i++) {
		if (!vset_host_len(sets[i], &total)) {
			total.sets += VSET_HEAD;
			bad++;
		}
	}
	record_out_begin(&out, b);
	p = put_head(&out, version, stamp, n, total.sets + total.blocks);
	if (p != NULL) {
		vset_cursor_begin(&cursor, p, first_position(version), (size_t)total.sets);
		put_sets(&cursor, sets, n, bad);
	}
	return record_out_end(&out);
}

int result_record_copy(struct buffer *b, int version, const struct timespec *stamp,
		       const struct result_view *view)
{
	size_t len = (size_t)(view->end - view->sets);
	size_t at = first_position(version);
	struct frame_out out;
	uint8_t *p;

	record_out_begin(&out, b);
	p = put_head(&out, version, stamp, view->numpmid, len);
	if (p != NULL)
		memcpy(p, view->sets, len);
	if (p != NULL && at != view->at) /* unsigned arithmetic: it may become less */
		vset_shift_positions(p, view->numpmid, (uint32_t)(at / 4) - view->at / 4);
	return record_out_end(&out);
}

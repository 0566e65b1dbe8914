#include "tools/archive/meta_walk.h"

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libdisk/log_label.h"
#include "libdisk/record.h"
#include "libstore/member.h"

enum { TYPE_AT = 4, TYPE_END = 8 }; /* of a record's type word */

void meta_walk_begin(struct meta_walk *w, struct member *member, int version)
{
	*w = (struct meta_walk){.member = member, .offset = log_label_len(version)};
}

void meta_walk_end(struct meta_walk *w)
{
	arena_done(&w->mem);
}

/* The bytes of the record at an offset: 1; 0 if they are not all there; PM_ERR_LOGREC. */
static int find_record(struct meta_walk *w, uint64_t offset, const uint8_t **ret_p, size_t *ret_len)
{
	size_t want = TYPE_END, left, len;
	const uint8_t *p;
	int sts;

	for (;;) {
		p = member_at(w->member, offset, want, &left);
		if (p == NULL)
			return 0;
		sts = record_frame(p, left, &len);
		if (sts != 0)
			break;
		if (len <= want)
			return 0;
		want = len;
	}
	if (sts < 0)
		return sts;
	*ret_p = p;
	*ret_len = len;
	return 1;
}

int meta_walk_next(struct meta_walk *w, unsigned int wanted, enum meta_type *ret_type,
		   union meta_body *ret_body)
{
	const uint8_t *p;
	uint32_t type;
	size_t len;
	int sts;

	for (;;) {
		sts = find_record(w, w->offset, &p, &len);
		if (sts <= 0)
			return sts;
		w->at = w->offset;
		w->offset += len;
		type = len >= TYPE_END + 4 ? load_be32(p + TYPE_AT) : 0;
		if (type <= META_LAST && (wanted & 1u << type) == 0)
			continue;
		arena_reset(&w->mem);
		sts = meta_decode(p, len, &w->mem, ret_type, ret_body);
		return sts < 0 ? sts : 1;
	}
}

int meta_walk_at(struct meta_walk *w, uint64_t offset, enum meta_type *ret_type,
		 union meta_body *ret_body)
{
	const uint8_t *p;
	size_t len;
	int sts = find_record(w, offset, &p, &len);

	if (sts <= 0)
		return sts < 0 ? sts : PM_ERR_LOGREC;
	arena_reset(&w->mem);
	return meta_decode(p, len, &w->mem, ret_type, ret_body);
}

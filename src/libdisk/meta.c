/* meta - see meta.h: whole records; what is inside is the business of the table's rows. */
#include "libdisk/meta.h"

#include <errno.h>
#include <string.h>

#include "libdisk/meta_in.h"
#include "libdisk/meta_kind.h"
#include "libdisk/record.h"

enum { META_HEAD = 8, META_TAIL = 4 };

/* clang-format off */
#define BOTH (META_IN_V2 | META_IN_V3)
#define ROW(type, versions, stamp, min_len, noun) \
	[META_##type] = {#type, versions, stamp, min_len, meta_get_##noun, meta_put_##noun}

/* The sections of docs/spec/archive.md with the layouts: 7.1 to 7.4. */
static const struct meta_kind kinds[] = {
	/*  name         held by     stamp    min_len  get and put */
	ROW(DESC,        BOTH,       0,            36, desc),
	ROW(INDOM_V2,    META_IN_V2, DISK_V2,      28, indom),
	ROW(LABEL_V2,    META_IN_V2, DISK_V2,      32, label),
	ROW(TEXT,        BOTH,       0,            21, text),
	ROW(INDOM,       META_IN_V3, DISK_V3,      32, indom),
	ROW(INDOM_DELTA, META_IN_V3, DISK_V3,      32, indom_delta),
	ROW(LABEL,       META_IN_V3, DISK_V3,      36, label),
};
/* clang-format on */

const struct meta_kind *meta_kind(uint32_t type)
{
	return type <= META_LAST && kinds[type].name != NULL ? &kinds[type] : NULL;
}

const char *meta_name(uint32_t type)
{
	const struct meta_kind *kind = meta_kind(type);

	return kind != NULL ? kind->name : NULL;
}

bool meta_type_in_version(uint32_t type, int version)
{
	const struct meta_kind *kind = meta_kind(type);

	return kind != NULL && (kind->versions & 1u << version) != 0;
}

int meta_decode(const void *record, size_t len, struct arena *mem, enum meta_type *ret_type,
		union meta_body *ret_body)
{
	struct meta_in in = {.mem = mem};
	const uint8_t *p = record;
	const struct meta_kind *kind;
	union meta_body body;
	uint32_t type;

	if (record_check(record, len) < 0 || len < META_HEAD + META_TAIL)
		return PM_ERR_LOGREC;
	type = load_be32(p + 4);
	kind = meta_kind(type);
	if (kind == NULL)
		return PM_ERR_RECTYPE;
	if (len < kind->min_len)
		return PM_ERR_LOGREC;
	memset(&body, 0, sizeof(body));
	reader_init(&in.r, p + META_HEAD, len - META_HEAD - META_TAIL, PM_ERR_LOGREC);
	kind->get(&in, kind, &body);
	if (in.r.pos != in.r.end)
		reader_fail(&in.r); /* bytes left over are as wrong as bytes missing */
	if (in.r.err != 0)
		return in.r.err;
	*ret_type = (enum meta_type)type;
	*ret_body = body;
	return 0;
}

int meta_encode(struct buffer *b, enum meta_type type, const union meta_body *body)
{
	const struct meta_kind *kind = meta_kind(type);
	struct record_out out;

	if (kind == NULL)
		return -EINVAL;
	record_out_begin(&out, b);
	record_put_u32(&out, type);
	kind->put(&out, kind, body);
	return record_out_end(&out);
}

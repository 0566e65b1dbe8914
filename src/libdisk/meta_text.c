/* meta_text - TEXT: help texts of metrics and instance domains (docs/spec/archive.md 7.4). */
#include <string.h>

#include "libdisk/meta.h"
#include "libdisk/meta_in.h"
#include "libdisk/meta_kind.h"
#include "libdisk/record.h"

static bool type_valid(int32_t type)
{
	return (type & (PM_TEXT_ONELINE | PM_TEXT_HELP)) != 0 &&
	       (type & (PM_TEXT_PMID | PM_TEXT_INDOM)) != 0;
}

void meta_get_text(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	struct meta_text *text = &body->text;
	size_t len;

	text->type = get_i32(&in->r);
	text->ident = get_u32(&in->r);
	len = reader_left(&in->r);
	text->text.s = get_bytes(&in->r, len);
	if (text->text.s == NULL || len == 0 || text->text.s[len - 1] != '\0' ||
	    !type_valid(text->type)) {
		reader_fail(&in->r);
		return;
	}
	text->text.len = (uint32_t)len - 1;
}

void meta_put_text(struct record_out *out, const struct meta_kind *kind,
		   const union meta_body *body)
{
	const struct meta_text *text = &body->text;

	if (!type_valid(text->type))
		record_out_fail(out, -EINVAL);
	record_put_u32(out, (uint32_t)text->type);
	record_put_u32(out, text->ident);
	record_put_bytes(out, text->text.s, text->text.len);
	record_put_bytes(out, "", 1);
}

/* meta_desc - DESC: a metric's descriptor and names (docs/spec/archive.md 7.1). */
#include "libdisk/meta.h"
#include "libdisk/meta_in.h"
#include "libdisk/meta_kind.h"
#include "libdisk/record.h"
#include "libvalue/desc.h"

enum { NAME_MIN = 4 }; /* its length word */

void meta_get_desc(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	struct meta_desc *desc = &body->desc;
	const uint8_t *p = get_bytes(&in->r, DESC_LEN);
	struct wire_str *names;

	if (p != NULL)
		desc->desc = desc_load(p);
	desc->numnames = meta_in_count(in, NAME_MIN);
	names = meta_in_alloc(in, desc->numnames, sizeof(*names));
	for (uint32_t i = 0; i < desc->numnames && in->r.err == 0; i++)
		names[i] = meta_in_str(in);
	desc->names = names;
}

void meta_put_desc(struct record_out *out, const struct meta_kind *kind,
		   const union meta_body *body)
{
	const struct meta_desc *desc = &body->desc;
	uint8_t *p = record_out_room(out, DESC_LEN);

	if (p != NULL)
		desc_store(p, &desc->desc);
	record_put_u32(out, desc->numnames);
	for (uint32_t i = 0; i < desc->numnames; i++)
		record_put_str(out, desc->names[i]);
}

/*
 * meta_label - LABEL_V2 and LABEL: what is known about a metric beside its values
 * (docs/spec/archive.md 7.3). Unlike in a PDU a set carries its text itself.
 */
#include "libdisk/meta.h"
#include "libdisk/meta_in.h"
#include "libdisk/meta_kind.h"
#include "libdisk/record.h"
#include "libvalue/label.h"

enum { SET_MIN = 12 }; /* inst, length of the text, number of labels */

static void get_set(struct meta_in *in, struct wire_labelset *set)
{
	set->inst = get_i32(&in->r);
	set->json = meta_in_str(in);
	set->nlabels = get_i32(&in->r);
	if (set->json.len > DISK_LABEL_JSON_MAX || set->nlabels > DISK_LABELS_MAX)
		reader_fail(&in->r);
	set->labels = label_get(&in->r, in->mem, set->nlabels, set->json.len);
}

void meta_get_label(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	struct meta_label *label = &body->label;
	struct wire_labelset *sets;

	label->stamp = meta_in_stamp(in, kind->stamp);
	label->type = get_i32(&in->r);
	label->ident = get_u32(&in->r);
	label->numset = meta_in_count(in, SET_MIN);
	sets = meta_in_alloc(in, label->numset, sizeof(*sets));
	for (uint32_t i = 0; i < label->numset && in->r.err == 0; i++)
		get_set(in, &sets[i]);
	label->sets = sets;
}

static void put_set(struct record_out *out, const struct wire_labelset *set)
{
	uint8_t *p;

	if (set->json.len > DISK_LABEL_JSON_MAX || set->nlabels > DISK_LABELS_MAX ||
	    !label_fits(set)) {
		record_out_fail(out, -EINVAL);
		return;
	}
	record_put_u32(out, (uint32_t)set->inst);
	record_put_str(out, set->json);
	record_put_u32(out, (uint32_t)set->nlabels);
	p = record_out_room(out, label_len(set));
	if (p != NULL)
		label_put(p, set);
}

void meta_put_label(struct record_out *out, const struct meta_kind *kind,
		    const union meta_body *body)
{
	const struct meta_label *label = &body->label;

	record_put_stamp(out, &label->stamp, kind->stamp);
	record_put_u32(out, (uint32_t)label->type);
	record_put_u32(out, label->ident);
	record_put_u32(out, label->numset);
	for (uint32_t i = 0; i < label->numset && out->err == 0; i++)
		put_set(out, &label->sets[i]);
}

/*
 * meta - see meta.h: whole records, and the table of their kinds, a get and a put function for
 * each.
 */
#include "libdisk/meta.h"

#include <errno.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/reader.h"
#include "libdisk/record.h"
#include "libdisk/stamp.h"
#include "libvalue/desc.h"
#include "libvalue/wire_form.h"

/*
 * ---- input ----
 *
 * A metadata record being decoded: a reader, and an arena for the arrays.
 *
 * Sticky like the reader. Every count is held against the bytes that are left before anything is
 * allocated for it.
 */

struct meta_in {
	struct reader r; /* ends before the record's last word */
	struct arena *mem;
};

/* A count of elements that each take at least size bytes of what follows. */
static inline uint32_t meta_in_count(struct meta_in *in, size_t size)
{
	int32_t n = get_i32(&in->r);

	if (n < 0 || (size_t)n > reader_left(&in->r) / size)
		reader_fail(&in->r);
	return in->r.err == 0 ? (uint32_t)n : 0;
}

/* Room for n elements; NULL after any failure. n has passed meta_in_count. */
static inline void *meta_in_alloc(struct meta_in *in, size_t n, size_t size)
{
	void *p;

	if (in->r.err != 0)
		return NULL;
	p = arena_alloc(in->mem, n * size);
	if (p == NULL)
		in->r.err = -ENOMEM;
	return p;
}

static inline struct timespec meta_in_stamp(struct meta_in *in, int version)
{
	const uint8_t *p = get_bytes(&in->r, stamp_len(version));

	return p != NULL ? stamp_load(p, version) : (struct timespec){0, 0};
}

/* A length word and that many bytes. */
static inline struct wire_str meta_in_str(struct meta_in *in)
{
	uint32_t len = get_u32(&in->r);
	const char *s = get_bytes(&in->r, len);

	return s != NULL ? (struct wire_str){s, len} : (struct wire_str){NULL, 0};
}

/* ---- DESC: a metric's descriptor and names (docs/spec/archive.md 7.1) ---- */

enum { NAME_MIN = 4 }; /* its length word */

static void meta_get_desc(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
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

static void meta_put_desc(struct frame_out *out, const struct meta_kind *kind,
			  const union meta_body *body)
{
	const struct meta_desc *desc = &body->desc;
	uint8_t *p = frame_out_room(out, DESC_LEN);

	if (p != NULL)
		desc_store(p, &desc->desc);
	frame_put_u32(out, desc->numnames);
	for (uint32_t i = 0; i < desc->numnames; i++)
		record_put_str(out, desc->names[i]);
}

/*
 * ---- instances ----
 *
 * INDOM_V2, INDOM and INDOM_DELTA: instances (docs/spec/archive.md 7.2).
 *
 *     frame, type | stamp indom n | ids | offsets | name NUL name NUL …
 *
 * Names don't share bytes, so that they are together at most as long as what is there, and reading
 * them takes time that is linear in it. They fill the record: nothing is left over.
 */

enum {
	INST_LEN = 8, /* id and offset */
	DELETED = 0xffffffff,
};

/* The name at an offset of the strings, which are len bytes; false if it isn't whole there. */
static bool get_name(const char *strings, size_t len, uint32_t offset, struct wire_str *ret_name)
{
	const char *nul;

	if (offset >= len)
		return false;
	nul = memchr(strings + offset, '\0', len - offset);
	if (nul == NULL)
		return false;
	ret_name->s = strings + offset;
	ret_name->len = (uint32_t)(nul - ret_name->s);
	return true;
}

static const struct wire_inst *get_insts(struct meta_in *in, uint32_t n, bool delta)
{
	const uint8_t *ids = get_bytes(&in->r, (size_t)n * INST_LEN);
	const uint8_t *offsets = ids + (size_t)n * 4;
	size_t len = reader_left(&in->r), used = 0;
	const char *strings = get_bytes(&in->r, len);
	struct wire_inst *insts = meta_in_alloc(in, n, sizeof(*insts));

	if (insts == NULL)
		return NULL;
	for (uint32_t i = 0; i < n && in->r.err == 0; i++) {
		uint32_t offset = load_be32(offsets + 4 * (size_t)i);

		insts[i] = (struct wire_inst){.inst = (int32_t)load_be32(ids + 4 * (size_t)i)};
		if (insts[i].inst < 0)
			reader_fail(&in->r);
		if (delta && offset == DELETED)
			continue;
		if (!get_name(strings, len, offset, &insts[i].name))
			reader_fail(&in->r);
		used += insts[i].name.len + 1;
		if (used > len)
			reader_fail(&in->r);
	}
	if (used != len)
		reader_fail(&in->r);
	return insts;
}

static void get_indom(struct meta_in *in, const struct meta_kind *kind, union meta_body *body,
		      bool delta)
{
	struct meta_indom *indom = &body->indom;

	indom->stamp = meta_in_stamp(in, kind->stamp);
	indom->indom = get_u32(&in->r);
	indom->numinst = meta_in_count(in, INST_LEN);
	if (in->r.err == 0)
		indom->insts = get_insts(in, indom->numinst, delta);
}

static void meta_get_indom(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	get_indom(in, kind, body, false);
}

static void meta_get_indom_delta(struct meta_in *in, const struct meta_kind *kind,
				 union meta_body *body)
{
	get_indom(in, kind, body, true);
}

/* Bytes of the strings; fails for what a record can't carry. */
static size_t strings_len(struct frame_out *out, const struct meta_indom *indom, bool delta)
{
	size_t len = 0;

	for (uint32_t i = 0; i < indom->numinst && out->err == 0; i++) {
		const struct wire_inst *inst = &indom->insts[i];

		if (inst->inst < 0 || (inst->name.s == NULL && !delta))
			frame_out_fail(out, -EINVAL);
		if (inst->name.s == NULL)
			continue;
		if (inst->name.len > RECORD_MAX - len ||
		    memchr(inst->name.s, '\0', inst->name.len) != NULL)
			frame_out_fail(out, -EINVAL);
		len += (size_t)inst->name.len + 1;
	}
	return len;
}

static void put_insts(uint8_t *p, const struct meta_indom *indom)
{
	uint8_t *offsets = p + (size_t)indom->numinst * 4;
	uint8_t *strings = p + (size_t)indom->numinst * INST_LEN;
	uint8_t *next = strings;

	for (uint32_t i = 0; i < indom->numinst; i++, p += 4, offsets += 4) {
		const struct wire_inst *inst = &indom->insts[i];

		store_be32(p, (uint32_t)inst->inst);
		if (inst->name.s == NULL) {
			store_be32(offsets, DELETED);
			continue;
		}
		store_be32(offsets, (uint32_t)(next - strings));
		memcpy(next, inst->name.s, inst->name.len);
		next[inst->name.len] = '\0';
		next += inst->name.len + 1;
	}
}

static void put_indom(struct frame_out *out, const struct meta_kind *kind,
		      const union meta_body *body, bool delta)
{
	const struct meta_indom *indom = &body->indom;
	size_t len = strings_len(out, indom, delta);
	uint8_t *p;

	if (indom->numinst > RECORD_MAX / INST_LEN)
		frame_out_fail(out, -EINVAL);
	record_put_stamp(out, &indom->stamp, kind->stamp);
	frame_put_u32(out, indom->indom);
	frame_put_u32(out, indom->numinst);
	p = frame_out_room(out, (size_t)indom->numinst * INST_LEN + len);
	if (p != NULL)
		put_insts(p, indom);
}

static void meta_put_indom(struct frame_out *out, const struct meta_kind *kind,
			   const union meta_body *body)
{
	put_indom(out, kind, body, false);
}

static void meta_put_indom_delta(struct frame_out *out, const struct meta_kind *kind,
				 const union meta_body *body)
{
	put_indom(out, kind, body, true);
}

/*
 * ---- labels ----
 *
 * LABEL_V2 and LABEL: what is known about a metric beside its values
 * (docs/spec/archive.md 7.3). Unlike in a PDU a set carries its text itself.
 */

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

static void meta_get_label(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
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

static void put_set(struct frame_out *out, const struct wire_labelset *set)
{
	uint8_t *p;

	if (set->json.len > DISK_LABEL_JSON_MAX || set->nlabels > DISK_LABELS_MAX ||
	    !label_fits(set)) {
		frame_out_fail(out, -EINVAL);
		return;
	}
	frame_put_u32(out, (uint32_t)set->inst);
	record_put_str(out, set->json);
	frame_put_u32(out, (uint32_t)set->nlabels);
	p = frame_out_room(out, label_len(set));
	if (p != NULL)
		label_put(p, set);
}

static void meta_put_label(struct frame_out *out, const struct meta_kind *kind,
			   const union meta_body *body)
{
	const struct meta_label *label = &body->label;

	record_put_stamp(out, &label->stamp, kind->stamp);
	frame_put_u32(out, (uint32_t)label->type);
	frame_put_u32(out, label->ident);
	frame_put_u32(out, label->numset);
	for (uint32_t i = 0; i < label->numset && out->err == 0; i++)
		put_set(out, &label->sets[i]);
}

/* ---- TEXT: help texts of metrics and instance domains (docs/spec/archive.md 7.4) ---- */

static bool type_valid(int32_t type)
{
	return (type & (PM_TEXT_ONELINE | PM_TEXT_HELP)) != 0 &&
	       (type & (PM_TEXT_PMID | PM_TEXT_INDOM)) != 0;
}

static void meta_get_text(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
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

static void meta_put_text(struct frame_out *out, const struct meta_kind *kind,
			  const union meta_body *body)
{
	const struct meta_text *text = &body->text;

	if (!type_valid(text->type))
		frame_out_fail(out, -EINVAL);
	frame_put_u32(out, (uint32_t)text->type);
	frame_put_u32(out, text->ident);
	frame_put_bytes(out, text->text.s, text->text.len);
	frame_put_bytes(out, "", 1);
}

/* ---- the table, and whole records ---- */

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
	struct frame_out out;

	if (kind == NULL)
		return -EINVAL;
	record_out_begin(&out, b);
	frame_put_u32(&out, type);
	kind->put(&out, kind, body);
	return record_out_end(&out);
}

/* ---- applying a change (meta.h) ---- */

bool indom_sorted(const struct wire_inst *insts, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (insts[i].inst <= insts[i - 1].inst)
			return false;
	}
	return true;
}

static bool same_name(const struct wire_str *a, const struct wire_str *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

enum indom_change indom_compare(const struct wire_inst *old, size_t n_old,
				const struct wire_inst *now, size_t n_new, struct wire_inst *delta,
				size_t *ret_changes)
{
	size_t i = 0, j = 0, n = 0;

	while (i < n_old || j < n_new) {
		if (i < n_old && j < n_new && old[i].inst == now[j].inst) {
			if (!same_name(&old[i++].name, &now[j++].name))
				return INDOM_FULL;
			continue;
		}
		if (n == n_new) /* one more would be more than a full record has */
			return INDOM_FULL;
		if (j == n_new || (i < n_old && old[i].inst < now[j].inst))
			delta[n++] = (struct wire_inst){.inst = old[i++].inst};
		else
			delta[n++] = now[j++];
	}
	*ret_changes = n;
	return n == 0 ? INDOM_SAME : INDOM_CHANGES;
}

int indom_apply(const struct wire_inst *old, size_t n_old, const struct wire_inst *delta,
		size_t n_delta, struct wire_inst *now, size_t *ret_n)
{
	size_t i = 0, n = 0;

	if (!indom_sorted(old, n_old) || !indom_sorted(delta, n_delta))
		return PM_ERR_LOGREC;
	for (size_t j = 0; j < n_delta; j++) {
		bool there;

		while (i < n_old && old[i].inst < delta[j].inst)
			now[n++] = old[i++];
		there = i < n_old && old[i].inst == delta[j].inst;
		if (there)
			i++;
		if (delta[j].name.s != NULL)
			now[n++] = delta[j];
		else if (!there)
			return PM_ERR_LOGREC;
	}
	while (i < n_old)
		now[n++] = old[i++];
	*ret_n = n;
	return 0;
}

/*
 * meta_indom - INDOM_V2, INDOM and INDOM_DELTA: instances (docs/spec/archive.md 7.2).
 *
 *     frame, type | stamp indom n | ids | offsets | name NUL name NUL …
 *
 * Names don't share bytes, so that they are together at most as long as what is there, and reading
 * them takes time that is linear in it. They fill the record: nothing is left over.
 */
#include <string.h>

#include "libdisk/meta.h"
#include "libdisk/meta_in.h"
#include "libdisk/meta_kind.h"
#include "libdisk/record.h"

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

void meta_get_indom(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	get_indom(in, kind, body, false);
}

void meta_get_indom_delta(struct meta_in *in, const struct meta_kind *kind, union meta_body *body)
{
	get_indom(in, kind, body, true);
}

/* Bytes of the strings; fails for what a record can't carry. */
static size_t strings_len(struct record_out *out, const struct meta_indom *indom, bool delta)
{
	size_t len = 0;

	for (uint32_t i = 0; i < indom->numinst && out->err == 0; i++) {
		const struct wire_inst *inst = &indom->insts[i];

		if (inst->inst < 0 || (inst->name.s == NULL && !delta))
			record_out_fail(out, -EINVAL);
		if (inst->name.s == NULL)
			continue;
		if (inst->name.len > RECORD_MAX - len ||
		    memchr(inst->name.s, '\0', inst->name.len) != NULL)
			record_out_fail(out, -EINVAL);
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

static void put_indom(struct record_out *out, const struct meta_kind *kind,
		      const union meta_body *body, bool delta)
{
	const struct meta_indom *indom = &body->indom;
	size_t len = strings_len(out, indom, delta);
	uint8_t *p;

	if (indom->numinst > RECORD_MAX / INST_LEN)
		record_out_fail(out, -EINVAL);
	record_put_stamp(out, &indom->stamp, kind->stamp);
	record_put_u32(out, indom->indom);
	record_put_u32(out, indom->numinst);
	p = record_out_room(out, (size_t)indom->numinst * INST_LEN + len);
	if (p != NULL)
		put_insts(p, indom);
}

void meta_put_indom(struct record_out *out, const struct meta_kind *kind,
		    const union meta_body *body)
{
	put_indom(out, kind, body, false);
}

void meta_put_indom_delta(struct record_out *out, const struct meta_kind *kind,
			  const union meta_body *body)
{
	put_indom(out, kind, body, true);
}

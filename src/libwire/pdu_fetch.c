/* pdu_fetch - PDUs of a fetch: which values are wanted, and the values. */
#include "libvalue/value_block.h"
#include "libvalue/vset.h"
#include "libwire/pdu_inner.h"

/* ---- PROFILE, FETCH and HIGHRES_FETCH: the values that are wanted ---- */

enum {
	PROFILE_ENTRY_LEN = 16,
	INST_LEN = 4,
};

/* The entries, without their lists; the number of instances in all lists. */
static size_t get_profile_entries(struct pdu_in *in, pmInDomProfile *entries, uint32_t n)
{
	size_t total = 0;

	for (uint32_t i = 0; i < n; i++) {
		pmInDomProfile *entry = &entries[i];

		entry->indom = get_u32(&in->r);
		entry->state = get_i32(&in->r);
		entry->instances_len = (int)pdu_in_count(in, 0, INST_LEN);
		entry->instances = NULL;
		get_u32(&in->r);
		total += (size_t)entry->instances_len;
	}
	if (total > reader_left(&in->r) / INST_LEN)
		reader_fail(&in->r);
	return total;
}

void pdu_get_profile(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_profile *out = &body->profile;
	pmInDomProfile *entries;
	size_t total;
	uint32_t n;
	int *insts;

	out->slot = get_i32(&in->r);
	if (out->slot < 0)
		reader_fail(&in->r);
	out->profile.state = get_i32(&in->r);
	n = get_u32(&in->r);
	get_u32(&in->r);
	if (n > reader_left(&in->r) / PROFILE_ENTRY_LEN)
		reader_fail(&in->r);
	entries = pdu_in_alloc(in, n, sizeof(*entries));
	if (entries == NULL)
		return;
	total = get_profile_entries(in, entries, n);
	insts = (int *)pdu_in_words(in, (uint32_t)total);
	if (insts == NULL)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (entries[i].instances_len > 0)
			entries[i].instances = insts;
		insts += entries[i].instances_len;
	}
	out->profile.profile_len = (int)n;
	out->profile.profile = entries;
}

void pdu_put_profile(struct frame_out *out, const union pdu_body *body)
{
	const pmProfile *profile = &body->profile.profile;

	if (body->profile.slot < 0 || profile->profile_len < 0) {
		frame_out_fail(out, -EINVAL);
		return;
	}
	put_i32(out, body->profile.slot);
	put_i32(out, profile->state);
	put_i32(out, profile->profile_len);
	frame_put_u32(out, 0);
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		if (entry->instances_len < 0)
			frame_out_fail(out, -EINVAL);
		frame_put_u32(out, entry->indom);
		put_i32(out, entry->state);
		put_i32(out, entry->instances_len);
		frame_put_u32(out, 0);
	}
	for (int i = 0; i < profile->profile_len && out->err == 0; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		put_words(out, (const uint32_t *)entry->instances, (size_t)entry->instances_len);
	}
}

void pdu_get_fetch(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_fetch *fetch = &body->fetch;

	fetch->slot = get_i32(&in->r);
	get_u64(&in->r); /* old clients send a time here */
	fetch->numpmid = pdu_in_count(in, 1, sizeof(pmID));
	fetch->pmids = pdu_in_words(in, fetch->numpmid);
}

void pdu_put_fetch(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_fetch *fetch = &body->fetch;

	if (fetch->numpmid == 0)
		frame_out_fail(out, -EINVAL);
	put_i32(out, fetch->slot);
	put_u64(out, 0);
	frame_put_u32(out, fetch->numpmid);
	put_words(out, fetch->pmids, fetch->numpmid);
}

/*
 * ---- value sets ----
 *
 * Reading takes two passes, since the length of a set is known only when it is reached. The first
 * finds the end of the sets and the number of values, for which memory is then taken once. The
 * second can rely on whole sets, and checks their references to blocks.
 */

/* Blocks are checked one by one, and all together by rules 4 and 5 of docs/spec/pdu.md 5.2. */
struct blocks {
	const uint8_t *pdu;
	size_t len;    /* of the PDU */
	size_t lowest; /* offset of the first one; SIZE_MAX: there is none */
	size_t total;  /* bytes of all, padding included */
};

/* Finds the end of the sets, which it returns, and their values; NULL if the sets aren't whole. */
static const uint8_t *vset_measure(const struct reader *r, uint32_t numpmid, size_t *ret_values)
{
	const uint8_t *p = r->pos;
	size_t values = 0;

	for (uint32_t i = 0; i < numpmid; i++) {
		int32_t numval;
		size_t len = vset_whole(p, (size_t)(r->end - p), &numval);

		if (len == 0)
			return NULL;
		p += len;
		if (numval > 0)
			values += (size_t)numval;
	}
	*ret_values = values;
	return p;
}

static void get_insitu(const uint8_t *p, struct wire_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		values[i].inst = (int32_t)load_be32(p);
		values[i].block_len = 0;
		values[i].insitu = load_be32(p + 4);
	}
}

/* False if a block is not inside the PDU. */
static bool get_blocks(struct blocks *blocks, const uint8_t *p, struct wire_value *values, size_t n)
{
	size_t last_word = blocks->len / 4 - 1;
	size_t lowest = blocks->lowest;
	size_t total = blocks->total;

	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		size_t at_word = load_be32(p + 4);
		size_t at = at_word * 4;
		uint32_t vlen;

		if (at_word > last_word)
			return false;
		vlen = load_be32(blocks->pdu + at) & VALUE_BLOCK_MAX;
		if (vlen < VALUE_BLOCK_HEADER || vlen > blocks->len - at)
			return false;
		values[i].inst = (int32_t)load_be32(p);
		values[i].block_len = vlen;
		values[i].block = blocks->pdu + at;
		lowest = at < lowest ? at : lowest;
		total += pad4(vlen);
	}
	blocks->lowest = lowest;
	blocks->total = total;
	return true;
}

/* The values of a set that has some, by its valfmt; false for one that can't be. */
static bool get_values(struct blocks *blocks, const uint8_t *p, struct wire_vset *set,
		       struct wire_value *values)
{
	int32_t valfmt = (int32_t)load_be32(p + VSET_HEAD);

	p += VSET_HEAD_VALUES;
	set->values = values;
	if (valfmt == PM_VAL_INSITU) {
		get_insitu(p, values, (size_t)set->numval);
		return true;
	}
	if (valfmt != PM_VAL_DPTR && valfmt != PM_VAL_SPTR)
		return false;
	set->valfmt = valfmt; /* the two differ only in the owner of a process's memory */
	return get_blocks(blocks, p, values, (size_t)set->numval);
}

/* All sets, which are whole. */
static bool get_sets(struct blocks *blocks, const uint8_t *p, struct wire_vset *sets,
		     uint32_t numpmid, struct wire_value *values)
{
	for (uint32_t i = 0; i < numpmid; i++) {
		struct wire_vset *set = &sets[i];

		set->pmid = load_be32(p);
		set->numval = (int32_t)load_be32(p + 4);
		set->valfmt = PM_VAL_INSITU;
		set->values = NULL;
		if (set->numval <= 0) {
			p += VSET_HEAD;
			continue;
		}
		if (!get_values(blocks, p, set, values))
			return false;
		p += VSET_HEAD_VALUES + (size_t)set->numval * VSET_VALUE_LEN;
		values += set->numval;
	}
	return true;
}

/*
 * Reads numpmid sets and the blocks after them, to the end of the PDU. The blocks fill the rest
 * exactly. NULL after a failure.
 */
static const struct wire_vset *vset_get_all(struct pdu_in *in, uint32_t numpmid)
{
	struct blocks blocks = {in->pdu, in->len, SIZE_MAX, 0};
	struct wire_value *values;
	struct wire_vset *sets;
	const uint8_t *sets_end;
	size_t numvalues = 0;

	if (in->r.err != 0)
		return NULL;
	sets_end = vset_measure(&in->r, numpmid, &numvalues);
	if (sets_end == NULL)
		reader_fail(&in->r);
	sets = pdu_in_alloc(in, numpmid, sizeof(*sets));
	values = pdu_in_alloc(in, numvalues, sizeof(*values));
	if (values == NULL)
		return NULL;
	if (!get_sets(&blocks, in->r.pos, sets, numpmid, values))
		reader_fail(&in->r);
	in->r.pos = sets_end;
	if (blocks.total > 0 && blocks.lowest != pdu_in_offset(in))
		reader_fail(&in->r);
	get_bytes(&in->r, blocks.total);
	return sets;
}

bool vset_cursor_init(struct vset_cursor *c, struct frame_out *out, const struct vset_len *total)
{
	size_t before = out->len;
	uint8_t *p;

	if (total->sets > PDU_PEER_MAX || total->blocks > PDU_PEER_MAX)
		frame_out_fail(out, -EINVAL);
	p = frame_out_room(out, (size_t)(total->sets + total->blocks));
	if (p == NULL)
		return false;
	vset_cursor_begin(c, p, before, (size_t)total->sets);
	return true;
}

/* ---- RESULT and HIGHRES_RESULT: the values ---- */

void pdu_get_result(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_result *result = &body->result;

	result->sec = get_i32(&in->r);
	result->frac = get_i32(&in->r);
	result->numpmid = pdu_in_count(in, 0, VSET_HEAD);
	result->vsets = vset_get_all(in, result->numpmid);
}

void pdu_get_highres_result(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_result *result = &body->result;

	result->numpmid = get_u32(&in->r);
	result->sec = get_i64(&in->r);
	result->frac = get_i64(&in->r);
	if (result->numpmid > reader_left(&in->r) / VSET_HEAD)
		reader_fail(&in->r);
	result->vsets = vset_get_all(in, result->numpmid);
}

static void put_vsets(struct frame_out *out, const struct pdu_result *result)
{
	struct vset_len total = {0, 0};
	struct vset_cursor cursor;

	for (uint32_t i = 0; i < result->numpmid && total.sets <= PDU_PEER_MAX; i++) {
		if (!vset_wire_len(&result->vsets[i], &total))
			frame_out_fail(out, -EINVAL);
	}
	if (!vset_cursor_init(&cursor, out, &total))
		return;
	for (uint32_t i = 0; i < result->numpmid; i++)
		vset_wire_put(&cursor, result->vsets[i].pmid, &result->vsets[i]);
}

void pdu_put_result(struct frame_out *out, const union pdu_body *body)
{
	put_low32(out, body->result.sec);
	put_low32(out, body->result.frac);
	frame_put_u32(out, body->result.numpmid);
	put_vsets(out, &body->result);
}

void pdu_put_highres_result(struct frame_out *out, const union pdu_body *body)
{
	frame_put_u32(out, body->result.numpmid);
	put_i64(out, body->result.sec);
	put_i64(out, body->result.frac);
	put_vsets(out, &body->result);
}

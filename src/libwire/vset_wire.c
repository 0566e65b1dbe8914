/* vset_wire - see vset.h: sets in wire form, from a PDU and into one. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_out.h"
#include "libwire/vset.h"

/* What the blocks of a result come to, for the rules 4 and 5 of docs/spec/pdu.md 5.2. */
struct block_sum {
	size_t lowest; /* offset of the first one; SIZE_MAX: there is none */
	size_t total;  /* bytes, padding included */
};

/* Values in all sets, which are whole but not consumed: the array for them is taken once. */
static size_t count_values(struct pdu_in *in, uint32_t numpmid)
{
	struct reader r = in->r;
	size_t total = 0;

	for (uint32_t i = 0; i < numpmid && r.err == 0; i++) {
		int32_t numval;

		get_u32(&r);
		numval = get_i32(&r);
		if (numval <= 0)
			continue;
		get_u32(&r);
		get_bytes(&r, (size_t)numval * VSET_VALUE_LEN);
		total += (size_t)numval;
	}
	in->r.err = r.err;
	return total;
}

static void get_insitu(const uint8_t *p, struct wire_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		values[i].inst = (int32_t)load_be32(p);
		values[i].block_len = 0;
		values[i].insitu = load_be32(p + 4);
	}
}

static void get_blocks(struct pdu_in *in, const uint8_t *p, struct wire_value *values, size_t n,
		       struct block_sum *sum)
{
	uint32_t last_word = (uint32_t)(in->len / 4 - 1);
	size_t lowest = sum->lowest;
	size_t total = sum->total;

	for (size_t i = 0; i < n; i++, p += VSET_VALUE_LEN) {
		uint32_t at_word = load_be32(p + 4);
		size_t at = (size_t)at_word * 4;
		uint32_t vlen;

		if (at_word > last_word)
			break;
		vlen = load_be32(in->pdu + at) & VALUE_BLOCK_MAX;
		if (vlen < VALUE_BLOCK_HEADER || vlen > in->len - at)
			break;
		values[i].inst = (int32_t)load_be32(p);
		values[i].block_len = vlen;
		values[i].block = in->pdu + at;
		lowest = at < lowest ? at : lowest;
		total += pdu_pad4(vlen);
		if (i + 1 == n) {
			sum->lowest = lowest;
			sum->total = total;
			return;
		}
	}
	reader_fail(&in->r);
}

/* One set, its values into the next of the array; how many there were. */
static size_t get_vset(struct pdu_in *in, struct wire_vset *set, struct wire_value *values,
		       struct block_sum *sum)
{
	const uint8_t *p;
	size_t n;

	set->pmid = get_u32(&in->r);
	set->numval = get_i32(&in->r);
	set->valfmt = PM_VAL_INSITU;
	set->values = NULL;
	if (set->numval <= 0)
		return 0;
	n = (size_t)set->numval;
	set->valfmt = get_i32(&in->r);
	p = get_bytes(&in->r, n * VSET_VALUE_LEN);
	if (p == NULL)
		return 0;
	set->values = values;
	if (set->valfmt == PM_VAL_SPTR)
		set->valfmt = PM_VAL_DPTR; /* they differ in who owns the memory of a process */
	if (set->valfmt == PM_VAL_INSITU)
		get_insitu(p, values, n);
	else if (set->valfmt == PM_VAL_DPTR)
		get_blocks(in, p, values, n, sum);
	else
		reader_fail(&in->r);
	return n;
}

const struct wire_vset *vset_get_all(struct pdu_in *in, uint32_t numpmid)
{
	struct block_sum sum = {SIZE_MAX, 0};
	size_t numvalues = count_values(in, numpmid);
	struct wire_vset *sets = pdu_in_alloc(in, numpmid, sizeof(*sets));
	struct wire_value *values = pdu_in_alloc(in, numvalues, sizeof(*values));

	for (uint32_t i = 0; i < numpmid && in->r.err == 0; i++)
		values += get_vset(in, &sets[i], values, &sum);
	if (sum.total > 0 && sum.lowest != pdu_in_offset(in))
		reader_fail(&in->r);
	get_bytes(&in->r, sum.total);
	return sets;
}

bool vset_cursor_init(struct vset_cursor *c, struct pdu_out *out, const struct vset_len *total)
{
	size_t before = out->len;
	uint8_t *p;

	if (total->sets > PDU_PEER_MAX || total->blocks > PDU_PEER_MAX)
		pdu_out_fail(out, -EINVAL);
	p = pdu_out_room(out, (size_t)(total->sets + total->blocks));
	if (p == NULL)
		return false;
	c->pdu = p - before;
	c->set = p;
	c->block = p + total->sets;
	return true;
}

void vset_put_error(struct vset_cursor *c, pmID pmid, int32_t code)
{
	store_be32(c->set, pmid);
	store_be32(c->set + 4, (uint32_t)code);
	c->set += VSET_HEAD;
}

bool vset_wire_len(const struct wire_vset *set, struct vset_len *total)
{
	uint64_t blocks = 0;
	uint32_t bad = 0;

	if (set->numval <= 0) {
		total->sets += VSET_HEAD;
		return true;
	}
	if (set->valfmt != PM_VAL_INSITU) {
		if (set->valfmt != PM_VAL_DPTR && set->valfmt != PM_VAL_SPTR)
			return false;
		for (int32_t i = 0; i < set->numval; i++) {
			uint32_t len = set->values[i].block_len;

			bad |= len - VALUE_BLOCK_HEADER > VALUE_BLOCK_MAX - VALUE_BLOCK_HEADER;
			blocks += pdu_pad4(len);
		}
	}
	if (bad)
		return false;
	total->sets += VSET_HEAD_VALUES + (uint64_t)set->numval * VSET_VALUE_LEN;
	total->blocks += blocks;
	return true;
}

/* The padding of n blocks that were copied to dst as one piece. */
static void put_block_padding(uint8_t *dst, const struct wire_value *values, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		size_t len = values[i].block_len;

		memset(dst + len, PDU_PAD_BYTE, -len & 3);
		dst += pdu_pad4(len);
	}
}

/*
 * Writes the values at the front whose blocks lie one behind the other where they come from, which
 * in a decoded PDU is all of them: their blocks are one copy. Returns how many they were.
 */
static int32_t put_run(struct vset_cursor *c, const struct wire_value *values, int32_t n)
{
	uint32_t at_word = (uint32_t)((c->block - c->pdu) / 4);
	const uint8_t *src = values[0].block;
	const uint8_t *next = src;
	uint32_t lengths = 0;
	int32_t i = 0;
	size_t len;

	do {
		len = values[i].block_len;
		store_be64(c->set, vset_value_word(values[i].inst, at_word));
		c->set += VSET_VALUE_LEN;
		at_word += (uint32_t)(pdu_pad4(len) / 4);
		next += pdu_pad4(len);
		lengths |= (uint32_t)len;
		i++;
	} while (i < n && values[i].block == next);
	memcpy(c->block, src, (size_t)(next - src) - (-len & 3));
	if (lengths & 3)
		put_block_padding(c->block, values, i);
	c->block += next - src;
	return i;
}

void vset_wire_put(struct vset_cursor *c, pmID pmid, const struct wire_vset *set)
{
	const struct wire_value *values = set->values;

	if (set->numval <= 0) {
		vset_put_error(c, pmid, set->numval);
		return;
	}
	store_be32(c->set, pmid);
	store_be32(c->set + 4, (uint32_t)set->numval);
	store_be32(c->set + 8, set->valfmt == PM_VAL_INSITU ? PM_VAL_INSITU : PM_VAL_DPTR);
	c->set += VSET_HEAD_VALUES;
	if (set->valfmt == PM_VAL_INSITU) {
		for (int32_t i = 0; i < set->numval; i++, c->set += VSET_VALUE_LEN)
			store_be64(c->set, vset_value_word(values[i].inst, values[i].insitu));
		return;
	}
	for (int32_t i = 0; i < set->numval;)
		i += put_run(c, values + i, set->numval - i);
}

/*
 * archive_sieve - a few metrics of a long record, without the rest of it.
 *
 * Interpolation reads a value or two of many records. The heads of sets are walked as those of
 * records are, by short reads that bypass the window, and the wanted values are assembled as a
 * small record. A set that is larger than usual, or malformed, is left to the reader of the whole
 * record.
 */
#include <string.h>

#include "libdisk/stamp.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

enum {
	SIEVE_LEN = 16 << 10, /* of the shortest record that is not read whole */
	RECORD_SHIFT = 8,     /* positions of blocks count from so far before a record */
	VIEW_AT = 32,
};

struct sieve {
	struct archive *a;
	struct member *m;
	size_t v;
	uint64_t start; /* of the record */
	uint64_t sets;  /* where they begin */
	uint64_t end;   /* of what may be read: before the last word */
	size_t len;     /* of the sets taken */
	uint32_t nsets, nblocks;
	uint32_t taken; /* bits: which metrics */
};

/* want bytes of the record, NULL if they are not to be had. */
static const uint8_t *sieve_look(const struct sieve *s, uint64_t offset, size_t want)
{
	int r;

	if (offset < s->sets || offset > s->end || want > s->end - offset)
		return NULL;
	return archive_heads_at(s->a, s->m, (struct archive_spot){s->v, offset}, want, &r);
}

/* Copies the block that a value refers to, and lets the value refer to the copy. */
static bool take_block(struct sieve *s, uint8_t *value)
{
	uint64_t offset = s->start - RECORD_SHIFT + (uint64_t)load_be32(value + 4) * 4;
	size_t at = ARCHIVE_SIEVE_SETS + (size_t)s->nblocks * ARCHIVE_SIEVE_BLOCK;
	const uint8_t *p = sieve_look(s, offset, VALUE_BLOCK_HEADER);
	uint32_t len;

	if (p == NULL)
		return false;
	len = load_be32(p) & VALUE_BLOCK_MAX;
	if (len < VALUE_BLOCK_HEADER || len > ARCHIVE_SIEVE_BLOCK)
		return false;
	p = sieve_look(s, offset, len);
	if (p == NULL)
		return false;
	memcpy(s->a->sieve.bytes + at, p, len);
	store_be32(value + 4, (uint32_t)(VIEW_AT + at) / 4);
	s->nblocks++;
	return true;
}

/* Copies a set and its blocks. */
static bool take_set(struct sieve *s, uint64_t offset, int32_t numval)
{
	uint8_t *set = s->a->sieve.bytes + s->len;
	size_t len = numval > 0 ? VSET_HEAD_VALUES + (size_t)numval * VSET_VALUE_LEN : VSET_HEAD;
	const uint8_t *p = numval <= ARCHIVE_SIEVE_VALUES ? sieve_look(s, offset, len) : NULL;

	if (p == NULL)
		return false;
	memcpy(set, p, len);
	s->len += len;
	s->nsets++;
	if (numval <= 0 || load_be32(set + VSET_HEAD) == PM_VAL_INSITU)
		return true;
	for (int32_t i = 0; i < numval; i++) {
		if (!take_block(s, set + VSET_HEAD_VALUES + (size_t)i * VSET_VALUE_LEN))
			return false;
	}
	return true;
}

/* Takes the set at an offset if it is the first one of a metric that is wanted. */
static bool see_set(struct sieve *s, uint64_t offset, pmID pmid, int32_t numval)
{
	for (size_t i = 0; i < s->a->sieve.n; i++) {
		if (s->a->sieve.pmids[i] != pmid || (s->taken & 1u << i) != 0)
			continue;
		s->taken |= 1u << i;
		return take_set(s, offset, numval);
	}
	return true;
}

/* Walks over the sets of a record. False if it has to be read whole. */
static bool walk(struct sieve *s, uint32_t numpmid)
{
	uint64_t offset = s->sets;

	for (uint32_t i = 0; i < numpmid && s->nsets < s->a->sieve.n; i++) {
		const uint8_t *p = sieve_look(s, offset, VSET_HEAD);
		uint64_t at = offset;
		int32_t numval;
		pmID pmid;

		if (p == NULL)
			return false;
		pmid = load_be32(p);
		numval = (int32_t)load_be32(p + 4);
		if (numval > 0)
			p = sieve_look(s, offset, VSET_HEAD_VALUES);
		if (p == NULL || (numval > 0 && load_be32(p + VSET_HEAD) > PM_VAL_SPTR))
			return false;
		offset +=
		    numval > 0 ? VSET_HEAD_VALUES + (uint64_t)numval * VSET_VALUE_LEN : VSET_HEAD;
		if (offset > s->end || !see_set(s, at, pmid, numval))
			return false;
	}
	return true;
}

/* A record without any of the metrics must not look like a mark: it gets a set without values. */
static void add_nothing(struct sieve *s)
{
	store_be32(s->a->sieve.bytes, PM_ID_NULL);
	store_be32(s->a->sieve.bytes + 4, 0);
	s->len = VSET_HEAD;
	s->nsets = 1;
}

/* A record of len bytes. 1; 0 if it has to be read whole. */
static int sieve(struct archive *a, struct member *m, struct archive_spot at, uint32_t len,
		 struct archive_bytes *ret_bytes, struct result_view *ret_view)
{
	size_t head_len = 2 * sizeof(uint32_t) + stamp_len(a->label.version);
	struct sieve s = {.a = a, .m = m, .v = at.v, .start = at.offset};
	struct archive_head head;
	const uint8_t *p;
	uint32_t word;
	int r;

	if (len < SIEVE_LEN || len > RECORD_MAX || member_holds(m, at.offset, len) ||
	    archive_head_in(a, at, &head) <= 0 || head.place.end != at.offset + len ||
	    member_u32(m, head.place.end - sizeof(word), &word) <= 0 || word != len)
		return 0;
	p = archive_heads_at(a, m, at, head_len, &r);
	if (p == NULL)
		return 0;
	s.sets = at.offset + head_len;
	s.end = head.place.end - sizeof(word);
	if (!walk(&s, load_be32(p + head_len - sizeof(word))))
		return 0;
	if (s.nsets == 0)
		add_nothing(&s);
	*ret_bytes = (struct archive_bytes){NULL, len};
	*ret_view = (struct result_view){
	    .stamp = head.stamp,
	    .numpmid = s.nsets,
	    .at = VIEW_AT,
	    .sets = a->sieve.bytes,
	    .end = a->sieve.bytes + sizeof(a->sieve.bytes),
	};
	return 1;
}

int archive_sieve_next(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
		       struct result_view *ret_view)
{
	struct member *m;
	uint32_t len;

	if (a->sieve.n == 0 || archive_volume_get(a, at.v, &m) <= 0 ||
	    member_u32(m, at.offset, &len) <= 0)
		return 0;
	return sieve(a, m, at, len, ret_bytes, ret_view);
}

int archive_sieve_prev(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
		       struct result_view *ret_view)
{
	struct member *m;
	uint32_t len;

	if (a->sieve.n == 0 || archive_volume_get(a, at.v, &m) <= 0 ||
	    at.offset < a->label_len + sizeof(len) ||
	    member_u32(m, at.offset - sizeof(len), &len) <= 0 || len > at.offset - a->label_len)
		return 0;
	at.offset -= len;
	return sieve(a, m, at, len, ret_bytes, ret_view);
}

void archive_wish(struct archive *a, const pmID *pmids, size_t n)
{
	a->sieve.pmids = pmids;
	a->sieve.n = n <= ARCHIVE_WISH_MAX ? n : 0;
}

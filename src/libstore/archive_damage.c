/*
 * archive_damage - reading on after damage.
 *
 * The next record is searched for byte by byte: a candidate must have the same length at its end as
 * at its beginning, and be well formed to its last value. Checks are charged against a budget, so
 * that bytes made to look like records cost no more than some passes over the volume.
 */
#include "libdisk/stamp.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

enum {
	BUDGET_PASSES = 8,
	BUDGET_LEAST = 1 << 20,
	BUDGET_READ = 128, /* a look at the other end of what may be a record */
};

struct search {
	struct archive *a;
	struct member *m;
	uint64_t size;
	uint64_t budget;
};

static void charge(struct search *s, uint64_t bytes)
{
	s->budget -= bytes < s->budget ? bytes : s->budget;
}

/* True if a word can be the length of a record of which room bytes are there. */
static bool plausible(const struct archive *a, uint32_t len, uint64_t room)
{
	return len >= stamp_len(a->label.version) + 3 * sizeof(uint32_t) && len <= RECORD_MAX &&
	       len <= room;
}

/* 1 if what begins at an offset and claims a length is a record; 0; or an error. */
static int whole(struct search *s, uint64_t offset, uint32_t len)
{
	struct result_view view;
	const uint8_t *p;
	size_t left;

	charge(s, len);
	p = member_at(s->m, offset, len, &left);
	if (p == NULL)
		return member_error(s->m);
	return result_view_init(&view, s->a->label.version, p, len) == 0 &&
	       result_view_check(&view) == 0;
}

/* True if the word at an offset, the other end of what may be a record, is its length as well. */
static bool framed(struct search *s, uint64_t offset, uint32_t len)
{
	uint8_t word[4];

	charge(s, BUDGET_READ);
	return member_read(s->m, offset, word, sizeof(word)) == sizeof(word) &&
	       load_be32(word) == len;
}

/* 1 if a record begins at an offset; 0; or an error. */
static int begins(struct search *s, uint64_t offset)
{
	size_t left;
	const uint8_t *p = member_at(s->m, offset, sizeof(uint32_t), &left);
	uint32_t len;

	if (p == NULL)
		return member_error(s->m);
	len = load_be32(p);
	if (!plausible(s->a, len, s->size - offset) || !framed(s, offset + len - sizeof(len), len))
		return 0;
	return whole(s, offset, len);
}

/* 1 if a record ends at an offset; 0; or an error. */
static int ends(struct search *s, uint64_t offset)
{
	size_t left;
	const uint8_t *p = member_at(s->m, offset - sizeof(uint32_t), sizeof(uint32_t), &left);
	uint32_t len;

	if (p == NULL)
		return member_error(s->m);
	len = load_be32(p);
	if (!plausible(s->a, len, offset - s->a->label_len) || !framed(s, offset - len, len))
		return 0;
	return whole(s, offset - len, len);
}

static void skipped(struct archive *a, uint64_t bytes)
{
	a->damage.regions++;
	a->damage.bytes += bytes;
}

/* 1; 0 where the volume does not even decompress, and is taken for one that is not there. */
static int search_begin(struct archive *a, size_t v, struct search *s)
{
	int r = archive_volume_get(a, v, &s->m);

	if (r == PM_ERR_LOGREC) {
		skipped(a, 0);
		a->volumes[v].gone = true;
		return 0;
	}
	if (r <= 0)
		return r;
	s->a = a;
	s->size = member_size(s->m);
	if (member_fault(s->m) == PM_ERR_LOGREC)
		a->volumes[v].cut = s->size > 0 ? s->size : 1;
	else if (member_fault(s->m) < 0)
		return member_fault(s->m);
	s->budget = s->size * BUDGET_PASSES + BUDGET_LEAST;
	return 1;
}

int archive_damage_next(struct archive *a, struct archive_spot *spot)
{
	uint64_t offset = spot->offset + 1;
	struct search s;
	int found = 0;
	int r = search_begin(a, spot->v, &s);

	if (r <= 0)
		return r;
	while (offset + RECORD_MIN <= s.size && s.budget > 0) {
		found = begins(&s, offset);
		if (found != 0)
			break;
		offset++;
	}
	if (found < 0)
		return found;
	if (found == 0 && offset < s.size)
		offset = s.size;
	skipped(a, offset - spot->offset);
	spot->offset = offset;
	return 0;
}

int archive_damage_prev(struct archive *a, struct archive_spot *spot)
{
	uint64_t offset = spot->offset - 1;
	struct search s;
	int found = 0;
	int r = search_begin(a, spot->v, &s);

	if (r <= 0)
		return r;
	while (offset >= a->label_len + RECORD_MIN && s.budget > 0) {
		found = ends(&s, offset);
		if (found != 0)
			break;
		offset--;
	}
	if (found < 0)
		return found;
	if (found == 0)
		offset = a->label_len;
	skipped(a, spot->offset - offset);
	spot->offset = offset;
	return 0;
}

/*
 * archive_head - walking from record to record by their heads.
 *
 * Reads bypass the windows, so that the position and the views that were returned do not change:
 * long records cost a read of their head each, short ones share one of a few KB.
 */
#include <errno.h>
#include <string.h>

#include "libdisk/stamp.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

/* How many bytes to read at a spot: many if what was read last, made that long, had them as well. */
static size_t heads_aim(const struct archive *a, struct archive_spot spot)
{
	bool near = spot.v == a->heads.v && spot.offset >= a->heads.offset &&
		    spot.offset - a->heads.offset < ARCHIVE_HEADS;

	return near ? ARCHIVE_HEADS : ARCHIVE_HEAD;
}

const uint8_t *archive_heads_at(struct archive *a, struct member *m, struct archive_spot spot,
				size_t want, int *ret_r)
{
	size_t aim = heads_aim(a, spot);
	int64_t n;

	if (a->heads.v != spot.v || spot.offset < a->heads.offset ||
	    spot.offset - a->heads.offset > a->heads.len ||
	    want > a->heads.len - (size_t)(spot.offset - a->heads.offset)) {
		a->heads.len = 0;
		n = member_read(m, spot.offset, a->heads.bytes, aim);
		*ret_r = n < 0 ? (int)n : 0;
		if (n < 0)
			return NULL;
		a->heads.v = spot.v;
		a->heads.offset = spot.offset;
		a->heads.len = (size_t)n;
		if ((size_t)n < want)
			return NULL;
	}
	return a->heads.bytes + (spot.offset - a->heads.offset);
}

/* True if a record up to end is there, looking again where it was not. */
static bool volume_reaches(struct archive *a, struct member *m, size_t v, uint64_t end)
{
	uint64_t before = a->volumes[v].size;

	if (end <= before)
		return true;
	a->volumes[v].size = member_size_to(m, end);
	if (a->volumes[v].size != before)
		a->heads.len = 0; /* what was at its end may be another record now */
	return end <= a->volumes[v].size;
}

int archive_head_in(struct archive *a, struct archive_spot spot, struct archive_head *ret_head)
{
	size_t stamp = stamp_len(a->label.version);
	size_t want = 2 * sizeof(uint32_t) + stamp;
	uint32_t len, numpmid;
	struct member *m;
	const uint8_t *p;
	int r = archive_volume_get(a, spot.v, &m);

	if (r <= 0)
		return r;
	if (archive_volume_is_cut(a, spot))
		return 0;
	if (!volume_reaches(a, m, spot.v, spot.offset + sizeof(len)))
		return member_fault(m);
	p = archive_heads_at(a, m, spot, want, &r);
	if (p == NULL)
		return r < 0 ? r : PM_ERR_LOGREC;
	len = load_be32(p);
	numpmid = load_be32(p + sizeof(len) + stamp);
	if (len < want + sizeof(len) || len > RECORD_MAX ||
	    numpmid > (len - want - sizeof(len)) / VSET_HEAD)
		return PM_ERR_LOGREC;
	if (numpmid == 0 && len != want + sizeof(len))
		return PM_ERR_LOGREC;
	*ret_head = (struct archive_head){
	    stamp_load(p + sizeof(len), a->label.version),
	    numpmid == 0,
	    {a->files.volumes[spot.v].number, spot.offset, spot.offset + len},
	};
	if (volume_reaches(a, m, spot.v, spot.offset + len))
		return 1;
	return member_fault(m) < 0 ? member_fault(m) : PM_ERR_LOGREC;
}

/* The volume after the one of a spot. 1; 0: there is none. */
static int spot_onward(struct archive *a, struct archive_spot *spot)
{
	if (spot->v + 1 == a->files.nvolumes) {
		int r = archive_volume_look(a);

		/* The one before was written to its end meanwhile: it is looked at again. */
		return r;
	}
	*spot = (struct archive_spot){spot->v + 1, a->label_len};
	return 1;
}

/* The head of the record at a spot of one volume, or of the next one in any volume, to which the
 * spot moves. 1; 0 at the end; PM_ERR_LOGREC; others. */
static int archive_head_at(struct archive *a, struct archive_spot *spot, struct archive_head *ret_head)
{
	struct archive_spot at = *spot;
	int r;

	for (;;) {
		r = archive_head_in(a, at, ret_head);
		if (r == PM_ERR_LOGREC && (a->flags & ARCHIVE_SKIP_DAMAGE)) {
			r = archive_damage_next(a, &at);
			if (r == 0)
				continue;
		}
		if (r == 0) {
			r = spot_onward(a, &at);
			if (r > 0)
				continue;
		}
		break;
	}
	if (r > 0)
		*spot = at;
	return r;
}

/* The first record that is not before (after: is after) a time. 1; 0 if there is none, and the spot
 * is the end then. */
static int walk_to(struct archive *a, const struct timespec *when, bool after,
		   struct archive_spot *ret_spot, struct archive_head *ret_head)
{
	struct archive_spot spot;
	int r = archive_index_start(a, when, after, &spot);

	while (r >= 0 && (r = archive_head_at(a, &spot, ret_head)) > 0) {
		if (!archive_stamp_before(&ret_head->stamp, when, after))
			break;
		r = archive_index_learn(a, ret_head);
		spot.offset = ret_head->place.end;
	}
	*ret_spot = spot;
	return r;
}

int archive_head_seek(struct archive *a, const struct timespec *when,
		      struct archive_head *ret_head)
{
	struct archive_spot spot;

	return walk_to(a, when, false, &spot, ret_head);
}

int archive_head_next(struct archive *a, const struct archive_head *from,
		      struct archive_head *ret_head)
{
	struct archive_spot spot = {archive_volume_place(a, from->place.volume), from->place.end};

	if (spot.v == a->files.nvolumes)
		return -EINVAL;
	return archive_head_at(a, &spot, ret_head);
}

static int seek(struct archive *a, const struct timespec *when, bool after)
{
	struct archive_spot spot;
	struct archive_head head;
	struct timespec end;
	int r = walk_to(a, when, after, &spot, &head);

	/* A torn tail is not damage for a search of a later time. */
	if (r == PM_ERR_LOGREC && archive_end(a, &end) == 0 && a->end.v == spot.v &&
	    a->end.offset == spot.offset)
		r = 0;
	if (r < 0)
		return r;
	a->spot = spot;
	return 0;
}

int archive_seek_forward(struct archive *a, const struct timespec *when)
{
	return seek(a, when, false);
}

int archive_seek_back(struct archive *a, const struct timespec *when)
{
	return seek(a, when, true);
}

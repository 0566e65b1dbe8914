/* archive_head - walking from record to record by their heads, and the end of an archive. */
#include <errno.h>
#include <string.h>

#include "libstore/archive_inner.h"

/*
 * ---- the end ----
 *
 * The end of an archive, live, closed or left by a crash (docs/spec/archive.md 9).
 *
 * The last record is read backward from the end of the last volume. If the bytes there are not a
 * record, whole records are followed from the last mark of the index that leads to one. The result
 * is valid as long as the last volume keeps its size.
 */

/* The state of a search for the end. */
struct found {
	struct archive_spot spot;
	struct timespec stamp;
};

/* Follows whole records from a spot. 1 and the last one; 0: none; negative: only of the machine. */
static int follow(struct archive *a, struct archive_spot spot, struct found *found)
{
	struct archive_bytes bytes;
	struct result_view view;
	int r, any = 0;

	/* A current entry has the offset at which a record begins, an old one the offset at which
	 * it ends. */
	if (spot.offset > a->label_len) {
		r = archive_volume_prev(a, spot, &bytes, &view);
		if (r > 0 && result_view_check(&view) == 0) {
			*found = (struct found){spot, view.stamp};
			any = 1;
		}
	}
	while ((r = archive_volume_next(a, spot, &bytes, &view)) > 0 &&
	       result_view_check(&view) == 0) {
		spot.offset += bytes.len;
		*found = (struct found){spot, view.stamp};
		any = 1;
	}
	return r < 0 && r != PM_ERR_LOGREC ? r : any;
}

/* The last whole record of a volume whose end is torn. Without a mark that leads to a record it is
 * looked for from the volume's beginning, which 6.0.3 does not do. */
static int follow_from_marks(struct archive *a, size_t v, uint64_t size, struct found *found)
{
	struct archive_spot spot;
	int r = archive_index_load(a);

	if (r < 0)
		return r;
	for (size_t i = 0; archive_index_last(a, v, size, i, &spot); i = i * 2 + 1) {
		r = follow(a, spot, found);
		if (r != 0)
			return r;
	}
	a->end_torn = true;
	return follow(a, (struct archive_spot){v, a->label_len}, found);
}

/* Failures of this process or machine, unlike faults of a volume, which is then skipped. */
static bool end_is_ours(int r)
{
	return r == -ENOMEM || r == -EMFILE || r == -ENFILE || r == -EFBIG || r == -ENOSPC;
}

/* The last whole record of a volume: 1; 0 if it has none, or can't be read. */
static int volume_end(struct archive *a, size_t v, struct found *found)
{
	struct archive_spot spot = {v, 0};
	struct archive_bytes bytes;
	struct result_view view;
	uint64_t size;
	int r = archive_volume_size(a, v, &size);

	if (r <= 0 || size <= a->label_len)
		return end_is_ours(r) ? r : 0;
	spot.offset = size;
	r = archive_volume_prev(a, spot, &bytes, &view);
	if (r > 0 && result_view_check(&view) == 0) {
		*found = (struct found){spot, view.stamp};
		return 1;
	}
	if (r < 0 && r != PM_ERR_LOGREC)
		return r;
	return follow_from_marks(a, v, size, found);
}

/* True if the last volume is as it was when the end was found; its size is looked at. */
static bool end_holds(struct archive *a)
{
	size_t last = a->files.nvolumes - 1;
	uint64_t size = 0;

	archive_volume_size(a, last, &size);
	if (a->ended && a->end_v == last && size == a->end_size)
		return true;
	a->ended = a->end_torn = false;
	a->end_v = last;
	a->end_size = size;
	return false;
}

int archive_end(struct archive *a, struct timespec *ret_end)
{
	struct found found;
	size_t v;
	int r;

	do
		r = archive_volume_look(a);
	while (r > 0);
	if (r == 0 && !end_holds(a)) {
		v = a->files.nvolumes;
		while (r == 0 && v > 0)
			r = volume_end(a, --v, &found);
		if (r == 0)
			r = PM_ERR_LOGREC;
		if (r > 0) {
			a->ended = true;
			a->end = found.spot;
			a->end_stamp = found.stamp;
		}
	}
	if (r < 0)
		return r;
	*ret_end = a->end_stamp;
	return 0;
}

/* ---- walking from record to record by their heads ---- */

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
static int archive_head_at(struct archive *a, struct archive_spot *spot,
			   struct archive_head *ret_head)
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

int archive_head_seek(struct archive *a, const struct timespec *when, struct archive_head *ret_head)
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

bool archive_end_is_torn(const struct archive *a)
{
	return a->end_torn;
}

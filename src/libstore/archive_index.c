/*
 * archive_index - the places at which a search for a time begins.
 *
 * The plausible entries of .index, and after them the marks that walks found, in ascending order of
 * time and of place. They are hints: before a walk begins at one, it is compared with the record
 * there. A wrong index therefore costs only time, and an archive without one gets one in memory
 * during its first walk.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/timespec.h"
#include "libstore/archive_inner.h"
#include "libstore/member.h"

enum {
	LEARN_BYTES = 128 << 10, /* between two marks that a walk adds */
	ENTRIES_MAX = 4 << 20,   /* one every 100,000 bytes: 400 GB of records; more are not read */
};

static int marks_add(struct archive_marks *marks, struct archive_mark mark)
{
	if (marks->n == marks->cap) {
		size_t cap = marks->cap > 0 ? marks->cap * 2 : 64;
		struct archive_mark *more = reallocarray(marks->marks, cap, sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		marks->marks = more;
		marks->cap = cap;
	}
	marks->marks[marks->n++] = mark;
	return 0;
}

/* True if a mark may follow the last one. */
static bool marks_ascend(const struct archive_marks *marks, const struct archive_mark *mark)
{
	const struct archive_mark *last = marks->n > 0 ? &marks->marks[marks->n - 1] : NULL;

	return last == NULL ||
	       (timespec_compare(&last->stamp, &mark->stamp) <= 0 &&
		(last->spot.v < mark->spot.v ||
		 (last->spot.v == mark->spot.v && last->spot.offset <= mark->spot.offset)));
}

/* Takes over the entries that can be true. */
static int marks_from_entries(struct archive *a)
{
	for (size_t i = 0; i < a->nentries; i++) {
		const struct index_entry *e = &a->entries[i];
		struct archive_mark mark = {
		    e->stamp,
		    {archive_volume_place(a, e->volume), (uint64_t)e->data_offset},
		};

		if (mark.spot.v == a->files.nvolumes || e->data_offset < (int64_t)a->label_len ||
		    !marks_ascend(&a->marks, &mark))
			continue;
		if (marks_add(&a->marks, mark) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Copies all entries out of the index; what is at its end and not whole is not there. */
static int entries_load(struct archive *a, struct member *m)
{
	size_t entry_len = index_entry_len(a->label.version);
	uint64_t size = member_size(m);
	uint64_t offset = a->label_len;
	size_t n, left;

	if (size < offset + entry_len)
		return 0;
	n = (size - offset) / entry_len < ENTRIES_MAX ? (size_t)((size - offset) / entry_len)
						      : ENTRIES_MAX;
	a->entries = reallocarray(NULL, n, sizeof(*a->entries));
	if (a->entries == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++, offset += entry_len) {
		const uint8_t *p = member_at(m, offset, entry_len, &left);

		if (p == NULL)
			return member_error(m);
		index_entry_load(p, a->label.version, &a->entries[i]);
		a->nentries = i + 1;
	}
	return 0;
}

static void index_forget(struct archive *a)
{
	free(a->entries);
	a->entries = NULL;
	a->nentries = 0;
	a->marks.n = 0;
}

int archive_index_load(struct archive *a)
{
	struct member *m;
	int r;

	if (a->index_loaded)
		return 0;
	if (a->files.index != NULL) {
		r = member_open(a->files.index, &m);
		if (r == 0) {
			r = entries_load(a, m);
			member_close(m);
		}
		if (r == 0)
			r = marks_from_entries(a);
		if (r < 0) {
			index_forget(a);
			if (r != -ENOENT) /* gone since: none */
				return r;
		}
	}
	a->index_loaded = true;
	return 0;
}

int archive_index(struct archive *a, const struct index_entry **ret_entries, size_t *ret_n)
{
	int r = archive_index_load(a);

	if (r < 0)
		return r;
	*ret_entries = a->entries;
	*ret_n = a->nentries;
	return 0;
}

/* The number of marks before the place that is searched for. */
static size_t marks_before(const struct archive_marks *marks, const struct timespec *when,
			   bool after)
{
	size_t low = 0, high = marks->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (archive_stamp_before(&marks->marks[mid].stamp, when, after))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * True if a record ends at the mark, or the volume's records begin there, and that place is before
 * the one that is searched for.
 */
static bool mark_holds(struct archive *a, const struct archive_mark *mark,
		       const struct timespec *when, bool after)
{
	struct archive_spot spot = mark->spot;
	struct archive_head head;
	struct member *m;
	uint32_t len;

	if (archive_volume_get(a, spot.v, &m) <= 0)
		return false;
	if (spot.offset == a->label_len)
		return archive_head_in(a, spot, &head) > 0 &&
		       timespec_compare(&head.stamp, &mark->stamp) <= 0;
	if (spot.offset < a->label_len + sizeof(len) ||
	    member_u32(m, spot.offset - sizeof(len), &len) <= 0 || len > spot.offset - a->label_len)
		return false;
	spot.offset -= len;
	return archive_head_in(a, spot, &head) > 0 && head.place.end == mark->spot.offset &&
	       archive_stamp_before(&head.stamp, when, after);
}

int archive_index_start(struct archive *a, const struct timespec *when, bool after,
			struct archive_spot *ret_spot)
{
	struct archive_spot start = {0, a->label_len};
	size_t i, step = 1;
	int r = archive_index_load(a);

	if (r < 0)
		return r;
	/* A mark that is wrong is passed by, and then more at a time. */
	for (i = marks_before(&a->marks, when, after); i > 0; i -= step < i ? step : i) {
		const struct archive_mark *mark = &a->marks.marks[i - 1];

		if (mark_holds(a, mark, when, after)) {
			start = mark->spot;
			break;
		}
		step *= 2;
	}
	/* Where reading is may be nearer. */
	if (a->last.end != 0 && archive_stamp_before(&a->last_stamp, when, after)) {
		struct archive_spot here = {archive_volume_place(a, a->last.volume), a->last.end};

		if (here.v > start.v || (here.v == start.v && here.offset > start.offset))
			start = here;
	}
	*ret_spot = start;
	return 0;
}

int archive_index_learn(struct archive *a, const struct archive_head *head)
{
	const struct archive_marks *marks = &a->marks;
	const struct archive_mark *last = marks->n > 0 ? &marks->marks[marks->n - 1] : NULL;
	struct archive_mark mark = {
	    head->stamp, {archive_volume_place(a, head->place.volume), head->place.offset}};

	if (last != NULL && last->spot.v == mark.spot.v &&
	    (mark.spot.offset < last->spot.offset ||
	     mark.spot.offset - last->spot.offset < LEARN_BYTES))
		return 0;
	return marks_ascend(marks, &mark) ? marks_add(&a->marks, mark) : 0;
}

bool archive_index_last(struct archive *a, size_t v, uint64_t size, size_t i,
			struct archive_spot *ret_spot)
{
	size_t n = a->marks.n;

	while (n > 0 &&
	       (a->marks.marks[n - 1].spot.v > v ||
		(a->marks.marks[n - 1].spot.v == v && a->marks.marks[n - 1].spot.offset > size)))
		n--;
	if (n <= i || a->marks.marks[n - 1 - i].spot.v != v)
		return false;
	*ret_spot = a->marks.marks[n - 1 - i].spot;
	return true;
}

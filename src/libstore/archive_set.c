/* archive_set - see archive_set.h. */
#include "libstore/archive_set.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_parts.h"
#include "libstore/member.h"

enum { MARK_DISTANCE_NS = 1000000 }; /* of a mark from the archive that is left */

struct archive_set {
	struct archive_parts parts;
	size_t at; /* part with the position */
	struct archive_meta *meta;
	unsigned int grown;
	bool overlap; /* to be returned once */
	bool at_end;  /* the last read found nothing more */
	/* The record or mark that was returned last. */
	enum { LAST_NONE, LAST_RECORD, LAST_MARK } last;
	bool back; /* the position is before it */
};

/*
 * Opening
 */

static int load_part(struct archive_set *set, size_t i)
{
	struct archive_part *part = &set->parts.list[i];

	return archive_meta_load(set->meta, archive_meta_member(part->archive),
				 archive_label(part->archive)->version, (int)i, part->meta_end,
				 &part->meta_end);
}

static int set_load_meta(struct archive_set *set)
{
	size_t n;
	int r = archive_meta_new(&set->meta);

	for (size_t i = 0; i < set->parts.n && r == 0; i++) {
		set->parts.list[i].meta_end =
		    log_label_len(archive_label(set->parts.list[i].archive)->version);
		r = load_part(set, i);
	}
	if (r < 0)
		return r;
	archive_meta_metrics(set->meta, &n);
	return n == 0 ? PM_ERR_LOGREC : 0;
}

int archive_set_open(const char *names, unsigned int context_flags, struct archive_set **ret_set)
{
	struct archive_set *set = calloc(1, sizeof(*set));
	int r;

	if (set == NULL)
		return -ENOMEM;
	set->parts.flags = context_flags;
	r = archive_parts_open(&set->parts, names);
	if (r == 0)
		r = set_load_meta(set);
	if (r < 0) {
		archive_set_close(set);
		return r;
	}
	*ret_set = set;
	return 0;
}

void archive_set_close(struct archive_set *set)
{
	if (set == NULL)
		return;
	archive_parts_done(&set->parts);
	archive_meta_free(set->meta);
	free(set);
}

/* The position of a part is beside the record that was given out last, or at an end. */
static int same_position(struct archive_set *set, const struct archive_set *from)
{
	struct archive *archive = set->parts.list[from->at].archive;
	struct archive_place place;
	struct result_view view;
	int r = 1;

	set->at = from->at;
	set->overlap = from->overlap;
	set->at_end = from->at_end;
	set->back = from->back;
	if (from->last == LAST_RECORD) {
		place = archive_place(from->parts.list[from->at].archive);
		r = archive_at(archive, &place, &view);
		if (r > 0 && from->back)
			r = archive_prev(archive, &view);
	} else if (from->back) {
		archive_to_end(archive);
	}
	if (r > 0)
		set->last = from->last;
	return r < 0 ? r : 0;
}

int archive_set_dup(const struct archive_set *from, struct archive_set **ret_set)
{
	AUTO_FREE char *names = archive_parts_names(&from->parts);
	struct archive_set *set = NULL;
	int r = names == NULL ? -ENOMEM : archive_set_open(names, from->parts.flags, &set);

	if (r == 0)
		r = same_position(set, from);
	if (r < 0) {
		archive_set_close(set);
		return r;
	}
	*ret_set = set;
	return 0;
}

/* Metadata */

struct archive_meta *archive_set_meta(struct archive_set *set)
{
	return set->meta;
}

unsigned int archive_set_grown(const struct archive_set *set)
{
	return set->grown;
}

const struct log_label *archive_set_first_label(const struct archive_set *set)
{
	return archive_label(set->parts.list[0].archive);
}

const struct log_label *archive_set_label(const struct archive_set *set)
{
	return archive_label(set->parts.list[set->at].archive);
}

struct archive *archive_set_current(const struct archive_set *set)
{
	return set->parts.list[set->at].archive;
}

int archive_set_end(struct archive_set *set, struct timespec *ret_end)
{
	return archive_end(set->parts.list[set->parts.n - 1].archive, ret_end);
}

bool archive_set_end_is_torn(const struct archive_set *set)
{
	return archive_end_is_torn(set->parts.list[set->parts.n - 1].archive);
}

/* Loads metadata that was added since: a record may be of new metrics. */
static int look_for_growth(struct archive_set *set)
{
	struct archive_part *last = &set->parts.list[set->parts.n - 1];
	uint64_t before = last->meta_end;
	int r;

	if (member_size(archive_meta_member(last->archive)) <= before)
		return 0;
	r = load_part(set, set->parts.n - 1);
	if (last->meta_end != before)
		set->grown++;
	return r;
}

void archive_set_wish(struct archive_set *set, const pmID *pmids, size_t n)
{
	for (size_t i = 0; i < set->parts.n; i++)
		archive_wish(set->parts.list[i].archive, pmids, n);
}

/*
 * Where
 */

/* The last part that starts at when or before; the first if none does. */
static size_t part_of(const struct archive_set *set, const struct timespec *when)
{
	size_t i = set->parts.n - 1;

	while (i > 0 &&
	       timespec_compare(&archive_label(set->parts.list[i].archive)->start, when) > 0)
		i--;
	return i;
}

static void move_to(struct archive_set *set, size_t part)
{
	set->at = part;
	set->overlap = false;
	set->last = LAST_NONE;
}

/* The mark after a part, going forward, and before it, going back. */
static int mark_behind(struct archive_set *set, size_t part, struct timespec *ret_stamp)
{
	int r = archive_end(set->parts.list[part].archive, ret_stamp);

	if (r == 0)
		*ret_stamp = timespec_add_ns(ret_stamp, MARK_DISTANCE_NS);
	return r;
}

static struct timespec mark_before(const struct archive_set *set, size_t part)
{
	return timespec_add_ns(&archive_label(set->parts.list[part].archive)->start,
			       -MARK_DISTANCE_NS);
}

int archive_set_seek_forward(struct archive_set *set, const struct timespec *when)
{
	struct timespec mark;
	size_t part = part_of(set, when);

	move_to(set, part);
	if (part + 1 < set->parts.n && mark_behind(set, part, &mark) == 0 &&
	    timespec_compare(&mark, when) < 0) {
		move_to(set, part + 1);
		archive_rewind(set->parts.list[part + 1].archive);
		return 0;
	}
	return archive_seek_forward(set->parts.list[part].archive, when);
}

int archive_set_seek_back(struct archive_set *set, const struct timespec *when)
{
	size_t part = part_of(set, when);
	struct timespec mark;

	move_to(set, part);
	if (part + 1 < set->parts.n) {
		mark = mark_before(set, part + 1);
		if (timespec_compare(&mark, when) <= 0) {
			move_to(set, part + 1);
			archive_rewind(set->parts.list[part + 1].archive);
			return 0;
		}
	}
	return archive_seek_back(set->parts.list[part].archive, when);
}

int archive_set_gap(struct archive_set *set, const struct timespec *when, struct timespec *ret_mark)
{
	size_t part = part_of(set, when);
	struct timespec mark;
	int r;

	if (part + 1 == set->parts.n)
		return 0;
	r = mark_behind(set, part, &mark);
	if (r < 0 || timespec_compare(&mark, when) > 0)
		return r;
	*ret_mark = mark;
	return 1;
}

/*
 * Reading
 */

static int give_mark(struct archive_set *set, const struct timespec *stamp,
		     struct result_view *ret_view)
{
	*ret_view = (struct result_view){.stamp = *stamp};
	set->last = LAST_MARK;
	return 1;
}

/* The archive at the position has no more, but another follows. */
static int cross_forward(struct archive_set *set, struct result_view *ret_view)
{
	struct archive *next = set->parts.list[set->at + 1].archive;
	struct timespec end, mark;
	int r = archive_end(set->parts.list[set->at].archive, &end);

	if (r < 0)
		return r;
	mark = timespec_add_ns(&end, MARK_DISTANCE_NS);
	set->at++;
	set->overlap = timespec_compare(&end, &archive_label(next)->start) > 0;
	archive_rewind(next);
	return give_mark(set, &mark, ret_view);
}

static int cross_back(struct archive_set *set, struct result_view *ret_view)
{
	const struct timespec *start = &archive_label(set->parts.list[set->at].archive)->start;
	struct timespec mark = mark_before(set, set->at);
	struct archive *prev = set->parts.list[set->at - 1].archive;
	struct timespec end;
	int r = archive_end(prev, &end);

	if (r < 0)
		return r;
	set->at--;
	set->overlap = timespec_compare(&end, start) > 0;
	archive_to_end(prev);
	return give_mark(set, &mark, ret_view);
}

static bool tell_overlap(struct archive_set *set)
{
	bool tell = set->overlap;

	set->overlap = false;
	return tell;
}

int archive_set_next(struct archive_set *set, struct result_view *ret_view)
{
	int r;

	if (tell_overlap(set))
		return PM_ERR_LOGOVERLAP;
	r = archive_next(set->parts.list[set->at].archive, ret_view);
	set->last = r > 0 ? LAST_RECORD : LAST_NONE;
	set->back = false;
	if (r == 0 && set->at + 1 < set->parts.n)
		return cross_forward(set, ret_view);
	/* Data that was added after an end may be of metrics that were not known before. */
	if (r > 0 && set->at_end && look_for_growth(set) < 0)
		r = PM_ERR_LOGREC;
	if (set->at + 1 == set->parts.n)
		set->at_end = r == 0;
	return r;
}

int archive_set_prev(struct archive_set *set, struct result_view *ret_view)
{
	int r;

	if (tell_overlap(set))
		return PM_ERR_LOGOVERLAP;
	r = archive_prev(set->parts.list[set->at].archive, ret_view);
	set->last = r > 0 ? LAST_RECORD : LAST_NONE;
	set->back = true;
	return r == 0 && set->at > 0 ? cross_back(set, ret_view) : r;
}

const void *archive_set_record(const struct archive_set *set, size_t *ret_len, int *ret_version)
{
	const struct archive *archive = set->parts.list[set->at].archive;

	if (set->last != LAST_RECORD)
		return NULL;
	*ret_version = archive_label(archive)->version;
	return archive_record(archive, ret_len);
}

/* Reads only heads: there may be much data between two fetches. */
static int part_has_mark(struct archive *archive, const struct timespec *from,
			 const struct timespec *to)
{
	struct archive_head head;
	int r = archive_head_seek(archive, from, &head);

	while (r > 0 && timespec_compare(&head.stamp, to) < 0) {
		if (head.mark && timespec_compare(&head.stamp, from) > 0)
			return 1;
		r = archive_head_next(archive, &head, &head);
	}
	return r < 0 ? r : 0;
}

int archive_set_has_mark(struct archive_set *set, const struct timespec *from,
			 const struct timespec *to)
{
	size_t first = part_of(set, from);
	size_t last = part_of(set, to);

	/* Between two parts there is always one. */
	return first != last ? 1 : part_has_mark(set->parts.list[first].archive, from, to);
}

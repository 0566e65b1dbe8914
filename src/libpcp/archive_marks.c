/* archive_marks - see archive_marks.h. */
#include "libpcp/archive_marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libbase/timespec.h"
#include "libdisk/result_view.h"
#include "libstore/archive_set.h"

static void ask(struct archive_marks *marks, const char *limit)
{
	struct timespec interval = {0};
	char *message = NULL;

	if (*limit == '\0') {
		marks->ignored_s = INFINITY;
	} else if (pmParseHighResInterval(limit, &interval, &message) >= 0) {
		marks->ignored_s = timespec_since(&interval, &(struct timespec){0});
	} else {
		fprintf(stderr,
			"%s: Warning: bad $PCP_IGNORE_MARK_RECORDS: not in pmParseInterval(3) "
			"format:\n%s\n",
			pmGetProgname(), message);
		free(message);
		return;
	}
	marks->ignored = true;
}

bool archive_marks_ignored(struct archive_marks *marks)
{
	const char *limit = getenv("PCP_IGNORE_MARK_RECORDS");

	if (!marks->asked && limit != NULL)
		ask(marks, limit);
	marks->asked = true;
	return marks->ignored;
}

/* The next record or mark in one direction. An overlap is reported once, and moves nothing. */
static int step(struct archive_set *set, bool back, struct result_view *ret_view)
{
	int r = PM_ERR_LOGOVERLAP;

	while (r == PM_ERR_LOGOVERLAP)
		r = back ? archive_set_prev(set, ret_view) : archive_set_next(set, ret_view);
	return r;
}

/* The first record that is not a mark: 1 and its time, 0 at the end. *steps: how many steps. */
static int marks_find_record(struct archive_set *set, bool back, struct timespec *ret_stamp,
			     int *steps)
{
	struct result_view view;
	int r;

	*steps = 0;
	while ((r = step(set, back, &view)) > 0) {
		++*steps;
		if (!result_view_is_mark(&view)) {
			*ret_stamp = view.stamp;
			break;
		}
	}
	return r;
}

static int go(struct archive_set *set, bool back, int steps)
{
	struct result_view view;
	int r = 1;

	while (steps-- > 0 && r > 0)
		r = step(set, back, &view);
	return r < 0 ? r : 0;
}

int archive_marks_count(struct archive_marks *marks, struct archive_set *set)
{
	struct timespec before = {0}, after = {0};
	int steps = 0, more = 0, has_before, r;

	if (!archive_marks_ignored(marks))
		return 1;
	if (isinf(marks->ignored_s))
		return 0;
	has_before = marks_find_record(set, true, &before, &steps);
	r = has_before < 0 ? has_before : go(set, false, steps);
	if (r < 0)
		return r;
	r = marks_find_record(set, false, &after, &more);
	if (r < 0 || go(set, true, more) < 0)
		return r < 0 ? r : PM_ERR_LOGREC;
	return has_before == 0 || r == 0 || timespec_since(&after, &before) > marks->ignored_s;
}

int archive_marks_between(struct archive_marks *marks, struct archive_set *set,
			  const struct timespec *from, const struct timespec *to)
{
	struct result_view view;
	int r = archive_set_has_mark(set, from, to);

	if (r <= 0 || !archive_marks_ignored(marks))
		return r;
	r = archive_set_seek_forward(set, from);
	while (r >= 0 && (r = step(set, false, &view)) > 0 &&
	       timespec_compare(&view.stamp, to) < 0) {
		if (!result_view_is_mark(&view) || timespec_compare(&view.stamp, from) <= 0)
			continue;
		r = archive_marks_count(marks, set);
		if (r != 0)
			return r;
	}
	return r < 0 ? r : 0;
}

/* archive_search - see archive_search.h. */
#include "libpcp/archive_search.h"

#include <math.h>
#include <stddef.h>

#include "libbase/timespec.h"
#include "libpcp/archive_ops.h"
#include "libpcp/archive_track.h"
#include "libpcp/inst_filter.h"
#include "libstore/archive.h"
#include "libstore/archive_set.h"

enum { FEW = ARCHIVE_WISH_MAX }; /* metrics that are looked for in a record one by one */

static void forget_all(struct archive_search *s, struct archive_source *a)
{
	for (size_t i = 0; i < a->want.n; i++) {
		if (s->list[i] != NULL)
			archive_track_forget(s->list[i]);
	}
}

/* Opens the tracks that must be searched. Returns the number of metrics with such tracks. */
static size_t open_tracks(struct archive_search *s, struct context *ctx, double t, bool back,
			  double *floor)
{
	struct archive_source *a = archive_source_of(ctx);
	size_t nopen = 0;

	for (size_t i = 0; i < a->want.n; i++) {
		struct archive_track *m = s->list[i];
		struct inst_filter filter;

		if (m == NULL || archive_want_first(&a->want, i) != i)
			continue;
		filter = inst_filter_of(&ctx->profile, m->desc.indom);
		for (size_t k = 0; k < m->n; k++) {
			struct track *track = &m->tracks[k];

			if (t < track->birth || t > track->death ||
			    (m->desc.indom != PM_INDOM_NULL &&
			     !inst_filter_wants(&filter, track->inst)))
				continue;
			if (back)
				archive_track_open_back(m, track, t, floor);
			else
				archive_track_open_forward(m, track, t);
		}
		nopen += m->open > 0;
	}
	return nopen;
}

static int see_set(struct archive_track *m, const struct result_view *view,
		   const struct vset_view *set, double rt, bool back, size_t *nopen)
{
	int r;

	if (m == NULL || m->open == 0)
		return 0;
	r = archive_track_see(m, view, set, rt, back);
	if (m->open == 0)
		(*nopen)--;
	return r;
}

/* Few metrics are looked for one by one. */
static int see_few(struct archive_search *s, struct archive_source *a,
		   const struct result_view *view, double rt, bool back, size_t *nopen)
{
	struct vset_view set;
	int r = 0;

	for (size_t i = 0; i < a->want.n && r >= 0; i++) {
		struct archive_track *m = s->list[i];

		if (m == NULL || m->open == 0)
			continue;
		r = result_view_find(view, m->desc.pmid, &set);
		if (r > 0)
			r = see_set(m, view, &set, rt, back, nopen);
	}
	return r < 0 ? r : 0;
}

static int see_record(struct archive_search *s, struct archive_source *a,
		      const struct result_view *view, double rt, bool back, size_t *nopen)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;
	ptrdiff_t i;
	int r;

	if (a->want.n <= FEW)
		return see_few(s, a, view, rt, back, nopen);
	a->want.guess = 0;
	while (*nopen > 0 && (r = result_walk_next(view, &walk, &set)) != 0) {
		if (r < 0)
			return r;
		i = archive_want_find(&a->want, set.pmid);
		r = i < 0 ? 0 : see_set(s->list[i], view, &set, rt, back, nopen);
		if (r < 0)
			return r;
	}
	return 0;
}

static void end_all(struct archive_search *s, struct archive_source *a, double t, bool back)
{
	for (size_t i = 0; i < a->want.n; i++) {
		if (s->list[i] != NULL && s->list[i]->open > 0)
			archive_track_see_end(s->list[i], t, back);
	}
}

static void mark_all(struct archive_search *s, struct archive_source *a, double rt, bool back)
{
	for (size_t i = 0; i < a->want.n; i++) {
		if (s->list[i] != NULL && s->list[i]->open > 0)
			archive_track_see_mark(s->list[i], rt, back);
	}
}

/* For a time between two archives the mark there ends all earlier values. 1 for such a time. */
static int see_gap(struct archive_search *s, struct archive_source *a)
{
	struct timespec mark;
	int r = archive_set_gap(a->set, &a->origin, &mark);

	if (r > 0 && archive_marks_ignored(&s->marks)) {
		r = archive_set_seek_back(a->set, &a->origin);
		r = r < 0 ? r : archive_marks_count(&s->marks, a->set);
	}
	if (r > 0)
		mark_all(s, a, timespec_since(&mark, &s->base), true);
	return r;
}

/* Reads in one direction until nothing is open, or floor is reached. */
static int search_way(struct archive_search *s, struct archive_source *a, double t, bool back,
		      double floor, size_t nopen)
{
	int r = back ? archive_set_seek_back(a->set, &a->origin)
		     : archive_set_seek_forward(a->set, &a->origin);

	archive_set_wish(a->set, a->want.pmids, a->want.n);
	while (r >= 0 && nopen > 0) {
		struct result_view view;
		double rt;

		r = back ? archive_set_prev(a->set, &view) : archive_set_next(a->set, &view);
		if (r == PM_ERR_LOGOVERLAP) {
			r = 0;
			continue;
		}
		if (r <= 0)
			break;
		rt = timespec_since(&view.stamp, &s->base);
		if (back && rt <= floor)
			break;
		if (back ? rt > t : rt < t)
			continue;
		if (!result_view_is_mark(&view)) {
			r = see_record(s, a, &view, rt, back, &nopen);
			continue;
		}
		r = archive_marks_count(&s->marks, a->set);
		if (r > 0) {
			mark_all(s, a, rt, back);
			nopen = 0;
		}
	}
	archive_set_wish(a->set, NULL, 0);
	if (r >= 0)
		end_all(s, a, t, back);
	return r < 0 ? r : 0;
}

int archive_search_bounds(struct archive_search *s, struct context *ctx, double t)
{
	struct archive_source *a = archive_source_of(ctx);
	double floor = INFINITY;
	size_t nopen = open_tracks(s, ctx, t, true, &floor);
	int r = nopen > 0 ? see_gap(s, a) : 0;

	if (r == 0 && nopen > 0)
		r = search_way(s, a, t, true, floor, nopen);
	if (r >= 0) {
		nopen = open_tracks(s, ctx, t, false, &floor);
		r = nopen > 0 ? search_way(s, a, t, false, -INFINITY, nopen) : 0;
	}
	if (r < 0)
		forget_all(s, a);
	return r;
}

#include "tools/pmlogsummary/scan.h"

#include <math.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libdisk/result_view.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "tools/archive/recording.h"
#include "tools/archive/stamp.h"
#include "tools/archive/window.h"
#include "tools/pmlogsummary/subjects.h"

static double as_double(int type, const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
		return atom->l;
	case PM_TYPE_U32:
		return atom->ul;
	case PM_TYPE_64:
		return (double)atom->ll;
	case PM_TYPE_U64:
		return (double)atom->ull;
	case PM_TYPE_FLOAT:
		return (double)atom->f;
	default:
		return atom->d;
	}
}

static int add_set(struct subject *subject, const struct result_view *view,
		   const struct vset_view *set, int nbins)
{
	int type = subject->desc.type;
	struct wire_value value;
	struct series *series;
	pmAtomValue atom;
	double number;
	int inst;

	for (int32_t i = 0; i < set->numval; i++) {
		int sts = vset_view_value(view, set, i, &value);

		if (sts < 0)
			return sts;
		if (wire_value_number(&value, type, &atom) < 0)
			continue;
		/* old loggers gave values without instance domain any instance number */
		inst = subject->desc.indom == PM_INDOM_NULL ? -1 : value.inst;
		if (!inst_set_has(&subject->insts, inst))
			continue;
		series = subject_series(subject, inst);
		number = as_double(type, &atom);
		if (!isnan(number))
			series_add(series, &subject->kind, number, &view->stamp, nbins);
	}
	return 0;
}

/* Values without a descriptor are skipped; with -v each such metric is reported once. */
static void report_unknown(struct subjects *s, pmID pmid)
{
	uint64_t hash = hash_u64(pmid);
	char id[32], text[PM_MAXERRMSGLEN];

	if (!s->verbose || archive_meta_metric(s->meta, pmid) != NULL ||
	    hash_find(&s->unknown, hash, NULL, NULL) != NULL)
		return;
	if (hash_add(&s->unknown, hash, s) < 0)
		pmNoMem("metrics", sizeof(pmid), PM_FATAL_ERR);
	fprintf(stderr, "%s: <nonames>(%s) - cannot find descriptor: %s\n", pmGetProgname(),
		pmIDStr_r(pmid, id, sizeof(id)),
		pmErrStr_r(PM_ERR_PMID_LOG, text, sizeof(text)));
}

static int add_record(struct subjects *s, const struct result_view *view, int nbins)
{
	struct result_walk walk = result_walk_begin(view);
	struct subject *subject;
	struct vset_view set;
	int sts;

	while ((sts = result_walk_next(view, &walk, &set)) > 0) {
		if (set.numval <= 0)
			continue;
		subject = subjects_get(s, set.pmid);
		if (subject == NULL) {
			report_unknown(s, set.pmid);
			continue;
		}
		sts = add_set(subject, view, &set, nbins);
		if (sts < 0)
			break;
	}
	return sts;
}

static void break_all(struct subjects *s, const struct timespec *when)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->list[i].n; j++)
			series_break(s->list[i].list[j], &s->list[i].kind, when);
}

int scan_run(struct subjects *s, const struct recording *r, const struct window *window, int nbins)
{
	struct result_view view;
	int sts = archive_set_seek_forward(r->set, &window->start);

	while (sts >= 0) {
		sts = archive_set_next(r->set, &view);
		if (sts <= 0 || stamp_compare(&view.stamp, &window->finish) > 0)
			break;
		if (result_view_is_mark(&view))
			break_all(s, &view.stamp);
		else
			sts = add_record(s, &view, nbins);
	}
	break_all(s, &window->finish);
	return sts < 0 ? sts : 0;
}

#include "tools/pmlogrewrite/rewrite.h"

#include <inttypes.h>
#include <stdio.h>

#include "libbase/cleanup.h"
#include "libdisk/result_record.h"
#include "libstore/archive.h"
#include "libstore/archive_writer.h"
#include "tools/archive/damage.h"
#include "tools/archive/product.h"
#include "tools/archive/progress.h"
#include "tools/archive/recording.h"
#include "tools/archive/stamp.h"
#include "tools/pmlogrewrite/meta_out.h"
#include "tools/pmlogrewrite/options.h"
#include "tools/pmlogrewrite/plan.h"
#include "tools/pmlogrewrite/values.h"

struct rewrite {
	const struct options *o;
	struct plan *plan;
	const struct recording *in;
	const char *name;
	struct archive_writer *writer;
	struct meta_out metadata;
	struct values values;
	int volume; /* stamp of the previous record */
	uint64_t written;
	uint64_t refused; /* records whose time goes backward */
	struct timespec last;
	bool told; /* the error */
};

static int report_value(struct rewrite *r, const struct timespec *when, int code)
{
	const struct plan_metric *m = r->values.metric;
	char pmid[32], why[PM_MAXERRMSGLEN], stamp[STAMP_ROOM];

	if (m == NULL)
		return code;
	stamp_date(stamp, when, STAMP_NANO);
	fprintf(stderr,
		"%s: Error: %s (%s): extracting value from type %s to %s: %s\n"
		"The record is that of %s.\n",
		pmGetProgname(), plan_metric_name(m),
		pmIDStr_r(m->old->desc.pmid, pmid, sizeof(pmid)), pmTypeStr(r->values.from),
		pmTypeStr(r->values.to), pmErrStr_r(code, why, sizeof(why)), stamp);
	r->told = true;
	return code;
}

/* A mark before the first record has no meaning and is not written. */
static int put_mark(struct rewrite *r, const struct timespec *stamp)
{
	return r->written > 0 ? archive_writer_mark(r->writer, stamp) : 0;
}

static int put_changed(struct rewrite *r, const struct timespec *when, const struct timespec *stamp)
{
	AUTO_FREE pmHighResResult *result = NULL;
	pmValueSet **sets;
	size_t len;
	const void *record = archive_record(r->in->archive, &len);
	int sts = result_record_to_host(r->in->label->version, record, len, &result);

	if (sts < 0)
		return sts;
	sts = values_rewrite(&r->values, result, &sets);
	if (sts < 0)
		return report_value(r, when, sts);
	if (sts == 0)
		return 0;
	sts = archive_writer_result(r->writer, stamp, sets, (uint32_t)sts);
	return sts < 0 ? sts : 1;
}

/* Returns 1 if a record was written. */
static int put(struct rewrite *r, const struct result_view *view, const struct timespec *stamp)
{
	int sts;

	if (result_view_is_mark(view))
		sts = put_mark(r, stamp);
	else if (values_touch(&r->values, view))
		return put_changed(r, &view->stamp, stamp);
	else
		sts = archive_writer_copy(r->writer, stamp, view);
	return sts < 0 ? sts : 1;
}

static int put_record(struct rewrite *r, const struct result_view *view)
{
	struct timespec stamp = plan_time(r->plan, &view->stamp);
	bool last = r->in->end_error >= 0 && stamp_compare(&view->stamp, &r->in->end) >= 0;
	int volume = archive_place(r->in->archive).volume;
	int sts = meta_out_until(&r->metadata, last ? NULL : &view->stamp);

	if (sts < 0)
		return sts;
	if (r->written > 0 && stamp_compare(&stamp, &r->last) < 0) {
		r->refused++;
		return 0;
	}
	if (r->written > 0 && volume != r->volume)
		sts = archive_writer_volume(r->writer);
	r->volume = volume;
	if (sts >= 0)
		sts = put(r, view, &stamp);
	if (sts > 0) {
		r->written++;
		r->last = stamp;
	}
	return sts;
}

static void tick(const struct rewrite *r, const struct timespec *when)
{
	progress_tick((uint64_t)(when->tv_sec - r->in->label->start.tv_sec),
		      (uint64_t)(r->in->end.tv_sec - r->in->label->start.tv_sec));
}

static int copy_records(struct rewrite *r)
{
	struct result_view view;
	int sts;

	while ((sts = archive_next(r->in->archive, &view)) > 0) {
		if (result_view_check(&view) < 0) {
			sts = PM_ERR_LOGREC;
			break;
		}
		tick(r, &view.stamp);
		sts = put_record(r, &view);
		if (sts < 0) {
			progress_clear();
			return sts;
		}
	}
	progress_clear();
	if (sts < 0) {
		damage_report(r->in->archive, r->name, sts,
			    "The last record, and the remainder of this file will not be "
			    "rewritten.");
		r->told = true;
	}
	return sts;
}

static bool open_output(struct rewrite *r, const char *base)
{
	char what[4096];

	pmsprintf(what, sizeof(what), "__pmLogCreate(%s,v%d)", base, r->plan->label.version);
	if (!product_open_as(what, base, &r->plan->label, &r->writer))
		return false;
	archive_writer_repeat(r->writer);
	archive_writer_repeat_labels(r->writer);
	return true;
}

static bool close_output(struct rewrite *r, const char *base, int sts)
{
	int end;

	if (sts >= 0 && r->written == 0)
		fprintf(stderr, "%s: Warning: no qualifying records found.\n", pmGetProgname());
	else if (sts < 0 && !r->told)
		product_report(base, sts);
	if (r->written == 0 || (sts < 0 && !r->o->desperate)) {
		product_drop(r->writer);
		fprintf(stderr, "Archive \"%s\" not created.\n", base);
		return false;
	}
	if (r->refused > 0)
		fprintf(stderr, "%s: Warning: %" PRIu64 " records left out whose time goes back\n",
			pmGetProgname(), r->refused);
	if (r->values.doubled && r->o->warn)
		fprintf(stderr,
			"%s: Warning: of metrics that became one the first in a record was taken\n",
			pmGetProgname());
	end = archive_writer_end(r->writer);
	if (end < 0)
		product_report(base, end);
	return sts >= 0 && end >= 0;
}

bool rewrite_run(const struct options *o, struct plan *plan, const char *name, const char *base)
{
	struct rewrite r = {.o = o, .plan = plan, .in = plan->in, .name = name};
	bool ok;

	plan->label.start = plan_time(plan, &plan->in->label->start);
	if (!open_output(&r, base))
		return false;
	meta_out_begin(&r.metadata, plan, r.writer);
	values_begin(&r.values, plan);
	progress_begin(name, false);
	ok = close_output(&r, base, copy_records(&r));
	values_end(&r.values);
	meta_out_end(&r.metadata);
	return ok;
}

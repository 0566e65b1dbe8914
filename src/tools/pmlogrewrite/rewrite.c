/*
 * rewrite - the records of an archive, changed by a plan, and their metadata.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libbase/cleanup.h"
#include "libdisk/result_record.h"
#include "libstore/archive.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/pmlogrewrite/plan.h"

/*
 * meta_out - writes descriptors, instance domains, labels and texts to the new archive.
 */

struct meta_out {
	struct plan *plan;
	struct archive_writer *writer;
	struct meta_walk walk;
	struct labels *labels;
	size_t text; /* the next descriptor */
	bool held;   /* a record has been read and not been written yet */
	bool described;
	enum meta_type type;
	union meta_body body;
};

static void meta_out_begin(struct meta_out *m, struct plan *plan, struct archive_writer *writer)
{
	*m = (struct meta_out){.plan = plan, .writer = writer};
	m->labels = labels_new(plan);
	meta_walk_begin(&m->walk, archive_meta_member(plan->in->archive), plan->in->label->version);
}

static void meta_out_end(struct meta_out *m)
{
	labels_free(m->labels);
	meta_walk_end(&m->walk);
}

static const char *new_name(const struct plan_metric *metric, const struct wire_str *name)
{
	if ((metric->flags & PLAN_NAME) == 0 || strlen(metric->old_name) != name->len ||
	    memcmp(metric->old_name, name->s, name->len) != 0)
		return NULL;
	return metric->new_name;
}

static int rewrite_put_desc(struct meta_out *m)
{
	const struct meta_desc *old = &m->body.desc;
	const struct plan_metric *metric = plan_metric(m->plan, old->desc.pmid);
	AUTO_FREE struct wire_str *names = NULL;
	union meta_body body = m->body;

	if (metric == NULL)
		return archive_writer_meta(m->writer, META_DESC, &m->body);
	if (metric->flags & PLAN_DELETE)
		return 0;
	names = calloc(old->numnames + 1, sizeof(*names));
	if (names == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < old->numnames; i++) {
		const char *name = new_name(metric, &old->names[i]);

		names[i] = old->names[i];
		if (name != NULL)
			names[i] = (struct wire_str){name, (uint32_t)strlen(name)};
	}
	body.desc.desc = metric->now;
	body.desc.names = names;
	m->described = true;
	return archive_writer_meta(m->writer, META_DESC, &body);
}

static int by_number(const void *a, const void *b)
{
	const struct wire_inst *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* Appends the current instances of a domain, with or without the changes, to a list. */
static size_t add_insts(const struct plan_domain *d, bool changed, struct wire_inst *list, size_t n)
{
	const struct archive_indom *now = d->seen[d->given - 1];

	for (size_t i = 0; i < now->n; i++) {
		const struct plan_inst *inst =
		    changed && d->changed ? plan_inst(d, now->insts[i].inst, now) : NULL;

		list[n] = now->insts[i];
		if (inst != NULL && inst->deleted)
			continue;
		if (inst != NULL) {
			list[n].inst = inst->id;
			if (inst->name != NULL)
				list[n].name =
				    (struct wire_str){inst->name, (uint32_t)strlen(inst->name)};
		}
		n++;
	}
	return n;
}

/* Keeps the first instance of each number. Returns how many are left. */
static size_t sort_insts(struct wire_inst *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof(*list), by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || list[kept - 1].inst != list[i].inst)
			list[kept++] = list[i];
	return kept;
}

/* True if a domain contributes to one of the output, with or without its changes. */
static bool has_part(const struct plan_domain *d, pmInDom out, bool *ret_changed)
{
	if (d->given == 0 || d->dropped)
		return false;
	*ret_changed = d->now == out;
	return d->now == out || (d->duplicate && d->old == out);
}

static bool is_same(const struct wire_inst *a, size_t na, const struct wire_inst *b, size_t nb)
{
	if (na != nb)
		return false;
	for (size_t i = 0; i < na; i++)
		if (a[i].inst != b[i].inst || a[i].name.len != b[i].name.len ||
		    memcmp(a[i].name.s, b[i].name.s, a[i].name.len) != 0)
			return false;
	return true;
}

/*
 * Writes an observation of a domain of the output, from all input domains that became it. If there
 * are several, an unchanged result is not written again.
 */
static int put_observation(struct meta_out *m, pmInDom out, const struct timespec *when)
{
	const struct plan *p = m->plan;
	AUTO_FREE struct wire_inst *list = NULL;
	size_t total = 0, n = 0, parts = 0, had;
	const struct wire_inst *before;
	struct timespec last, stamp = plan_time(p, when);
	union meta_body body;
	bool changed;

	for (size_t i = 0; i < p->ndomains; i++)
		if (has_part(&p->domains[i], out, &changed)) {
			total += p->domains[i].seen[p->domains[i].given - 1]->n;
			parts++;
		}
	list = calloc(total + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < p->ndomains; i++)
		if (has_part(&p->domains[i], out, &changed))
			n = add_insts(&p->domains[i], changed, list, n);
	n = sort_insts(list, n);
	before = archive_writer_indom(m->writer, out, &had, &last);
	if (before != NULL && parts > 1 && is_same(before, had, list, n))
		return 0;
	if (before != NULL && stamp_compare(&stamp, &last) < 0)
		stamp = last;
	body.indom = (struct meta_indom){
	    .stamp = stamp, .indom = out, .numinst = (uint32_t)n, .insts = list};
	return archive_writer_meta(m->writer, META_INDOM, &body);
}

/* Writes all observations up to the one of the record. */
static int put_indom(struct meta_out *m)
{
	struct plan_domain *d = plan_domain(m->plan, m->body.indom.indom);
	int sts = 0;

	while (d != NULL && sts >= 0 && d->given < d->nseen &&
	       stamp_compare(&d->seen[d->given]->stamp, &m->body.indom.stamp) <= 0) {
		const struct timespec *when = &d->seen[d->given++]->stamp;

		if (d->dropped)
			continue;
		sts = put_observation(m, d->now, when);
		if (sts >= 0 && d->duplicate)
			sts = put_observation(m, d->old, when);
	}
	return sts;
}

static int put_text(struct meta_out *m)
{
	const struct plan_text *t = &m->plan->texts[m->text++];
	const struct plan_domain *d;
	union meta_body body = m->body;
	int sts;

	if (t->deleted)
		return 0;
	if (t->replaced)
		body.text.text = (struct wire_str){t->now_text, (uint32_t)strlen(t->now_text)};
	body.text.ident = t->now;
	sts = archive_writer_meta(m->writer, META_TEXT, &body);
	d = t->type & PM_TEXT_INDOM ? plan_domain(m->plan, t->ident) : NULL;
	if (sts < 0 || d == NULL || !d->duplicate || t->moved)
		return sts;
	body.text.ident = d->old;
	return archive_writer_meta(m->writer, META_TEXT, &body);
}

static int put(struct meta_out *m)
{
	switch (m->type) {
	case META_DESC:
		return rewrite_put_desc(m);
	case META_TEXT:
		return put_text(m);
	case META_LABEL:
	case META_LABEL_V2:
		return labels_put(m->labels, m->writer, &m->body.label);
	default:
		return put_indom(m);
	}
}

/* The time of the record, if it has one. */
static const struct timespec *time_of(const struct meta_out *m)
{
	if (m->type == META_DESC || m->type == META_TEXT)
		return NULL;
	if (m->type == META_LABEL || m->type == META_LABEL_V2)
		return &m->body.label.stamp;
	return &m->body.indom.stamp;
}

/*
 * Writes the metadata that precedes a record of this time in the input; NULL: all of it. Returns 0
 * or an error.
 */
static int meta_out_until(struct meta_out *m, const struct timespec *when)
{
	int sts = 0;

	if (m->walk.at == 0 && !m->held) {
		struct timespec start = plan_time(m->plan, &m->plan->in->label->start);

		sts = labels_begin(m->labels, m->writer, &start);
	}
	while (sts >= 0) {
		const struct timespec *stamp;

		if (!m->held)
			sts = meta_walk_next(&m->walk, ~0u, &m->type, &m->body);
		if (sts <= 0 && !m->held)
			return sts;
		m->held = true;
		stamp = time_of(m);
		if (when != NULL && stamp != NULL && m->described && stamp_compare(stamp, when) > 0)
			return 0;
		m->held = false;
		sts = put(m);
	}
	return sts;
}

/*
 * Records
 */

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
	bool reported; /* the error */
};

static int report_value(struct rewrite *r, const pmHighResResult *result, int code)
{
	const struct plan_metric *m = r->values.metric;
	char pmid[32], why[PM_MAXERRMSGLEN];

	if (m == NULL)
		return code;
	progress_clear();
	fprintf(stderr, "%s: Error: %s (%s): extracting value from type %s to %s: %s\n",
		pmGetProgname(), plan_metric_name(m),
		pmIDStr_r(m->old->desc.pmid, pmid, sizeof(pmid)), pmTypeStr(r->values.from),
		pmTypeStr(r->values.to), pmErrStr_r(code, why, sizeof(why)));
	plan_print_record(r->plan, result);
	r->reported = true;
	return code;
}

/* A mark before the first record has no meaning and is not written. */
static int rewrite_put_mark(struct rewrite *r, const struct timespec *stamp)
{
	return r->written > 0 ? archive_writer_mark(r->writer, stamp) : 0;
}

static int put_changed(struct rewrite *r, const struct timespec *stamp)
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
		return report_value(r, result, sts);
	if (sts == 0)
		return 0;
	sts = archive_writer_result(r->writer, stamp, sets, (uint32_t)sts);
	return sts < 0 ? sts : 1;
}

/* Returns 1 if a record was written. */
static int rewrite_put(struct rewrite *r, const struct result_view *view,
		       const struct timespec *stamp)
{
	int sts;

	if (result_view_is_mark(view))
		sts = rewrite_put_mark(r, stamp);
	else if (values_touch(&r->values, view))
		return put_changed(r, stamp);
	else
		sts = archive_writer_copy(r->writer, stamp, view);
	return sts < 0 ? sts : 1;
}

static int rewrite_put_record(struct rewrite *r, const struct result_view *view)
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
		sts = rewrite_put(r, view, &stamp);
	if (sts > 0) {
		r->written++;
		r->last = stamp;
	}
	return sts;
}

static void rewrite_tick(const struct rewrite *r, const struct timespec *when)
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
		rewrite_tick(r, &view.stamp);
		sts = rewrite_put_record(r, &view);
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
		r->reported = true;
	}
	return sts;
}

static bool rewrite_open_output(struct rewrite *r, const char *base)
{
	char what[4096];

	pmsprintf(what, sizeof(what), "__pmLogCreate(%s,v%d)", base, r->plan->label.version);
	if (!product_open_as(what, base, &r->plan->label, &r->writer))
		return false;
	archive_writer_repeat(r->writer);
	archive_writer_repeat_labels(r->writer);
	return true;
}

static bool rewrite_close_output(struct rewrite *r, const char *base, int sts)
{
	int end;

	if (sts >= 0 && r->written == 0)
		fprintf(stderr, "%s: Warning: no qualifying records found.\n", pmGetProgname());
	else if (sts < 0 && !r->reported)
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
	if (!rewrite_open_output(&r, base))
		return false;
	meta_out_begin(&r.metadata, plan, r.writer);
	values_begin(&r.values, plan);
	progress_begin(name, false);
	ok = rewrite_close_output(&r, base, copy_records(&r));
	values_end(&r.values);
	meta_out_end(&r.metadata);
	return ok;
}

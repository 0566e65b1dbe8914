/*
 * archive_fetch - records of archives in the order of time: of some metrics (pmFetch in the modes
 * FORW and BACK), or whole (pmFetchArchive); docs/spec/archive.md 10.3.
 *
 * Records are read in place: one that has none of the metrics costs a walk over its sets, and of
 * one that has some only the values of these are decoded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdisk/result_record.h"
#include "libpcp/archive_interp.h"
#include "libpcp/archive_ops.h"
#include "libpcp/event.h"
#include "libpcp/inst_filter.h"
#include "libpcp/results.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "libvalue/host_form.h"

/* A result being made of sets in a record: sizes first, then places. */
struct shape {
	const struct context *ctx;
	const struct result_view *view;
	size_t sets;
	size_t blocks;
};

static bool profile_is_plain(const struct context *ctx)
{
	return ctx->profile.profile_len == 0 && ctx->profile.state == PM_PROFILE_INCLUDE;
}

static struct inst_filter filter_of(const struct context *ctx, pmID pmid)
{
	struct archive_meta *meta = archive_set_meta(archive_source_of(ctx)->set);
	const struct archive_metric *metric = NULL;

	if (!profile_is_plain(ctx))
		metric = archive_meta_metric(meta, pmid);
	if (metric == NULL || metric->desc.indom == PM_INDOM_NULL)
		return (struct inst_filter){0};
	return inst_filter_of(&ctx->profile, metric->desc.indom);
}

/* ---- The record ----------------------------------------------------------------------------- */

/* Finds wanted sets in a record: true if there is any. A metric that is missing in the record has
 * no values. */
static int find_sets(struct archive_want *want, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	bool found = false;
	struct vset_view set;
	ptrdiff_t i;
	int r;

	want->guess = 0;
	while ((r = result_walk_next(view, &walk, &set)) > 0) {
		i = archive_want_find(want, set.pmid);
		if (i < 0)
			continue;
		if (!found)
			memset(want->sets, 0, want->n * sizeof(want->sets[0]));
		found = true;
		want->sets[i] = set;
		if (want->n == 1)
			return 1;
	}
	return r < 0 ? r : found;
}

/* The record before or after the position, or a mark. PM_ERR_EOL at the end. */
static int read_record(struct archive_source *a, struct result_view *ret_view)
{
	bool back = a->mode == PM_MODE_BACK;
	int r = 0;

	if (!a->positioned)
		r = back ? archive_set_seek_back(a->set, &a->origin)
			 : archive_set_seek_forward(a->set, &a->origin);
	if (r < 0)
		return r;
	a->positioned = true;
	r = back ? archive_set_prev(a->set, ret_view) : archive_set_next(a->set, ret_view);
	if (r > 0)
		a->origin = ret_view->stamp;
	return r == 0 ? PM_ERR_EOL : r;
}

/* The special metrics are in no record: any record answers a request for them alone. */
static bool wants_any(const struct archive_want *want)
{
	for (size_t i = 0; i < want->n; i++) {
		if (special_by_pmid(want->pmids[i]) == NULL)
			return false;
	}
	return true;
}

static int archive_find_record(struct archive_source *a, struct result_view *ret_view)
{
	int r;

	do {
		r = read_record(a, ret_view);
		if (r <= 0)
			break;
		if (!wants_any(&a->want)) {
			r = find_sets(&a->want, ret_view);
			continue;
		}
		memset(a->want.sets, 0, a->want.n * sizeof(a->want.sets[0]));
		r = !result_view_is_mark(ret_view);
	} while (r == 0);
	return r;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* Values of a set that the profile wants. How many, or PM_ERR_LOGREC. */
static int32_t measure_set(struct shape *shape, const struct vset_view *set)
{
	struct inst_filter filter = filter_of(shape->ctx, set->pmid);
	bool all = inst_filter_wants_all(&filter);
	struct wire_value value;
	int32_t n = 0;

	if (set->numval <= 0 || (all && set->valfmt == PM_VAL_INSITU)) {
		shape->sets += host_set_len(set->numval);
		return set->numval;
	}
	for (int32_t i = 0; i < set->numval; i++) {
		if (!all && !inst_filter_wants(&filter, vset_view_inst(set, i)))
			continue;
		if (vset_view_value(shape->view, set, i, &value) < 0)
			return PM_ERR_LOGREC;
		n++;
		if (value.block_len == 0)
			continue;
		if (value_type_is_event(value.block[0]) &&
		    !value_block_valid_wire(value.block, value.block_len))
			return PM_ERR_LOGREC;
		shape->blocks += host_block_len(value.block[0], value.block_len);
	}
	shape->sets += host_set_len(n);
	return n;
}

/* Writes the n values that were counted before. */
static void write_set(struct shape *shape, const struct vset_view *set, int32_t n,
		      uint8_t **at_block, pmValueSet *vset)
{
	struct inst_filter filter = filter_of(shape->ctx, set->pmid);
	bool all = n == set->numval;
	struct wire_value value;
	int32_t out = 0;

	vset->numval = n;
	vset->valfmt = n > 0 ? set->valfmt : PM_VAL_INSITU;
	for (int32_t i = 0; out < n; i++) {
		if (!all && !inst_filter_wants(&filter, vset_view_inst(set, i)))
			continue;
		if (vset_view_value(shape->view, set, i, &value) < 0)
			break; /* does not happen: the counting pass has read it */
		vset->vlist[out].inst = value.inst;
		if (value.block_len == 0) {
			vset->vlist[out++].value.lval = (int)value.insitu;
			continue;
		}
		vset->vlist[out++].value.pval = (pmValueBlock *)*at_block;
		*at_block +=
		    host_block_put((pmValueBlock *)*at_block, value.block, value.block_len);
	}
}

static int archive_make_result(const struct context *ctx, struct archive_want *want,
			       const struct result_view *view, pmHighResResult **ret_result)
{
	struct shape shape = {.ctx = ctx, .view = view};
	size_t head = host_head_len((uint32_t)want->n);
	pmHighResResult *result;
	uint8_t *at_set;
	uint8_t *at_block;

	for (size_t i = 0; i < want->n; i++) {
		want->counts[i] = measure_set(&shape, &want->sets[archive_want_first(want, i)]);
		if (want->counts[i] == PM_ERR_LOGREC)
			return PM_ERR_LOGREC;
	}
	result = malloc(head + shape.sets + shape.blocks);
	if (result == NULL)
		return -ENOMEM;
	result->timestamp = view->stamp;
	result->numpmid = (int)want->n;
	at_set = (uint8_t *)result + head;
	at_block = at_set + shape.sets;
	for (size_t i = 0; i < want->n; i++) {
		pmValueSet *vset = (pmValueSet *)at_set;

		vset->pmid = want->pmids[i];
		write_set(&shape, &want->sets[archive_want_first(want, i)], want->counts[i],
			  &at_block, vset);
		at_set += host_set_len(want->counts[i]);
		result->vset[i] = vset;
	}
	*ret_result = result;
	return 0;
}

static int known(pmHighResResult *result, pmHighResResult **ret_result)
{
	int r = results_add(result);

	if (r < 0) {
		free(result);
		return r;
	}
	*ret_result = result;
	return 0;
}

int archive_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result)
{
	struct archive_source *a = archive_source_of(ctx);
	pmHighResResult *result = NULL;
	struct result_view view;
	int r = archive_want_set(&a->want, n, pmids);

	if (r < 0)
		return r;
	if (a->mode == PM_MODE_INTERP) {
		r = archive_interp_fetch(ctx, n, pmids, &result);
	} else {
		r = archive_find_record(a, &view);
		if (r > 0)
			r = archive_make_result(ctx, &a->want, &view, &result);
	}
	return r < 0 ? r : known(result, ret_result);
}

/* The result for a mark. */
static int make_mark(const struct timespec *stamp, pmHighResResult **ret_result)
{
	pmHighResResult *result = calloc(1, host_head_len(0));

	if (result == NULL)
		return -ENOMEM;
	result->timestamp = *stamp;
	*ret_result = result;
	return 0;
}

int archive_fetch_record(struct context *ctx, pmHighResResult **ret_result)
{
	struct archive_source *a;
	pmHighResResult *result = NULL;
	struct result_view view;
	const void *record;
	size_t len;
	int version;
	int r;

	if (!archive_is_source(ctx))
		return PM_ERR_NOTARCHIVE;
	a = archive_source_of(ctx);
	if (a->mode == PM_MODE_INTERP)
		return PM_ERR_MODE;
	r = read_record(a, &view);
	if (r < 0)
		return r;
	record = archive_set_record(a->set, &len, &version);
	if (record == NULL)
		r = make_mark(&view.stamp, &result);
	else
		r = result_record_to_host(version, record, len, &result);
	return r < 0 ? r : known(result, ret_result);
}

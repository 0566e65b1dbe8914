/*
 * fetch - pmdaFetch: the agent's callback, value by value, into one result (docs/spec/pmda.md
 * 10.2).
 *
 * There are two forms: a pmResult (values.h), and the bytes of an answer (fetch_wire.h). The
 * common part is here once, in functions that are compiled twice, with the form a constant.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/fetch.h"
#include "libpcp_pmda/fetch_report.h"
#include "libpcp_pmda/fetch_wire.h"
#include "libpcp_pmda/iterate.h"
#include "libpcp_pmda/values.h"

#define TWICE static inline __attribute__((always_inline))

/* State changes that travel in the first byte of the timestamp (10.4 of docs/spec/pdu.md). */
enum { LABEL_CHANGED = 8, NAMES_CHANGED = 16 };

/* Instances for which room is kept before they are there. */
enum { EXPECTED_MAX = 1 << 20 };

/* Bytes of the set of a singular metric in an answer. */
enum { WIRE_SINGULAR = VSET_HEAD_VALUES + VSET_VALUE_LEN };

enum form { HOST, WIRE };

/* The metric whose values are being gathered. */
struct gather {
	pmdaExt *ext;
	int version;
	pmdaMetric *metric;
	int numval;  /* values stored */
	int sts;     /* of the last callback */
	bool failed; /* an instance has no value for an error */
	/* HOST */
	struct values *v;
	pmValueSet *vset;
	/* WIRE */
	struct result_out *out;
	int fmt;  /* of the values stored */
	int left; /* metrics that follow */
	bool bad; /* a value that the collector would refuse the whole set for */
};

/* Room for a set of about n values, and for some singular metrics after it. */
static void wire_expect(struct result_out *out, int n, int left)
{
	size_t values = (size_t)(n < EXPECTED_MAX ? n : EXPECTED_MAX);

	result_out_expect(out, VSET_HEAD_VALUES + values * VSET_VALUE_LEN +
				   (size_t)left * WIRE_SINGULAR);
}

/* Begins the metric's set; expected may be an error code. 0, or a failure that ends the fetch. */
TWICE int gather_begin(struct gather *g, enum form form, pmID pmid, int expected)
{
	if (form == WIRE) {
		if (expected > 1)
			wire_expect(g->out, expected, g->left);
		return result_out_set(g->out, pmid);
	}
	g->vset = fetch_host_begin(g->v, pmid, expected);
	return g->vset == NULL ? -ENOMEM : 0;
}

/* Ends the set: its values if there are any, else the error code in their place. */
TWICE void gather_end(struct gather *g, enum form form, int instead)
{
	int numval = g->numval > 0 ? g->numval : instead;

	if (numval > 0 && !g->failed)
		logged_forget(&ext_of(g->ext)->logged, LOGGED_FETCH, g->metric->m_desc.pmid);
	if (form == WIRE) {
		result_out_set_end(g->out, g->bad ? PM_ERR_CONV : numval, g->fmt);
	} else {
		g->vset->numval = numval;
	}
}

TWICE int gather_put_number(struct gather *g, enum form form, int inst, int type,
			    const pmAtomValue *atom)
{
	if (form == WIRE)
		return fetch_wire_put_number(g->out, inst, type, atom);
	return fetch_host_put_number(g->v, &g->vset, g->numval, type, atom);
}

static int gather_put(struct gather *g, enum form form, int inst, int type, const pmAtomValue *atom)
{
	if (form == WIRE)
		return fetch_wire_put(g->out, inst, type, atom, &g->bad);
	return fetch_host_put(g->v, &g->vset, g->numval, type, atom);
}

TWICE void gather_stored(struct gather *g, enum form form, int inst, int fmt)
{
	if (form == HOST) {
		g->vset->vlist[g->numval].inst = inst;
		g->vset->valfmt = fmt;
	} else {
		g->fmt = fmt;
	}
	g->numval++;
}

/* True for failures that end the fetch, instead of being the result of one value. */
static bool gather_failed(const struct gather *g, enum form form, int r)
{
	return r == -ENOMEM || (form == WIRE && r < 0 && g->out->err < 0);
}

/* Stores the callback's value of an instance, if any. 0, or a failure that ends the fetch. */
static int gather_atom(struct gather *g, enum form form, int inst, pmAtomValue *atom)
{
	const pmDesc *desc = &g->metric->m_desc;
	int fmt;

	if (g->sts < 0) {
		g->failed = true;
		fetch_report_error(g->ext, desc->pmid, inst, g->sts);
		return 0;
	}
	if (g->sts == PMDA_FETCH_NOVALUES && g->version >= PMDA_INTERFACE_3)
		return 0;
	fmt = gather_put(g, form, inst, desc->type, atom);
	if (fmt == PM_ERR_TYPE)
		fetch_report_type(g->ext, desc);
	if (g->sts == PMDA_FETCH_DYNAMIC && g->version >= PMDA_INTERFACE_5)
		fetch_free_dynamic(g->ext, desc, atom);
	if (fmt < 0) {
		g->failed = true;
		g->sts = fmt;
		return gather_failed(g, form, fmt) ? fmt : 0;
	}
	gather_stored(g, form, inst, fmt);
	return 0;
}

/*
 * Takes the callback's value of an instance. Numbers, the usual case, are stored in line, as this
 * and the callback are the whole cost of a value. 0, or a failure that ends the fetch.
 */
TWICE int gather_take(struct gather *g, enum form form, int inst, int sts, pmAtomValue *atom)
{
	int fmt = -1;

	if (sts == PMDA_FETCH_STATIC)
		fmt = gather_put_number(g, form, inst, g->metric->m_desc.type, atom);
	g->sts = sts;
	if (fmt < 0)
		return gather_atom(g, form, inst, atom);
	gather_stored(g, form, inst, fmt);
	return 0;
}

static inline int ask_callback(const struct gather *g, int inst, pmAtomValue *atom)
{
	return g->ext->e_fetchCallBack(g->metric, (unsigned int)inst, atom);
}

TWICE int gather_singular(struct gather *g, enum form form)
{
	pmAtomValue atom;

	return gather_take(g, form, PM_IN_NULL, ask_callback(g, PM_IN_NULL, &atom), &atom);
}

TWICE int gather_domain(struct gather *g, enum form form)
{
	pmAtomValue atom;
	struct iterate it;
	int inst, r = 0;

	iterate_start(&it, g->metric->m_desc.indom, g->ext);
	while (r >= 0 && iterate_next(&it, &inst)) {
		if (form == HOST)
			r = values_grow(g->v, &g->vset, g->numval, g->numval + 1);
		if (r >= 0)
			r = gather_take(g, form, inst, ask_callback(g, inst, &atom), &atom);
	}
	iterate_done(&it);
	return r;
}

/* A metric that is in no table may still be described by the agent's own method (10.2 step 6). */
static pmdaMetric *describe_metric(pmdaExt *ext, pmID pmid, pmdaMetric *spare)
{
	memset(spare, 0, sizeof(*spare));
	ext_of(ext)->describing = true;
	ext_of(ext)->dispatch->version.any.desc(pmid, &spare->m_desc, ext);
	ext_of(ext)->describing = false;
	if (spare->m_desc.pmid != 0) {
		logged_forget(&ext_of(ext)->logged, LOGGED_DESC, pmid);
		return spare;
	}
	if (ext_version(ext) < PMDA_INTERFACE_4)
		fetch_report_undefined(ext, pmid);
	return NULL;
}

/* Any metric but a singular one of the table. */
TWICE int fetch_other(struct gather *g, enum form form, pmID pmid)
{
	int expected = PM_ERR_PMID, r;
	pmdaMetric spare;

	if (g->metric == NULL)
		g->metric = describe_metric(g->ext, pmid, &spare);
	if (g->metric != NULL)
		expected = __pmdaCntInst(g->metric->m_desc.indom, g->ext);
	r = gather_begin(g, form, pmid, expected);
	if (r < 0)
		return r;
	if (expected <= 0) {
		gather_end(g, form, expected);
		return 0;
	}
	r = g->metric->m_desc.indom == PM_INDOM_NULL ? gather_singular(g, form)
						     : gather_domain(g, form);
	gather_end(g, form, g->sts);
	return r;
}

/* Frees memory of the callback when there is no set to store it in. */
static void gather_discard(const struct gather *g, int sts, pmAtomValue *atom)
{
	if (sts == PMDA_FETCH_DYNAMIC && g->version >= PMDA_INTERFACE_5)
		fetch_free_dynamic(g->ext, &g->metric->m_desc, atom);
}

/* A singular metric of the table, of which the callback was asked already. */
TWICE int fetch_singular(struct gather *g, enum form form, pmID pmid, int sts, pmAtomValue *atom)
{
	int r = gather_begin(g, form, pmid, 1);

	if (r < 0) {
		gather_discard(g, sts, atom);
		return r;
	}
	r = gather_take(g, form, PM_IN_NULL, sts, atom);
	gather_end(g, form, g->sts);
	return r;
}

static inline void gather_metric(struct gather *g, pmdaMetric *metric)
{
	g->metric = metric;
	g->numval = 0;
	g->sts = 0;
	g->failed = false;
	g->vset = NULL;
	g->bad = false;
}

static inline bool is_singular(const pmdaMetric *metric)
{
	return metric != NULL && metric->m_desc.indom == PM_INDOM_NULL;
}

/* One metric's set, or what there is of it after a failure. 0, or a failure that ends the fetch. */
static int fetch_metric_host(struct gather *g, pmID pmid)
{
	pmAtomValue atom;
	int sts;

	gather_metric(g, lookup_metric(g->ext, pmid));
	if (!is_singular(g->metric))
		return fetch_other(g, HOST, pmid);
	sts = ask_callback(g, PM_IN_NULL, &atom);
	return fetch_singular(g, HOST, pmid, sts, &atom);
}

/*
 * The metrics from the first one on. Singular numbers are written as long as one follows the other;
 * what ends such a run is written in the usual way. Returns how many were written, or a failure
 * that ends the fetch.
 */
static int fetch_some_wire(struct gather *g, const pmID *pmids, int n)
{
	struct result_run run = result_run_begin(g->out);
	int sts = 0, i, r;
	pmAtomValue atom;
	pmdaMetric *metric;
	bool asked = false;
	const struct logged *logged = &ext_of(g->ext)->logged;

	for (i = 0; i < n; i++) {
		metric = lookup_metric(g->ext, pmids[i]);
		asked = is_singular(metric);
		if (!asked)
			break;
		sts = g->ext->e_fetchCallBack(metric, PM_IN_NULL, &atom);
		if (sts != PMDA_FETCH_STATIC || logged_perhaps(logged, pmids[i]) ||
		    !fetch_wire_single(&run, pmids[i], metric->m_desc.type, &atom))
			break;
	}
	result_run_end(g->out, &run);
	if (i == n)
		return n;
	gather_metric(g, metric);
	g->left = n - i - 1;
	r = asked ? fetch_singular(g, WIRE, pmids[i], sts, &atom) : fetch_other(g, WIRE, pmids[i]);
	return r < 0 ? r : i + 1;
}

static int skeleton_reserve(struct ext *own, int numpmid)
{
	pmResult *result;

	if (numpmid <= own->result_cap)
		return 0;
	result = malloc(sizeof(pmResult) + (size_t)(numpmid - 1) * sizeof(pmValueSet *));
	if (result == NULL)
		return -ENOMEM;
	free(own->result);
	own->result = result;
	own->result_cap = numpmid;
	return 0;
}

/* The mask of state changes that this fetch reports. */
static unsigned char state_changes(const pmdaExt *ext, int version)
{
	unsigned char byte = 0;

	if (version < PMDA_INTERFACE_7)
		return 0;
	if (ext->e_flags & PMDA_EXT_LABEL_CHANGE)
		byte |= LABEL_CHANGED;
	if (ext->e_flags & PMDA_EXT_NAMES_CHANGE)
		byte |= NAMES_CHANGED;
	if (byte != 0 && pmDebugOptions.libpmda)
		fprintf(stderr, "pmdaFetch flags pmda=0x%x to pmcd=0x%x\n", ext->e_flags, byte);
	return byte;
}

static void state_changes_reported(pmdaExt *ext)
{
	ext->e_flags &= ~(unsigned int)(PMDA_EXT_LABEL_CHANGE | PMDA_EXT_NAMES_CHANGE);
}

static int fetch_host(int numpmid, const pmID *pmids, pmResult **resp, pmdaExt *ext)
{
	struct ext *own = ext_of(ext);
	struct gather g = {.ext = ext, .version = ext_version(ext), .v = &own->values};
	unsigned char changes;
	int i, r;

	r = skeleton_reserve(own, numpmid > 1 ? numpmid : 1);
	if (r < 0)
		return r;
	own->result->numpmid = numpmid;
	memset(&own->result->timestamp, 0, sizeof(own->result->timestamp));
	changes = state_changes(ext, g.version);
	memcpy(&own->result->timestamp, &changes, 1);
	values_begin(&own->values);
	for (i = 0; i < numpmid && r >= 0; i++) {
		r = fetch_metric_host(&g, pmids[i]);
		own->result->vset[i] = g.vset;
	}
	values_end(&own->values);
	if (r < 0) {
		own->result->numpmid = i;
		__pmFreeResultValues(own->result);
		return r;
	}
	state_changes_reported(ext);
	*resp = own->result;
	return 0;
}

/* The remembered length of the sets of a request. Equal requests share a place; different ones may,
 * too, which does no harm. */
static uint32_t *sets_len_of(struct ext *own, int numpmid, const pmID *pmids)
{
	uint32_t h = (uint32_t)numpmid * 31 + pmids[0] * 7 + pmids[numpmid - 1];

	return &own->sets_len[(h ^ h >> 10) % EXT_SETS_LEN];
}

static int fetch_sets(struct gather *g, int numpmid, const pmID *pmids)
{
	size_t singular = (size_t)numpmid * WIRE_SINGULAR;
	uint32_t *sets_len = sets_len_of(ext_of(g->ext), numpmid, pmids);
	int r;

	result_out_expect(g->out, *sets_len > 0 ? *sets_len : singular);
	if (g->out->err < 0)
		return g->out->err;
	for (int i = 0; i < numpmid; i += r) {
		r = fetch_some_wire(g, pmids + i, numpmid - i);
		if (r < 0)
			return r;
	}
	*sets_len = (uint32_t)result_out_sets_len(g->out);
	return 0;
}

/* The beginning of each fetch, in either form. */
static int fetch_begin(int numpmid, pmID *pmids, pmdaExt *ext)
{
	if (pmDebugOptions.libpmda && pmDebugOptions.desperate)
		fetch_trace_call(numpmid, pmids);
	fetch_check_back_pointer(ext);
	ext_set_context(ext);
	if (ext->e_fetchCallBack == NULL)
		return PM_ERR_NYI; /* a method of the agent's own has called this */
	return ext_of(ext)->refresh == NULL ? 0 : ext_of(ext)->refresh(numpmid, pmids, ext);
}

static int fetch_write(struct result_out *out, int numpmid, pmID *pmids, pmdaExt *ext,
		       unsigned char *ret_changes)
{
	struct gather g = {.ext = ext, .version = ext_version(ext), .out = out};
	int r = fetch_begin(numpmid, pmids, ext);

	*ret_changes = 0;
	if (r < 0 || numpmid <= 0)
		return r < 0 ? r : 0;
	*ret_changes = state_changes(ext, g.version);
	r = fetch_sets(&g, numpmid, pmids);
	if (r >= 0)
		state_changes_reported(ext);
	return r;
}

int pmdaFetch(int numpmid, pmID *pmidlist, pmResult **resp, pmdaExt *ext)
{
	int r = fetch_begin(numpmid, pmidlist, ext);

	return r < 0 ? r : fetch_host(numpmid, pmidlist, resp, ext);
}

/* Only pmdaFetch itself writes values, and only for an agent that does not look at results: a
 * result callback of the agent's own is called with a pmResult, whatever it does with it. */
static bool may_write(const pmdaInterface *dispatch, const pmdaExt *ext)
{
	return dispatch->version.any.fetch == pmdaFetch && ext != NULL && ext->e_ext != NULL &&
	       ext_of(ext)->public == ext && ext_of(ext)->dispatch == dispatch &&
	       ext->e_resultCallBack == __pmFreeResultValues;
}

int pitot_fetch_sink(pmdaInterface *dispatch, int numpmid, pmID *pmids, struct result_sink *sink,
		     pmResult **ret_result, unsigned char *ret_changes)
{
	pmdaExt *ext = dispatch->version.any.ext;
	struct result_out out;
	int r, failed;

	*ret_result = NULL;
	if (sink->version != RESULT_SINK_VERSION || !may_write(dispatch, ext)) {
		r = dispatch->version.any.fetch(numpmid, pmids, ret_result, ext);
		return r < 0 ? r : 0;
	}
	result_out_open(&out, sink);
	r = fetch_write(&out, numpmid, pmids, ext, ret_changes);
	failed = result_out_close(&out);
	if (r < 0 || failed < 0)
		return r < 0 ? r : failed;
	return 1;
}

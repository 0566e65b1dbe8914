/* fetch - pmdaFetch: the agent's callback, value by value, into one result (fetch.h). */
#include "libpcp_pmda/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/iterate.h"

/* State changes that travel in the first byte of the timestamp (10.4 of docs/spec/pdu.md). */
enum { LABEL_CHANGED = 8, NAMES_CHANGED = 16 };

static inline void block_fill(pmValueBlock *block, int type, const void *bytes, size_t len)
{
	/* Both fields of the header at once: one by one they would be read before written. */
	const pmValueBlock header = {
	    .vtype = (unsigned int)type & 0xff,
	    .vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff,
	};

	memcpy(block, &header, PM_VAL_HDR_SIZE);
	memcpy(block->vbuf, bytes, len);
}

static int store_block(struct values *v, pmValueSet **vset, int numval, int type, const void *bytes,
		       size_t len)
{
	pmValueBlock *block;

	if (len > 0x00ffffff - PM_VAL_HDR_SIZE)
		return -E2BIG; /* vlen has 24 bits */
	block = values_block(v, vset, numval, PM_VAL_HDR_SIZE + len);
	if (block == NULL)
		return -ENOMEM;
	block_fill(block, type, bytes, len);
	(*vset)->vlist[numval].value.pval = block;
	return PM_VAL_DPTR;
}

static int store_aggregate(struct values *v, pmValueSet **vset, int numval, int type,
			   const pmValueBlock *from)
{
	if (from == NULL || from->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_CONV;
	return store_block(v, vset, numval, type, from->vbuf, from->vlen - PM_VAL_HDR_SIZE);
}

int fetch_store(struct values *v, pmValueSet **vset, int numval, int type, const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		(*vset)->vlist[numval].value.lval = atom->l;
		return PM_VAL_INSITU;
	case PM_TYPE_FLOAT:
		return store_block(v, vset, numval, type, &atom->f, sizeof(atom->f));
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return store_block(v, vset, numval, type, &atom->ull, sizeof(atom->ull));
	case PM_TYPE_STRING:
		if (atom->cp == NULL)
			return PM_ERR_CONV;
		return store_block(v, vset, numval, type, atom->cp, strlen(atom->cp) + 1);
	case PM_TYPE_AGGREGATE:
		return store_aggregate(v, vset, numval, type, atom->vbp);
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		if (atom->vbp == NULL)
			return PM_ERR_CONV;
		(*vset)->vlist[numval].value.pval = atom->vbp;
		return PM_VAL_SPTR;
	default:
		return PM_ERR_TYPE;
	}
}

/* Errors that an agent returns in ordinary operation: told only when the library is debugged. */
static bool error_is_ordinary(int sts)
{
	return sts == PM_ERR_VALUE || sts == PM_ERR_APPVERSION || sts == PM_ERR_PERMISSION ||
	       sts == PM_ERR_AGAIN || sts == PM_ERR_NYI;
}

static void report_error(pmID pmid, int inst, int sts)
{
	char name[20], errmsg[PM_MAXERRMSGLEN];

	pmIDStr_r(pmid, name, sizeof(name));
	if (sts == PM_ERR_PMID) {
		pmNotifyErr(LOG_ERR, "pmdaFetch: PMID %s not handled by fetch callback", name);
	} else if (sts == PM_ERR_INST) {
		if (pmDebugOptions.libpmda)
			pmNotifyErr(
			    LOG_ERR,
			    "pmdaFetch: Instance %d of PMID %s not handled by fetch callback", inst,
			    name);
	} else if (!error_is_ordinary(sts) || pmDebugOptions.libpmda) {
		pmNotifyErr(LOG_ERR, "pmdaFetch: Fetch callback error from metric PMID %s[%d]: %s",
			    name, inst, pmErrStr_r(sts, errmsg, sizeof(errmsg)));
	}
}

/* PMDA_FETCH_DYNAMIC: what the callback allocated has been copied. */
static void free_dynamic(const pmDesc *desc, pmAtomValue *atom)
{
	char pmid[20], type[20];

	if (desc->type == PM_TYPE_STRING)
		free(atom->cp);
	else if (desc->type == PM_TYPE_AGGREGATE)
		free(atom->vbp);
	else
		pmNotifyErr(LOG_WARNING,
			    "pmdaFetch: Attempt to free value for metric %s of wrong type %s",
			    pmIDStr_r(desc->pmid, pmid, sizeof(pmid)),
			    pmTypeStr_r(desc->type, type, sizeof(type)));
}

static void report_type(const pmDesc *desc)
{
	char pmid[20], type[20];

	pmNotifyErr(LOG_ERR, "pmdaFetch: Descriptor type (%s) for metric %s is bad",
		    pmTypeStr_r(desc->type, type, sizeof(type)),
		    pmIDStr_r(desc->pmid, pmid, sizeof(pmid)));
}

/* The metric whose values are being gathered. */
struct gather {
	pmdaExt *ext;
	struct values *v;
	int version;
	pmdaMetric *metric;
	pmValueSet *vset;
	int numval; /* values stored */
	int sts;    /* of the last callback */
};

/* Stores what the callback gave for an instance, if anything. 0, or -ENOMEM. */
static int gather_atom(struct gather *g, int inst, pmAtomValue *atom)
{
	const pmDesc *desc = &g->metric->m_desc;
	int fmt;

	if (g->sts < 0) {
		report_error(desc->pmid, inst, g->sts);
		return 0;
	}
	if (g->sts == PMDA_FETCH_NOVALUES && g->version >= PMDA_INTERFACE_3)
		return 0;
	fmt = fetch_store(g->v, &g->vset, g->numval, desc->type, atom);
	if (fmt == PM_ERR_TYPE)
		report_type(desc);
	if (g->sts == PMDA_FETCH_DYNAMIC && g->version >= PMDA_INTERFACE_5)
		free_dynamic(desc, atom);
	if (fmt < 0) {
		g->sts = fmt;
		return fmt == -ENOMEM ? fmt : 0;
	}
	g->vset->vlist[g->numval].inst = inst;
	g->vset->valfmt = fmt;
	g->numval++;
	return 0;
}

/*
 * The kinds of values that most metrics have, in line: the value format, or -1 for what is left to
 * gather_atom. This, and the callback, is what a value costs.
 */
static inline int store_plain(struct values *v, pmValueSet **vset, int numval, int type, int sts,
			      const pmAtomValue *atom)
{
	pmValueBlock *block;

	if (sts != PMDA_FETCH_STATIC)
		return -1;
	if (type == PM_TYPE_U32 || type == PM_TYPE_32) {
		(*vset)->vlist[numval].value.lval = atom->l;
		return PM_VAL_INSITU;
	}
	if (type != PM_TYPE_U64 && type != PM_TYPE_64 && type != PM_TYPE_DOUBLE)
		return -1;
	block = values_block(v, vset, numval, PM_VAL_HDR_SIZE + sizeof(atom->ull));
	if (block == NULL)
		return -1;
	block_fill(block, type, &atom->ull, sizeof(atom->ull));
	(*vset)->vlist[numval].value.pval = block;
	return PM_VAL_DPTR;
}

/* Asks the callback for one instance. 0, or -ENOMEM. */
static inline int gather_inst(struct gather *g, int inst)
{
	pmAtomValue atom;
	int sts = g->ext->e_fetchCallBack(g->metric, (unsigned int)inst, &atom);
	int fmt = store_plain(g->v, &g->vset, g->numval, g->metric->m_desc.type, sts, &atom);

	g->sts = sts;
	if (fmt < 0)
		return gather_atom(g, inst, &atom);
	g->vset->vlist[g->numval++].inst = inst;
	g->vset->valfmt = fmt;
	return 0;
}

static int gather_domain(struct gather *g)
{
	struct iterate it;
	int inst, r = 0;

	iterate_start(&it, g->metric->m_desc.indom, g->ext);
	while (r >= 0 && iterate_next(&it, &inst)) {
		r = values_grow(g->v, &g->vset, g->numval, g->numval + 1);
		if (r >= 0)
			r = gather_inst(g, inst);
	}
	iterate_done(&it);
	return r;
}

/* A metric that is in no table may still be described by the agent's own method (10.2 step 6). */
static pmdaMetric *describe_metric(pmdaExt *ext, pmID pmid, pmdaMetric *spare)
{
	char name[20];

	memset(spare, 0, sizeof(*spare));
	ext_of(ext)->dispatch->version.any.desc(pmid, &spare->m_desc, ext);
	if (spare->m_desc.pmid != 0)
		return spare;
	if (ext_version(ext) < PMDA_INTERFACE_4)
		pmNotifyErr(LOG_ERR, "pmdaFetch: Requested metric %s is not defined",
			    pmIDStr_r(pmid, name, sizeof(name)));
	return NULL;
}

static inline pmValueSet *vset_begin(struct values *v, pmID pmid, int expected)
{
	pmValueSet *vset = values_set(v, expected > 0 ? expected : 0);

	if (vset == NULL)
		return NULL;
	vset->pmid = pmid;
	vset->numval = expected;
	vset->valfmt = PM_VAL_INSITU;
	return vset;
}

/* Any metric but a singular one of the table. */
static int fetch_other(struct gather *g, pmID pmid, pmValueSet **ret_vset)
{
	int expected = PM_ERR_PMID, r = 0;
	pmdaMetric spare;

	if (g->metric == NULL)
		g->metric = describe_metric(g->ext, pmid, &spare);
	if (g->metric != NULL)
		expected = __pmdaCntInst(g->metric->m_desc.indom, g->ext);
	g->vset = vset_begin(g->v, pmid, expected);
	if (g->vset == NULL)
		return -ENOMEM;
	if (expected > 0) {
		r = g->metric->m_desc.indom == PM_INDOM_NULL ? gather_inst(g, PM_IN_NULL)
							     : gather_domain(g);
		g->vset->numval = g->numval > 0 ? g->numval : g->sts;
	}
	*ret_vset = g->vset;
	return r;
}

/* A singular metric of the table; everything unusual is left to gather_atom. */
static inline int fetch_singular(pmdaExt *ext, struct values *v, int version, pmdaMetric *metric,
				 pmValueSet **ret_vset)
{
	pmAtomValue atom;
	int sts = ext->e_fetchCallBack(metric, PM_IN_NULL, &atom);
	int fmt = store_plain(v, ret_vset, 0, metric->m_desc.type, sts, &atom);
	struct gather g;
	int r;

	if (fmt >= 0) {
		(*ret_vset)->vlist[0].inst = PM_IN_NULL;
		(*ret_vset)->valfmt = fmt;
		return 0;
	}
	g = (struct gather){ext, v, version, metric, *ret_vset, 0, sts};
	r = gather_atom(&g, PM_IN_NULL, &atom);
	g.vset->numval = g.numval > 0 ? g.numval : g.sts;
	*ret_vset = g.vset;
	return r;
}

/* 0 with the metric's value set, or -ENOMEM, perhaps with one. */
static inline int fetch_metric(pmdaExt *ext, struct values *v, int version, pmID pmid,
			       pmValueSet **ret_vset)
{
	pmdaMetric *metric = lookup_metric(ext, pmid);
	struct gather g;

	if (metric != NULL && metric->m_desc.indom == PM_INDOM_NULL) {
		*ret_vset = vset_begin(v, pmid, 1);
		return *ret_vset == NULL ? -ENOMEM
					 : fetch_singular(ext, v, version, metric, ret_vset);
	}
	*ret_vset = NULL;
	g = (struct gather){ext, v, version, metric, NULL, 0, 0};
	return fetch_other(&g, pmid, ret_vset);
}

static int skeleton_reserve(struct ext *own, int numpmid)
{
	pmResult *result;

	if (numpmid <= own->result_cap)
		return 0;
	result = malloc(sizeof(pmResult) + (size_t)(numpmid - 1) * sizeof(pmValueSet *));
	if (result == NULL)
		return -errno;
	free(own->result);
	own->result = result;
	own->result_cap = numpmid;
	return 0;
}

static void stamp_changes(const pmdaExt *ext, int version, pmResult *result)
{
	unsigned char byte = 0;

	memset(&result->timestamp, 0, sizeof(result->timestamp));
	if (version < PMDA_INTERFACE_7)
		return;
	if (ext->e_flags & PMDA_EXT_LABEL_CHANGE)
		byte |= LABEL_CHANGED;
	if (ext->e_flags & PMDA_EXT_NAMES_CHANGE)
		byte |= NAMES_CHANGED;
	if (byte == 0)
		return;
	memcpy(&result->timestamp, &byte, 1);
	if (pmDebugOptions.libpmda)
		fprintf(stderr, "pmdaFetch flags pmda=0x%x to pmcd=0x%x\n", ext->e_flags, byte);
}

static void trace_call(int numpmid, const pmID *pmids)
{
	char first[20], last[20];

	if (numpmid < 1)
		return;
	pmIDStr_r(pmids[0], first, sizeof(first));
	if (numpmid == 1)
		fprintf(stderr, "pmdaFetch(%d, pmid[0] %s, ...) called\n", numpmid, first);
	else
		fprintf(stderr, "pmdaFetch(%d, pmid[0] %s... pmid[%d] %s, ...) called\n", numpmid,
			first, numpmid - 1, pmIDStr_r(pmids[numpmid - 1], last, sizeof(last)));
}

static void check_back_pointer(const pmdaExt *ext)
{
	const pmdaInterface *dispatch = ext_of(ext)->dispatch;

	if (dispatch->version.any.ext != ext)
		fprintf(stderr,
			"Botch: pmdaFetch: PMDA domain=%d pmda=%p extp=%p backpointer=%p "
			"pmda-via-backpointer %p NOT EQUAL to pmda\n",
			dispatch->domain, (const void *)ext, ext->e_ext, (const void *)dispatch,
			(void *)dispatch->version.any.ext);
}

int pmdaFetch(int numpmid, pmID *pmidlist, pmResult **resp, pmdaExt *ext)
{
	struct ext *own = ext_of(ext);
	int version = ext_version(ext);
	int i, r;

	if (pmDebugOptions.libpmda && pmDebugOptions.desperate)
		trace_call(numpmid, pmidlist);
	check_back_pointer(ext);
	ext_set_context(ext);
	r = skeleton_reserve(own, numpmid > 1 ? numpmid : 1);
	if (r < 0)
		return r;
	own->result->numpmid = numpmid;
	stamp_changes(ext, version, own->result);
	values_begin(&own->values);
	for (i = 0; i < numpmid && r >= 0; i++) {
		r = fetch_metric(ext, &own->values, version, pmidlist[i], &own->result->vset[i]);
	}
	values_end(&own->values);
	if (r < 0) {
		own->result->numpmid = i;
		__pmFreeResultValues(own->result);
		return r;
	}
	ext->e_flags &= ~(unsigned int)(PMDA_EXT_LABEL_CHANGE | PMDA_EXT_NAMES_CHANGE);
	*resp = own->result;
	return 0;
}

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

static int store_block(struct values *v, pmValueSet **vset, int numval, int type, const void *bytes,
		       size_t len)
{
	pmValueBlock *block;

	if (len > 0x00ffffff - PM_VAL_HDR_SIZE)
		return -E2BIG; /* vlen has 24 bits */
	block = values_block(v, vset, numval, PM_VAL_HDR_SIZE + len);
	if (block == NULL)
		return -ENOMEM;
	block->vtype = (unsigned int)type & 0xff;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff;
	memcpy(block->vbuf, bytes, len);
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
	int version;
	pmdaMetric *metric;
	pmValueSet *vset;
	int numval; /* values stored */
	int sts;    /* of the last callback */
};

/* Asks the callback for one instance. 1 stored, 0 no value, negative: no memory. */
static int gather_inst(struct gather *g, int inst)
{
	const pmDesc *desc = &g->metric->m_desc;
	struct values *v = &ext_of(g->ext)->values;
	pmAtomValue atom;
	int sts, fmt;

	sts = g->ext->e_fetchCallBack(g->metric, (unsigned int)inst, &atom);
	g->sts = sts;
	if (sts < 0) {
		report_error(desc->pmid, inst, sts);
		return 0;
	}
	if (sts == PMDA_FETCH_NOVALUES && g->version >= PMDA_INTERFACE_3)
		return 0;
	fmt = fetch_store(v, &g->vset, g->numval, desc->type, &atom);
	if (fmt == -ENOMEM)
		return fmt;
	if (fmt == PM_ERR_TYPE)
		report_type(desc);
	if (sts == PMDA_FETCH_DYNAMIC && g->version >= PMDA_INTERFACE_5)
		free_dynamic(desc, &atom);
	if (fmt < 0) {
		g->sts = fmt;
		return 0;
	}
	g->vset->vlist[g->numval].inst = inst;
	g->vset->valfmt = fmt;
	g->numval++;
	return 1;
}

static int gather_domain(struct gather *g)
{
	struct values *v = &ext_of(g->ext)->values;
	struct iterate it;
	int inst, r = 0;

	iterate_start(&it, g->metric->m_desc.indom, g->ext);
	while (r >= 0 && iterate_next(&it, &inst)) {
		r = values_grow(v, &g->vset, g->numval, g->numval + 1);
		if (r >= 0)
			r = gather_inst(g, inst);
	}
	iterate_done(&it);
	return r;
}

/* A metric that is in no table may still be described by the agent's own method (10.2 step 6). */
static pmdaMetric *find_metric(pmdaExt *ext, pmID pmid, pmdaMetric *spare)
{
	pmdaMetric *metric = lookup_metric(ext, pmid);
	char name[20];

	if (metric != NULL)
		return metric;
	memset(spare, 0, sizeof(*spare));
	ext_of(ext)->dispatch->version.any.desc(pmid, &spare->m_desc, ext);
	if (spare->m_desc.pmid != 0)
		return spare;
	if (ext_version(ext) < PMDA_INTERFACE_4)
		pmNotifyErr(LOG_ERR, "pmdaFetch: Requested metric %s is not defined",
			    pmIDStr_r(pmid, name, sizeof(name)));
	return NULL;
}

static int fetch_metric(pmdaExt *ext, int version, pmID pmid, pmValueSet **ret_vset)
{
	struct gather g = {.ext = ext, .version = version};
	pmdaMetric spare;
	int expected, r;

	g.metric = find_metric(ext, pmid, &spare);
	expected = PM_ERR_PMID;
	if (g.metric != NULL)
		expected = g.metric->m_desc.indom == PM_INDOM_NULL
			       ? 1
			       : __pmdaCntInst(g.metric->m_desc.indom, ext);
	g.vset = values_set(&ext_of(ext)->values, expected > 0 ? expected : 0);
	if (g.vset == NULL)
		return -ENOMEM;
	g.vset->pmid = pmid;
	g.vset->numval = expected;
	g.vset->valfmt = PM_VAL_INSITU;
	*ret_vset = g.vset;
	if (expected <= 0)
		return 0;
	r = g.metric->m_desc.indom == PM_INDOM_NULL ? gather_inst(&g, PM_IN_NULL)
						    : gather_domain(&g);
	g.vset->numval = g.numval > 0 ? g.numval : g.sts;
	*ret_vset = g.vset;
	return r < 0 ? r : 0;
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
		own->result->vset[i] = NULL;
		r = fetch_metric(ext, version, pmidlist[i], &own->result->vset[i]);
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

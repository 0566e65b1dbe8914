/*
 * init - pmdaInit: numbering, help text, lookup strategy (docs/spec/pmda.md 7).
 *
 * The agent's tables are used where they are, never copied.
 */

#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/init_check.h"

enum {
	PMID_DOMAIN_SHIFT = 22,
	PMID_DOMAIN_MASK = 0x1ff << PMID_DOMAIN_SHIFT,
	INDOM_SERIAL_MASK = 0x3fffff,
};

static pmInDom indom_stamp(int domain, pmInDom indom)
{
	return pmInDom_build((unsigned int)domain, indom & INDOM_SERIAL_MASK);
}

static int check_tables(pmdaInterface *dispatch, pmdaIndom *indoms, int nindoms,
			pmdaMetric *metrics, int nmetrics)
{
	pmdaExt *ext = dispatch->version.any.ext;
	const char *name = ext->e_name;

	if (dispatch->version.any.fetch == pmdaFetch && ext->e_fetchCallBack == NULL)
		DISPATCH_FAIL(dispatch,
			      "pmdaInit: PMDA %s: using pmdaFetch() but fetch call back not set",
			      name);
	else if (nmetrics < 0)
		DISPATCH_FAIL(dispatch, "pmdaInit: PMDA %s: nmetrics (%d) should be non-negative",
			      name, nmetrics);
	else if (nindoms < 0)
		DISPATCH_FAIL(dispatch, "pmdaInit: PMDA %s: nindoms (%d) should be non-negative",
			      name, nindoms);
	else if ((nmetrics == 0) != (metrics == NULL))
		DISPATCH_FAIL(dispatch,
			      "pmdaInit: PMDA %s: metrics (%p) not consistent with nmetrics (%d)",
			      name, (void *)metrics, nmetrics);
	else if ((nindoms == 0) != (indoms == NULL))
		DISPATCH_FAIL(dispatch,
			      "pmdaInit: PMDA %s: indoms (%p) not consistent with nindoms (%d)",
			      name, (void *)indoms, nindoms);
	else
		return 0;
	return PM_ERR_GENERIC;
}

/* Index of the indom table's entry for an instance domain, or -1. */
static int match_indom(const pmdaExt *ext, pmInDom indom)
{
	for (int i = 0; i < ext->e_nindoms; i++) {
		if (ext->e_indoms[i].it_indom == indom)
			return i;
	}
	return -1;
}

static int check_metric_indom(pmdaInterface *dispatch, int m)
{
	pmdaExt *ext = dispatch->version.any.ext;
	const pmDesc *desc = &ext->e_metrics[m].m_desc;
	int i = match_indom(ext, desc->indom);
	char pmid[20], indom[20];

	if (i < 0) {
		DISPATCH_FAIL(dispatch,
			      "pmdaInit: PMDA %s: Undefined instance domain serial (%d) specified "
			      "for metric %s (e_metrics[%d])",
			      ext->e_name, (int)(desc->indom & INDOM_SERIAL_MASK),
			      pmIDStr_r(desc->pmid, pmid, sizeof(pmid)), m);
		return PM_ERR_GENERIC;
	}
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaInit: PMDA %s: Metric %s(%d) matched to indom %s(%d)",
			    ext->e_name, pmIDStr_r(desc->pmid, pmid, sizeof(pmid)), m,
			    pmInDomStr_r(desc->indom, indom, sizeof(indom)), i);
	return 0;
}

/* Stage one (7.2): the domain goes into every identifier. Running it twice is harmless. */
static int init_numbers(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	int domain = dispatch->domain;
	int r;

	for (int m = 0; m < ext->e_nmetrics; m++) {
		pmDesc *desc = &ext->e_metrics[m].m_desc;

		desc->pmid = (desc->pmid & ~(pmID)PMID_DOMAIN_MASK) |
			     ((pmID)domain << PMID_DOMAIN_SHIFT & PMID_DOMAIN_MASK);
		if (desc->indom != PM_INDOM_NULL)
			desc->indom = indom_stamp(domain, desc->indom);
	}
	for (int i = 0; i < ext->e_nindoms; i++)
		ext->e_indoms[i].it_indom = indom_stamp(domain, ext->e_indoms[i].it_indom);
	if (ext->e_nindoms == 0)
		return 0; /* all domains may live in caches */
	for (int m = 0; m < ext->e_nmetrics; m++) {
		if (ext->e_metrics[m].m_desc.indom == PM_INDOM_NULL)
			continue;
		r = check_metric_indom(dispatch, m);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Stage two (7.3): missing help text is worth a warning, no more. */
static void init_help(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	char errmsg[PM_MAXERRMSGLEN];

	if (ext->e_helptext != NULL) {
		ext->e_help = pmdaOpenHelp(ext->e_helptext);
		if (ext->e_help < 0)
			pmNotifyErr(LOG_WARNING,
				    "pmdaInit: PMDA %s: Unable to open help text file(s) from "
				    "\"%s\": %s",
				    ext->e_name, ext->e_helptext,
				    pmErrStr_r(ext->e_help, errmsg, sizeof(errmsg)));
		else if (pmDebugOptions.libpmda)
			pmNotifyErr(LOG_DEBUG, "pmdaInit: PMDA %s: help file %s opened",
				    ext->e_name, ext->e_helptext);
	} else if (dispatch->version.any.text == pmdaText) {
		pmNotifyErr(LOG_WARNING,
			    "pmdaInit: PMDA %s: No help text file specified for pmdaText",
			    ext->e_name);
	} else if (pmDebugOptions.libpmda) {
		pmNotifyErr(LOG_DEBUG, "pmdaInit: PMDA %s: No help text path specified",
			    ext->e_name);
	}
}

/* Stage three (7.4), where the agent did not ask for a hash: may the item be the index? */
static void init_direct(pmdaExt *ext)
{
	char pmid[20];

	ext->e_direct = 1;
	for (int m = 0; m < ext->e_nmetrics; m++) {
		if ((ext->e_metrics[m].m_desc.pmid & 0x3ff) == (pmID)m)
			continue;
		ext->e_direct = 0;
		if ((ext->e_flags & PMDA_EXT_FLAG_DIRECT) || pmDebugOptions.libpmda)
			pmNotifyErr(LOG_WARNING,
				    "pmdaDirect: PMDA %s: Direct mapping for metrics disabled @ "
				    "metrics[%d] %s",
				    ext->e_name, m,
				    pmIDStr_r(ext->e_metrics[m].m_desc.pmid, pmid, sizeof(pmid)));
		return;
	}
}

void pmdaRehash(pmdaExt *ext, pmdaMetric *metrics, int nmetrics)
{
	char pmid[20];
	int r;

	ext->e_direct = 0;
	ext->e_metrics = metrics;
	ext->e_nmetrics = nmetrics;
	r = pmid_map_build(&ext_of(ext)->hashed, metrics, nmetrics, PMID_MAP_LAST);
	if (r < 0) {
		ext->e_flags &= ~(unsigned int)PMDA_EXT_FLAG_HASHED;
		pmNotifyErr(
		    LOG_WARNING,
		    "pmdaRehash: PMDA %s: Hashed mapping for metrics disabled @ metric[%d] %s",
		    ext->e_name, 0,
		    pmIDStr_r(nmetrics > 0 ? metrics[0].m_desc.pmid : PM_ID_NULL, pmid,
			      sizeof(pmid)));
		return;
	}
	ext->e_flags |= PMDA_EXT_FLAG_HASHED;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaRehash: PMDA %s: successful rebuild", ext->e_name);
}

static void init_report(const pmdaInterface *dispatch)
{
	const pmdaExt *ext = dispatch->version.any.ext;

	pmNotifyErr(LOG_INFO, "name        = %s", ext->e_name);
	pmNotifyErr(LOG_INFO, "domain      = %d", dispatch->domain);
	if (dispatch->comm.flags != 0)
		pmNotifyErr(LOG_INFO, "comm flags  = %x", dispatch->comm.flags);
	pmNotifyErr(LOG_INFO, "ext flags  = %x", ext->e_flags);
	pmNotifyErr(LOG_INFO, "num metrics = %d", ext->e_nmetrics);
	pmNotifyErr(LOG_INFO, "num indom   = %d", ext->e_nindoms);
	pmNotifyErr(LOG_INFO, "metric map  = %s", lookup_strategy(ext));
}

void pmdaInit(pmdaInterface *dispatch, pmdaIndom *indoms, int nindoms, pmdaMetric *metrics,
	      int nmetrics)
{
	pmdaExt *ext;

	if (!interface_supported(dispatch->comm.pmda_interface)) {
		DISPATCH_FAIL(dispatch,
			      "pmdaInit: PMDA interface version %d not supported (domain=%d)",
			      dispatch->comm.pmda_interface, dispatch->domain);
		return;
	}
	ext = dispatch->version.any.ext;
	if (ext == NULL) {
		DISPATCH_FAIL(dispatch, "pmdaInit: need to call pmdaDaemon() or pmdaDSO() first");
		return;
	}
	if (check_tables(dispatch, indoms, nindoms, metrics, nmetrics) < 0)
		return;
	ext->e_indoms = indoms;
	ext->e_nindoms = nindoms;
	ext->e_metrics = metrics;
	ext->e_nmetrics = nmetrics;
	if (init_numbers(dispatch) < 0)
		return;
	init_check(dispatch);
	init_help(dispatch);
	if (ext->e_flags & PMDA_EXT_FLAG_HASHED)
		pmdaRehash(ext, metrics, nmetrics);
	else
		init_direct(ext);
	if (pmDebugOptions.libpmda)
		init_report(dispatch);
	dispatch->status = ext->e_status;
}

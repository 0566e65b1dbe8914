/*
 * init - pmdaInit: numbering, help text, lookup strategy (docs/spec/pmda.md 7).
 *
 * The agent's tables are used where they are, never copied. They are checked for faults that would
 * make a fetch answer wrongly. PCP's library takes such tables without a word, and agents that are
 * made for it may have them: so the agent starts, and the log has a warning for each fault (7.2).
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"

/* ---- Checks --------------------------------------------------------------------------------- */

enum {
	DOMAIN_MAX = 510,     /* 511 is that of dynamic names */
	WARNINGS_SHOWN = 20,  /* a table with more has one cause */
	INSTANCES_MAX = 4096, /* of a domain: more are not looked at */
};

struct check {
	const pmdaExt *ext;
	int warnings;
};

__attribute__((format(printf, 2, 3))) static void warn(struct check *c, const char *format, ...)
{
	char text[256];
	va_list ap;

	if (++c->warnings > WARNINGS_SHOWN)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	pmNotifyErr(LOG_WARNING, "pmdaInit: PMDA %s: %s", c->ext->e_name, text);
}

/* ---- metrics -------------------------------------------------------------------------------- */

static bool type_is_known(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_HIGHRES_EVENT;
}

static bool units_are_known(const pmUnits *u)
{
	return u->scaleSpace <= PM_SPACE_YBYTE && u->scaleTime <= PM_TIME_HOUR;
}

static void check_metric(struct check *c, int i)
{
	const pmDesc *d = &c->ext->e_metrics[i].m_desc;
	char pmid[20];

	if (d->type == PM_TYPE_NOSUPPORT) /* the other fields do not count */
		return;
	pmIDStr_r(d->pmid, pmid, sizeof(pmid));
	if (!type_is_known(d->type))
		warn(c, "metrics[%d] %s: type %d is not a PM_TYPE_ code", i, pmid, d->type);
	if (d->sem != PM_SEM_COUNTER && d->sem != PM_SEM_INSTANT && d->sem != PM_SEM_DISCRETE)
		warn(c, "metrics[%d] %s: semantics %d is not a PM_SEM_ code", i, pmid, d->sem);
	if (!units_are_known(&d->units))
		warn(c,
		     "metrics[%d] %s: the scale of its units is not a PM_SPACE_ or PM_TIME_ code",
		     i, pmid);
}

static int metric_cmp(const void *a, const void *b)
{
	const pmdaMetric *x = *(const pmdaMetric *const *)a, *y = *(const pmdaMetric *const *)b;

	if (x->m_desc.pmid != y->m_desc.pmid)
		return x->m_desc.pmid < y->m_desc.pmid ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* A cluster or item number with too many bits becomes that of another metric. */
static void init_check_pmids(struct check *c)
{
	int n = c->ext->e_nmetrics;
	AUTO_FREE const pmdaMetric **rows = calloc((size_t)n + 1, sizeof(const pmdaMetric *));
	char pmid[20];

	for (int i = 0; rows != NULL && i < n; i++)
		rows[i] = &c->ext->e_metrics[i];
	if (rows != NULL)
		qsort(rows, (size_t)n, sizeof(const pmdaMetric *), metric_cmp);
	for (int i = 1; rows != NULL && i < n; i++) {
		if (rows[i]->m_desc.pmid == rows[i - 1]->m_desc.pmid)
			warn(c, "metrics[%d] and metrics[%d] have the same PMID %s",
			     (int)(rows[i - 1] - c->ext->e_metrics),
			     (int)(rows[i] - c->ext->e_metrics),
			     pmIDStr_r(rows[i]->m_desc.pmid, pmid, sizeof(pmid)));
	}
}

/* ---- instance domains ----------------------------------------------------------------------- */

static int init_number_cmp(const void *a, const void *b)
{
	const pmdaInstid *x = *(const pmdaInstid *const *)a, *y = *(const pmdaInstid *const *)b;

	return x->i_inst < y->i_inst ? -1 : x->i_inst > y->i_inst;
}

static int init_name_cmp(const void *a, const void *b)
{
	return strcmp((*(const pmdaInstid *const *)a)->i_name,
		      (*(const pmdaInstid *const *)b)->i_name);
}

static void init_check_numbers(struct check *c, const char *indom, const pmdaInstid **set, int n)
{
	qsort(set, (size_t)n, sizeof(const pmdaInstid *), init_number_cmp);
	if (n > 0 && set[0]->i_inst < 0)
		warn(c, "instance domain %s: instance \"%s\" has number %d: expected 0 or more",
		     indom, set[0]->i_name, set[0]->i_inst);
	for (int i = 1; i < n; i++) {
		if (set[i]->i_inst == set[i - 1]->i_inst)
			warn(c, "instance domain %s: two instances have the number %d", indom,
			     set[i]->i_inst);
	}
}

static void init_check_names(struct check *c, const char *indom, const pmdaInstid **set, int n)
{
	qsort(set, (size_t)n, sizeof(const pmdaInstid *), init_name_cmp);
	for (int i = 1; i < n; i++) {
		if (strcmp(set[i]->i_name, set[i - 1]->i_name) == 0)
			warn(c, "instance domain %s: two instances have the name \"%s\"", indom,
			     set[i]->i_name);
	}
}

static void check_instances(struct check *c, const pmdaIndom *it, const char *indom)
{
	AUTO_FREE const pmdaInstid **set = calloc((size_t)it->it_numinst, sizeof(*set));
	int n = 0;

	if (set == NULL)
		return;
	for (int i = 0; i < it->it_numinst; i++) {
		if (it->it_set[i].i_name != NULL)
			set[n++] = &it->it_set[i];
	}
	/* A set without any name is one that the agent fills later. */
	if (n > 0 && n < it->it_numinst)
		warn(c, "instance domain %s: %d of its %d instances have no name", indom,
		     it->it_numinst - n, it->it_numinst);
	init_check_numbers(c, indom, set, n);
	init_check_names(c, indom, set, n);
}

static void init_check_indom(struct check *c, int i)
{
	const pmdaIndom *it = &c->ext->e_indoms[i];
	char indom[20];

	pmInDomStr_r(it->it_indom, indom, sizeof(indom));
	/* Slots without instances may be unused, and all of serial number 0. */
	for (int j = 0; j < i && it->it_numinst > 0; j++) {
		if (c->ext->e_indoms[j].it_indom == it->it_indom &&
		    c->ext->e_indoms[j].it_numinst > 0)
			warn(c, "indoms[%d] and indoms[%d] have the same serial number: %s", j, i,
			     indom);
	}
	if (it->it_numinst > 0 && it->it_set == NULL)
		warn(c, "instance domain %s: %d instances (it_numinst), but no it_set", indom,
		     it->it_numinst);
	else if (it->it_numinst > 0 && it->it_numinst <= INSTANCES_MAX)
		check_instances(c, it, indom);
}

/* The warnings about an agent's tables, once these have their domain. */
static void init_check(const pmdaInterface *dispatch)
{
	struct check c = {.ext = dispatch->version.any.ext};

	if (dispatch->domain < 0 || dispatch->domain > DOMAIN_MAX)
		warn(&c, "domain %d: expected 0 to %d: metrics get domain %d", dispatch->domain,
		     DOMAIN_MAX, dispatch->domain & 0x1ff);
	for (int i = 0; i < c.ext->e_nmetrics; i++)
		check_metric(&c, i);
	init_check_pmids(&c);
	for (int i = 0; i < c.ext->e_nindoms; i++)
		init_check_indom(&c, i);
	if (c.warnings > WARNINGS_SHOWN)
		pmNotifyErr(LOG_WARNING, "pmdaInit: PMDA %s: %d more warnings of its tables",
			    c.ext->e_name, c.warnings - WARNINGS_SHOWN);
}

/* ---- pmdaInit ------------------------------------------------------------------------------- */

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

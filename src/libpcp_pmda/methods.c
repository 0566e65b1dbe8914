/*
 * methods - the small default methods of an agent, and whose request is being served
 * (docs/spec/pmda.md 9.3, 10.3, 10.5, 10.6).
 */
#include <stdio.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/fetch_report.h"

/* One for the process; the loop and the loaders serve one request at a time. */
static int current_context = -1;

int pmdaGetContext(void)
{
	return current_context;
}

void __pmdaSetContext(int context)
{
	current_context = context;
}

void ext_set_context(const pmdaExt *ext)
{
	if (ext_version(ext) >= PMDA_INTERFACE_5)
		__pmdaSetContext(ext->e_context);
}

int pmdaProfile(pmProfile *profile, pmdaExt *ext)
{
	ext->e_prof = profile;
	return 0;
}

int pmdaStore(pmResult *result, pmdaExt *ext)
{
	ext_set_context(ext);
	return PM_ERR_PERMISSION;
}

int pmdaDesc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	const pmdaMetric *metric;
	char name[20];

	ext_set_context(ext);
	metric = lookup_metric(ext, pmid);
	if (metric == NULL)
		fetch_report_foreign(ext, pmid);
	if (metric != NULL)
		*desc = metric->m_desc;
	else if (ext_version(ext) < PMDA_INTERFACE_4 &&
		 (!ext_of(ext)->describing ||
		  logged_is_new(&ext_of(ext)->logged, LOGGED_DESC, pmid, LOGGED_UNDEFINED)))
		pmNotifyErr(LOG_ERR, "pmdaDesc: Requested metric %s is not defined",
			    pmIDStr_r(pmid, name, sizeof(name)));
	if (pmDebugOptions.libpmda && pmDebugOptions.desperate)
		fprintf(stderr, "pmdaDesc(%s, ...) method=%s %s\n",
			pmIDStr_r(pmid, name, sizeof(name)), lookup_strategy(ext),
			metric != NULL ? "success" : "fail");
	return metric != NULL ? 0 : PM_ERR_PMID;
}

int pmdaText(int ident, int type, char **buffer, pmdaExt *ext)
{
	char *text = NULL;

	ext_set_context(ext);
	if (ext->e_help >= 0)
		text = type & PM_TEXT_PMID ? pmdaGetHelp(ext->e_help, (pmID)ident, type)
					   : pmdaGetInDomHelp(ext->e_help, (pmInDom)ident, type);
	*buffer = text;
	return text == NULL ? PM_ERR_TEXT : 0;
}

int pmdaPMID(const char *name, pmID *pmid, pmdaExt *ext)
{
	return PM_ERR_NAME;
}

int pmdaName(pmID pmid, char ***names, pmdaExt *ext)
{
	return PM_ERR_PMID;
}

int pmdaChildren(const char *name, int traverse, char ***offspring, int **status, pmdaExt *ext)
{
	return PM_ERR_NAME;
}

/* The name of an attribute in messages; NULL for one that agents are never sent. */
static const char *attr_name(int attr)
{
	static const char *const names[] = {
	    [PMDA_ATTR_USERNAME] = "username",   [PMDA_ATTR_USERID] = "userid",
	    [PMDA_ATTR_GROUPID] = "groupid",     [PMDA_ATTR_PROCESSID] = "processid",
	    [PMDA_ATTR_CONTAINER] = "container",
	};

	return attr >= 0 && (size_t)attr < ARRAY_SIZE(names) ? names[attr] : NULL;
}

int pmdaAttribute(int context, int attr, const char *value, int size, pmdaExt *ext)
{
	const char *name = attr_name(attr);

	if (!pmDebugOptions.attr && !pmDebugOptions.auth)
		return 0;
	if (name == NULL)
		pmNotifyErr(LOG_ERR, "Bad attr: ctx=%d, attr=%d", context, attr);
	else
		pmNotifyErr(LOG_INFO, "Attribute: ctx=%d %s=%s", context, name,
			    value == NULL ? "" : value);
	return 0;
}

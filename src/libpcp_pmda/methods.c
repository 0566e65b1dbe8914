/*
 * methods - the small default methods of an agent, and whose request is being served
 * (docs/spec/pmda.md 9.3, 10.3, 10.5, 10.6); labels of an agent's metrics and instances (11).
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"
#include "libpcp_pmda/fetch_report.h"
#include "libpcp_pmda/iterate.h"

/* Exported by libpcp, but not in an installed header (docs/spec/pmapi.md 24): add the labels of the
 * host, and {"agent":"NAME"}; as __pmAddLabels. */
int __pmGetContextLabels(pmLabelSet **set);
int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set);

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

/* ---- Labels --------------------------------------------------------------------------------- */

int pmdaAddLabelFlags(pmLabelSet *set, int flags)
{
	if (set == NULL)
		return 0;
	for (int i = 0; i < set->nlabels; i++)
		set->labels[i].flags |= (unsigned int)flags & 0xff;
	return 1;
}

static int __attribute__((format(printf, 4, 0)))
labels_add(const char *who, pmLabelSet **set, int flags, const char *fmt, va_list ap)
{
	char errmsg[PM_MAXERRMSGLEN];
	AUTO_FREE char *text = malloc(PM_MAXLABELJSONLEN);
	int r;

	if (text == NULL)
		return -ENOMEM;
	r = vsnprintf(text, PM_MAXLABELJSONLEN, fmt, ap);
	if (r < 0)
		return r;
	if (pmDebugOptions.labels)
		fprintf(stderr, "%s: %s\n", who, text);
	r = __pmAddLabels(set, text, flags);
	if (r < 0)
		pmNotifyErr(LOG_ERR, "%s: %s (%s)", who, text,
			    pmErrStr_r(r, errmsg, sizeof(errmsg)));
	return r;
}

int pmdaAddLabels(pmLabelSet **set, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = labels_add("pmdaAddLabels", set, 0, fmt, ap);
	va_end(ap);
	return r;
}

int pmdaAddNotes(pmLabelSet **set, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = labels_add("pmdaAddNotes", set, PM_LABEL_OPTIONAL, fmt, ap);
	va_end(ap);
	return r;
}

/* The sets of a domain's instances while they are gathered. */
struct label_sets {
	pmLabelSet *sets;
	int n;
	int cap;
};

static int label_sets_reserve(struct label_sets *ls)
{
	pmLabelSet *grown;

	if (ls->n < ls->cap)
		return 0;
	grown = realloc(ls->sets, (size_t)(ls->cap + 1) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	ls->sets = grown;
	ls->cap++;
	return 0;
}

static int label_instance(struct label_sets *ls, pmInDom indom, int inst, int type,
			  const pmdaExt *ext)
{
	char name[20], errmsg[PM_MAXERRMSGLEN];
	pmLabelSet *set;
	int n = 0;

	if (label_sets_reserve(ls) < 0)
		return -ENOMEM;
	set = &ls->sets[ls->n++];
	memset(set, 0, sizeof(*set));
	if (ext->e_labelCallBack != NULL)
		n = ext->e_labelCallBack(indom, (unsigned int)inst, &set);
	if (n < 0)
		pmNotifyErr(LOG_DEBUG, "pmdaLabel: InDom %s[%d]: %s",
			    pmInDomStr_r(indom, name, sizeof(name)), inst,
			    pmErrStr_r(n, errmsg, sizeof(errmsg)));
	set->nlabels = n > 0 && set->labels == NULL ? 0 : n;
	if (set->nlabels > 0)
		pmdaAddLabelFlags(set, type);
	set->inst = inst;
	return 0;
}

static int label_domain(struct label_sets *ls, pmInDom indom, int type, pmdaExt *ext)
{
	struct iterate it;
	int inst, r = 0;

	iterate_start(&it, indom, ext);
	while (r >= 0 && iterate_next(&it, &inst))
		r = label_instance(ls, indom, inst, type, ext);
	iterate_done(&it);
	/* Agents rely on one call of the callback even if the profile excludes every instance. */
	if (r >= 0 && ls->n == 0)
		r = label_instance(ls, indom, PM_IN_NULL, type, ext);
	return r;
}

static int label_instances(pmInDom indom, int type, pmLabelSet **ret_sets, pmdaExt *ext)
{
	struct label_sets ls = {0};
	char name[20];
	int r;

	if (ext_version(ext) < PMDA_INTERFACE_7)
		return 0;
	ls.cap = indom == PM_INDOM_NULL ? 1 : __pmdaCntInst(indom, ext);
	if (pmDebugOptions.labels)
		fprintf(stderr, "pmdaLabel: InDom %s %d instance labels request\n",
			pmInDomStr_r(indom, name, sizeof(name)), ls.cap);
	if (ls.cap <= 0)
		return ls.cap;
	ls.sets = calloc((size_t)ls.cap, sizeof(*ls.sets));
	if (ls.sets == NULL)
		return -ENOMEM;
	r = indom == PM_INDOM_NULL ? label_instance(&ls, indom, PM_IN_NULL, type, ext)
				   : label_domain(&ls, indom, type, ext);
	if (r < 0) {
		pmFreeLabelSets(ls.sets, ls.n);
		return r;
	}
	*ret_sets = ls.sets;
	return ls.n;
}

static void trace_request(int ident, int type, const pmdaExt *ext)
{
	char name[32], *dot;

	if (type == PM_LABEL_CONTEXT) {
		fprintf(stderr, "pmdaLabel: context %d labels request\n", ext->e_context);
	} else if (type == PM_LABEL_DOMAIN) {
		fprintf(stderr, "pmdaLabel: domain %d (%s) labels request\n", ext->e_domain,
			ext->e_name);
	} else if (type == PM_LABEL_INDOM) {
		fprintf(stderr, "pmdaLabel: InDom %s labels request\n",
			pmInDomStr_r((pmInDom)ident, name, sizeof(name)));
	} else if (type == PM_LABEL_CLUSTER) {
		dot = strrchr(pmIDStr_r((pmID)ident, name, sizeof(name)), '.');
		if (dot != NULL)
			*dot = '\0';
		fprintf(stderr, "pmdaLabel: cluster %s labels request\n", name);
	} else if (type == PM_LABEL_ITEM) {
		fprintf(stderr, "pmdaLabel: item %s labels request\n",
			pmIDStr_r((pmID)ident, name, sizeof(name)));
	}
}

int pmdaLabel(int ident, int type, pmLabelSet **set, pmdaExt *ext)
{
	ext_set_context(ext);
	type &= ~(PM_LABEL_COMPOUND | PM_LABEL_OPTIONAL);
	if (pmDebugOptions.labels)
		trace_request(ident, type, ext);
	if (type == PM_LABEL_INSTANCES)
		return label_instances((pmInDom)ident, type, set, ext);
	if (type != PM_LABEL_CONTEXT && type != PM_LABEL_DOMAIN && type != PM_LABEL_INDOM &&
	    type != PM_LABEL_CLUSTER && type != PM_LABEL_ITEM)
		return PM_ERR_TYPE;
	if (*set != NULL)
		return pmdaAddLabelFlags(*set, type);
	if (type == PM_LABEL_CONTEXT)
		return __pmGetContextLabels(set);
	if (type == PM_LABEL_DOMAIN)
		return __pmGetDomainLabels(ext->e_domain, ext->e_name, set);
	return 0;
}

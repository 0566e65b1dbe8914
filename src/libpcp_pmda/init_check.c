/* init_check - see init_check.h. */
#include "libpcp_pmda/init_check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/ext.h"

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

/* ---- metrics ---- */

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

	if (d->type == PM_TYPE_NOSUPPORT) /* the rest says nothing */
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

/* A cluster or an item that is too large for its bits comes out as another metric's, too. */
static void check_pmids(struct check *c)
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

/* ---- instance domains ---- */

static int number_cmp(const void *a, const void *b)
{
	const pmdaInstid *x = *(const pmdaInstid *const *)a, *y = *(const pmdaInstid *const *)b;

	return x->i_inst < y->i_inst ? -1 : x->i_inst > y->i_inst;
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp((*(const pmdaInstid *const *)a)->i_name,
		      (*(const pmdaInstid *const *)b)->i_name);
}

static void check_numbers(struct check *c, const char *indom, const pmdaInstid **set, int n)
{
	qsort(set, (size_t)n, sizeof(const pmdaInstid *), number_cmp);
	if (n > 0 && set[0]->i_inst < 0)
		warn(c, "instance domain %s: instance \"%s\" has number %d: expected 0 or more",
		     indom, set[0]->i_name, set[0]->i_inst);
	for (int i = 1; i < n; i++) {
		if (set[i]->i_inst == set[i - 1]->i_inst)
			warn(c, "instance domain %s: two instances have the number %d", indom,
			     set[i]->i_inst);
	}
}

static void check_names(struct check *c, const char *indom, const pmdaInstid **set, int n)
{
	qsort(set, (size_t)n, sizeof(const pmdaInstid *), name_cmp);
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
	check_numbers(c, indom, set, n);
	check_names(c, indom, set, n);
}

static void check_indom(struct check *c, int i)
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

void init_check(const pmdaInterface *dispatch)
{
	struct check c = {.ext = dispatch->version.any.ext};

	if (dispatch->domain < 0 || dispatch->domain > DOMAIN_MAX)
		warn(&c, "domain %d: expected 0 to %d: metrics get domain %d", dispatch->domain,
		     DOMAIN_MAX, dispatch->domain & 0x1ff);
	for (int i = 0; i < c.ext->e_nmetrics; i++)
		check_metric(&c, i);
	check_pmids(&c);
	for (int i = 0; i < c.ext->e_nindoms; i++)
		check_indom(&c, i);
	if (c.warnings > WARNINGS_SHOWN)
		pmNotifyErr(LOG_WARNING, "pmdaInit: PMDA %s: %d more warnings of its tables",
			    c.ext->e_name, c.warnings - WARNINGS_SHOWN);
}

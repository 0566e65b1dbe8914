/*
 * told_dso - an agent for the collector's process that records its notifications: D.0.0, a string,
 * has the context of the request, and each attribute and end of a context so far.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

static char told[4096];

static void note(const char *fmt, ...)
{
	size_t len = strlen(told);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(told + len, sizeof(told) - len, fmt, ap);
	va_end(ap);
}

static int attribute(int context, int attr, const char *value, int len, pmdaExt *ext)
{
	note("attr %d %d %s %d;", context, attr, value == NULL ? "(null)" : value, len);
	return 0;
}

static void end_context(int context)
{
	note("end %d;", context);
}

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	note("fetch %d;", pmdaGetContext());
	atom->cp = told;
	return PMDA_FETCH_STATIC;
}

static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 0), PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}}};

__PMDA_INIT_CALL void told_init(pmdaInterface *dispatch);
void told_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, (char *)"told", NULL);
	pmdaSetCommFlags(dispatch, PMDA_FLAG_AUTHORIZE);
	dispatch->version.six.attribute = attribute;
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaSetEndContextCallBack(dispatch, end_context);
	pmdaInit(dispatch, NULL, 0, metrics, 1);
}

/*
 * words_agent - an agent for dbpmda that gives rise to what it has words for: an object with an
 * entry a mistake, and a program whose first argument says how it is (old, or whole).
 */
#include <errno.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { NUMBER, WORD, LUMP, NONE, LATE, COLOURS };

static pmdaInstid insts[] = {{0, (char *)"red"}, {1, (char *)"blue"}};
static pmdaIndom indoms[] = {{0, 2, insts}, {1, 0, NULL}};
static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, NUMBER), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, WORD), PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, LUMP), PM_TYPE_EVENT, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, NONE), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, LATE), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, COLOURS), PM_TYPE_U32, 0, PM_SEM_INSTANT, {0}}},
};

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	switch (pmID_item(metric->m_desc.pmid)) {
	case WORD:
		atom->cp = (char *)"text";
		return PMDA_FETCH_STATIC;
	case LUMP: {
		static int array = -1;
		struct timeval stamp = {1, 0};

		if (array < 0)
			array = pmdaEventNewArray();
		pmdaEventResetArray(array);
		pmdaEventAddRecord(array, &stamp, PM_EVENT_FLAG_POINT);
		atom->vbp = (pmValueBlock *)pmdaEventGetAddr(array);
		return PMDA_FETCH_STATIC;
	}
	case NONE:
		return PMDA_FETCH_NOVALUES;
	case LATE:
		return PM_ERR_AGAIN;
	default:
		atom->ul = 7 + inst % 2;
		return PMDA_FETCH_STATIC;
	}
}

static int take(pmResult *result, pmdaExt *ext)
{
	return 0;
}

static int no_text(int ident, int type, char **text, pmdaExt *ext)
{
	*text = strdup("");
	return 0;
}

static int no_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	return 0;
}

static int no_name(pmID pmid, char ***names, pmdaExt *ext)
{
	return 0;
}

static int no_children(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	return 0;
}

static int refuse_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	return -EACCES;
}

static int refuse_attribute(int ctx, int attr, const char *value, int length, pmdaExt *ext)
{
	return -EACCES;
}

static int refuse_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	return -EACCES;
}

static void finish(pmdaInterface *dispatch)
{
	pmdaSetFetchCallBack(dispatch, fetch_value);
	dispatch->version.any.store = take;
	pmdaInit(dispatch, indoms, 2, metrics, COLOURS + 1);
}

#define ENTRY(name, interface, ...)                                                                \
	__PMDA_INIT_CALL void name##_init(pmdaInterface *dispatch);                                \
	void name##_init(pmdaInterface *dispatch)                                                  \
	{                                                                                          \
		pmdaDSO(dispatch, interface, (char *)#name, NULL);                                 \
		finish(dispatch);                                                                  \
		__VA_ARGS__                                                                        \
	}

ENTRY(whole, PMDA_INTERFACE_7, (void)0;)
ENTRY(old, PMDA_INTERFACE_2, (void)0;)
ENTRY(failing, PMDA_INTERFACE_7, dispatch->status = -EACCES;)
ENTRY(newer, PMDA_INTERFACE_7, dispatch->comm.pmda_interface = 9;)
ENTRY(strange, PMDA_INTERFACE_7, dispatch->comm.pmapi_version = 9;)
ENTRY(quiet, PMDA_INTERFACE_7, dispatch->version.any.text = no_text;
      dispatch->version.seven.label = no_label; dispatch->version.seven.name = no_name;
      dispatch->version.seven.children = no_children;)
ENTRY(refusing, PMDA_INTERFACE_7, dispatch->version.any.fetch = refuse_fetch;
      dispatch->version.seven.label = refuse_label;
      dispatch->version.seven.attribute = refuse_attribute;
      dispatch->version.any.store = pmdaStore;)
ENTRY(storeless, PMDA_INTERFACE_7, dispatch->version.any.store = pmdaStore;)

int main(int argc, char **argv)
{
	int interface =
	    argc > 1 && strcmp(argv[1], "old") == 0 ? PMDA_INTERFACE_2 : PMDA_INTERFACE_7;
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, interface, (char *)"words", 5, NULL, NULL);
	finish(&dispatch);
	pmdaConnect(&dispatch);
	pmdaMain(&dispatch);
	return 0;
}

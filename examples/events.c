/*
 * events - an agent whose metrics are events: each ring of a bell, once for each client.
 *
 * Storing a text in bell.ring rings; bell.rings has the rings with microseconds, bell.rings_ns with
 * nanoseconds, and bell.rings_now the rings since the last fetch of any client, without a queue.
 *
 *     cc -shared -fPIC -o pmda_bell.so events.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     bell 402 dso bell_init /path/of/pmda_bell.so           in pmcd.conf, or as a program:
 *     bell 402 pipe binary /path/of/pmdabell
 */
#include <string.h>
#include <time.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

enum { RING, RINGS, RINGS_NS, RINGS_NOW, TEXT, NUMBER, CLIENTS, HELD };
enum { QUEUE_BYTES = 4096, PLACES = 2 };

#define METRIC(item, type)                                                                         \
	{                                                                                          \
		NULL,                                                                              \
		{                                                                                  \
			PMDA_PMID(0, item), type, PM_INDOM_NULL, PM_SEM_INSTANT,                   \
			    PMDA_PMUNITS(0, 0, 0, 0, 0, 0)                                         \
		}                                                                                  \
	}

static pmdaMetric metrics[] = {
    METRIC(RING, PM_TYPE_STRING),
    METRIC(RINGS, PM_TYPE_EVENT),
    METRIC(RINGS_NS, PM_TYPE_HIGHRES_EVENT),
    METRIC(RINGS_NOW, PM_TYPE_EVENT),
    METRIC(TEXT, PM_TYPE_STRING),
    METRIC(NUMBER, PM_TYPE_U32),
    METRIC(CLIENTS, PM_TYPE_U32),
    METRIC(HELD, PM_TYPE_U64),
};

static const char *const names[] = {
    "bell.ring", "bell.rings",  "bell.rings_ns", "bell.rings_now",
    "bell.text", "bell.number", "bell.clients",  "bell.held",
};

static pmdaNameSpace *tree;
static int queue, queue_ns; /* handles */
static int array;           /* of bell.rings_now */
static int taken;           /* a client has fetched the array */
static unsigned int rung;

static int decode(int handle, void *data, size_t size, struct timeval *stamp, void *arg)
{
	pmAtomValue atom = {.cp = data};
	int r = pmdaEventAddRecord(handle, stamp, PM_EVENT_FLAG_POINT);

	if (r >= 0)
		r = pmdaEventAddParam(handle, metrics[TEXT].m_desc.pmid, PM_TYPE_STRING, &atom);
	return r < 0 ? r : 1;
}

static int decode_ns(int handle, void *data, size_t size, struct timespec *stamp, void *arg)
{
	pmAtomValue atom = {.cp = data};
	int r = pmdaEventAddHighResRecord(handle, stamp, PM_EVENT_FLAG_POINT);

	if (r >= 0)
		r = pmdaEventAddHighResParam(handle, metrics[TEXT].m_desc.pmid, PM_TYPE_STRING,
					     &atom);
	return r < 0 ? r : 1;
}

static int ring_now(struct timeval *stamp, char *text)
{
	pmAtomValue number = {.ul = ++rung}, atom = {.cp = text};
	int r = taken ? pmdaEventResetArray(array) : 0;

	taken = 0;
	if (r >= 0)
		r = pmdaEventAddRecord(array, stamp, PM_EVENT_FLAG_POINT);
	if (r >= 0)
		r = pmdaEventAddParam(array, metrics[NUMBER].m_desc.pmid, PM_TYPE_U32, &number);
	if (r >= 0)
		r = pmdaEventAddParam(array, metrics[TEXT].m_desc.pmid, PM_TYPE_STRING, &atom);
	return r;
}

static int ring(char *text)
{
	struct timespec ns;
	struct timeval us;
	int r;

	clock_gettime(CLOCK_REALTIME, &ns);
	us.tv_sec = ns.tv_sec;
	us.tv_usec = ns.tv_nsec / 1000;
	r = pmdaEventQueueAppend(queue, text, strlen(text) + 1, &us);
	if (r >= 0)
		r = pmdaEventHighResQueueAppend(queue_ns, text, strlen(text) + 1, &ns);
	return r < 0 ? r : ring_now(&us, text);
}

static int take_now(pmAtomValue *atom)
{
	if (taken || rung == 0)
		return PMDA_FETCH_NOVALUES;
	/* The array is sent after this returns, so it must stay unchanged until the next ring. */
	taken = 1;
	atom->vbp = (pmValueBlock *)pmdaEventGetAddr(array);
	return PMDA_FETCH_STATIC;
}

/* Registers the client that fetches, and lets it see all events. */
static int take(pmdaMetric *metric, pmAtomValue *atom)
{
	int context = pmdaGetContext(), r = pmdaEventNewClient(context);

	if (r < 0)
		return r;
	if (pmID_item(metric->m_desc.pmid) == RINGS_NS) {
		pmdaEventSetAccess(context, queue_ns, 1);
		return pmdaEventHighResQueueRecords(queue_ns, atom, context, decode_ns, NULL);
	}
	pmdaEventSetAccess(context, queue, 1);
	return pmdaEventQueueRecords(queue, atom, context, decode, NULL);
}

static int bell_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	switch (pmID_item(metric->m_desc.pmid)) {
	case RING:
		atom->cp = "";
		return PMDA_FETCH_STATIC;
	case RINGS:
	case RINGS_NS:
		return take(metric, atom);
	case RINGS_NOW:
		return take_now(atom);
	case CLIENTS:
		return pmdaEventQueueClients(queue, atom);
	case HELD:
		return pmdaEventQueueMemory(queue, atom);
	default:
		return PMDA_FETCH_NOVALUES; /* they have values only in events */
	}
}

static void bell_end_context(int context)
{
	pmdaEventEndClient(context);
}

static int bell_store(pmResult *result, pmdaExt *ext)
{
	pmAtomValue atom;
	int r;

	if (result->numpmid != 1 || pmID_item(result->vset[0]->pmid) != RING ||
	    result->vset[0]->numval != 1)
		return PM_ERR_PERMISSION;
	r = pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], PM_TYPE_STRING,
			   &atom, PM_TYPE_STRING);
	if (r < 0)
		return r;
	r = ring(atom.cp);
	free(atom.cp);
	return r < 0 ? r : 0;
}

static int bell_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(tree, name, pmid);
}

static int bell_name(pmID pmid, char ***list, pmdaExt *ext)
{
	return pmdaTreeName(tree, pmid, list);
}

static int bell_children(const char *name, int traverse, char ***list, int **status, pmdaExt *ext)
{
	return pmdaTreeChildren(tree, name, traverse, list, status);
}

static void bell_setup(pmdaInterface *dispatch)
{
	const int n = sizeof(metrics) / sizeof(metrics[0]);

	if (dispatch->status != 0)
		return;
	dispatch->version.six.store = bell_store;
	dispatch->version.six.pmid = bell_pmid;
	dispatch->version.six.name = bell_name;
	dispatch->version.six.children = bell_children;
	pmdaSetFetchCallBack(dispatch, bell_value);
	pmdaSetEndContextCallBack(dispatch, bell_end_context);
	pmdaInit(dispatch, NULL, 0, metrics, n);
	pmdaTreeCreate(&tree);
	for (int i = 0; i < n; i++)
		pmdaTreeInsert(tree, metrics[i].m_desc.pmid, names[i]);
	pmdaTreeRebuildHash(tree, n);
	/* The first clients get the rings from before they connected. */
	queue = pmdaEventNewActiveQueue("rings", QUEUE_BYTES, PLACES);
	queue_ns = pmdaEventNewHighResQueue("rings_ns", QUEUE_BYTES);
	array = pmdaEventNewArray();
	if (queue < 0 || queue_ns < 0 || array < 0)
		dispatch->status = PM_ERR_GENERIC;
}

__PMDA_INIT_CALL void bell_init(pmdaInterface *dispatch);
void bell_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_6, "bell", NULL);
	bell_setup(dispatch);
}

int main(int argc, char **argv)
{
	pmLongOptions long_options[] = {
	    PMDAOPT_DOMAIN,
	    PMDAOPT_LOGFILE,
	    PMDAOPT_PIPE,
	    PMDA_OPTIONS_END,
	};
	pmdaOptions opts = {.short_options = "d:l:p?", .long_options = long_options};
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_6, pmGetProgname(), 402, "bell.log", NULL);
	pmdaGetOptions(argc, argv, &opts, &dispatch);
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	pmdaOpenLog(&dispatch);
	pmdaConnect(&dispatch);
	bell_setup(&dispatch);
	pmdaMain(&dispatch);
	return dispatch.status < 0;
}

/*
 * tracing - what the collector asks for. Each request holds the lock of collector.h from its
 * beginning to its end; the values that it returns are copies.
 *
 * In pmcd's process the thread starts with the first request: one that ran before pmcd goes into
 * the background would be gone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "collector.h"
#include "config.h"
#include "control.h"
#include "fields.h"
#include "instances.h"
#include "metrics.h"
#include "queues.h"
#include "tracing.h"
#include "worker.h"

enum {
	DRAIN_MS = 20,
	PROCESS_MS =
	    3000, /* that a store may wait; others do not wait: pmcd does not block on a process */
};

static bool asks_events; /* the fetch under way asks for events */
static int (*table_store)(pmResult *result, pmdaExt *ext);

/* ---- requests ---- */

/* Whether a request reads or changes what the thread shares with us. */
static bool is_shared(enum agent_request request)
{
	return request != AGENT_REQUEST_PROFILE && request != AGENT_REQUEST_TEXT;
}

static int request_begin(enum agent_request request, pmdaExt *ext)
{
	int r;

	if (!is_shared(request))
		return 0;
	r = worker_start();
	collector_lock();
	if (r < 0)
		collector_failed("no thread: %s", pmErrStr(r));
	if (queues_update())
		agent_names_changed(ext);
	instances_update();
	return 0;
}

static void request_end(enum agent_request request, int status, pmdaExt *ext)
{
	if (request == AGENT_REQUEST_FETCH && asks_events && status >= 0)
		queues_end_fetch(ext->e_context);
	if (is_shared(request))
		collector_unlock();
}

/* Takes out the events, and looks up the values, that this fetch asks for. */
static int fetch_begin(int n, const pmID *pmids, pmdaExt *ext)
{
	bool streams = false;

	asks_events = false;
	for (int i = 0; i < n; i++) {
		unsigned int cluster = pmID_cluster(pmids[i]);

		if (cluster == TRACING_STREAM && pmID_item(pmids[i]) == METRICS_EVENTS)
			asks_events = true;
		streams = streams || cluster == TRACING_STREAM || cluster == TRACING_CONTROL;
	}
	if (asks_events)
		collector_drain(DRAIN_MS);
	if (asks_events && queues_update())
		agent_names_changed(ext);
	if (asks_events)
		instances_update();
	for (struct stream *s = streams ? collector.streams : NULL; s != NULL; s = s->next)
		queues_look(s);
	queues_begin_fetch();
	return 0;
}

/* A value of another type is as wrong as a text that makes no sense. */
static int tracing_store(pmResult *result, pmdaExt *ext)
{
	int r = table_store(result, ext);

	return r == PM_ERR_CONV ? PM_ERR_BADSTORE : r;
}

/* ---- clients ---- */

static int tracing_attribute(int context, int attr, const char *value, int length, pmdaExt *ext)
{
	return attr == PMDA_ATTR_USERID ? users_set(context, length > 0 ? value : NULL) : 0;
}

static void tracing_end_context(int context)
{
	collector_lock();
	queues_end_client(context);
	users_end(context);
	collector_unlock();
}

/* ---- set-up ---- */

static const struct agent_hooks hooks = {
    .begin = request_begin,
    .end = request_end,
    .fetch = fetch_begin,
    .row = metrics_field,
    .names = metrics_names,
    .label = labels_add,
};
static const struct agent_cluster *const clusters[] = {&metrics_cluster};
static const struct agent tracing = {
    "tracing", TRACING_DOMAIN, clusters, 1, AGENT_NO_SELF | AGENT_ONE_TEXT, &hooks};

void tracing_setup(pmdaInterface *dispatch, const char *path)
{
	char message[TRACING_TEXT];
	int r;

	if (dispatch->status != 0)
		return;
	r = settings_load(path, message, sizeof(message));
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "%s", message);
		dispatch->status = r;
		return;
	}
	records_set_domain(dispatch->domain);
	fields_load(dispatch->domain);
	instances_load(dispatch->domain);
	pmdaSetCommFlags(dispatch, PMDA_FLAG_AUTHORIZE);
	agent_setup(&tracing, dispatch);
	if (dispatch->status != 0)
		return;
	table_store = dispatch->version.any.store;
	dispatch->version.any.store = tracing_store;
	dispatch->version.seven.attribute = tracing_attribute;
	pmdaSetLabelCallBack(dispatch, labels_of_instance);
	pmdaSetEndContextCallBack(dispatch, tracing_end_context);
}

void tracing_start(pmdaInterface *dispatch)
{
	int r;

	collector.patience_ms = PROCESS_MS;
	r = dispatch->status == 0 ? worker_start() : 0;

	if (r < 0)
		dispatch->status = r;
}

void tracing_end(void)
{
	worker_stop();
	instances_save();
	fields_save();
}

/* ---- the tracing agent in pmcd's process ---- */

void tracing_init(pmdaInterface *dispatch)
{
	const char *given = getenv("PITOT_TRACING_CONFIG");
	char path[MAXPATHLEN];

	pmdaDSO(dispatch, PMDA_INTERFACE_7, "tracing", NULL);
	snprintf(path, sizeof(path), "%s/tracing/tracing.conf", pmGetConfig("PCP_SYSCONF_DIR"));
	tracing_setup(dispatch, given != NULL ? given : path);
}

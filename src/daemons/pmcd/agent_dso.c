/*
 * agent_dso - agents that are loaded into this process (docs/spec/pmda.md 3, 9.5, 10).
 *
 * A question is a call through the interface structure; what it returns is put into the form of a
 * PDU's body, so that the rest of the collector sees no difference. Values alone stay in host form
 * (fetch), because the reply is encoded from them directly. The agent's methods are trusted not to
 * block.
 */
#include "daemons/pmcd/agent_dso.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libwire/host_agent.h"
#include "libwire/result_sink.h"

enum {
	DSO_ANY_INTERFACE = 0xff, /* what the agent is challenged with */
	DSO_PMAPI_CHALLENGE = 253,
	DSO_PMAPI_VERSION = 2,
};

/*
 * Starting and stopping
 */

static int dso_check(const struct agent *a, const pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		log_error("Agent \"%s\": entry point failed: %d", a->config->label,
			  dispatch->status);
	else if (dispatch->comm.pmda_interface < PMDA_INTERFACE_2 ||
		 dispatch->comm.pmda_interface > PMDA_INTERFACE_LATEST)
		log_error("Agent \"%s\": unknown interface version %u", a->config->label,
			  dispatch->comm.pmda_interface);
	else if (dispatch->comm.pmapi_version != DSO_PMAPI_VERSION)
		log_error("Agent \"%s\": unknown PMAPI version %u", a->config->label,
			  dispatch->comm.pmapi_version);
	else
		return 0;
	return dispatch->status < 0 ? dispatch->status : PM_ERR_GENERIC;
}

static int dso_load(struct agent *a, struct dso *d)
{
	void (*init)(pmdaInterface *);
	int missing, r;

	/* Now, not lazily: a symbol that is missing must not end the collector when it is needed.
	 */
	d->handle = pitot_dso_open(a->config->path);
	if (d->handle == NULL) {
		log_error("Cannot load agent \"%s\": %s", a->config->label, dlerror());
		return PM_ERR_NOAGENT;
	}
	*(void **)&init = dlsym(d->handle, a->config->entry);
	if (init == NULL) {
		log_error("Agent \"%s\": no entry point \"%s\" in %s", a->config->label,
			  a->config->entry, a->config->path);
		return PM_ERR_NOAGENT;
	}
	*(void **)&d->fetch_sink = dlsym(d->handle, "pitot_fetch_sink");
	d->dispatch.domain = (int)a->config->domain;
	d->dispatch.comm.pmda_interface = DSO_ANY_INTERFACE;
	d->dispatch.comm.pmapi_version = DSO_PMAPI_CHALLENGE;
	init(&d->dispatch);
	r = dso_check(a, &d->dispatch);
	missing = r < 0 ? 0 : host_agent_complete(&d->dispatch);
	if (missing > 0)
		log_error("Agent \"%s\": it lacks %d methods: what needs them is answered with an "
			  "error",
			  a->config->label, missing);
	return r;
}

static void dso_free(struct dso *d)
{
	free(d->path);
	free(d->entry);
	free(d);
}

static bool dso_fits(const struct dso *d, const struct config_agent *config)
{
	return d->dispatch.domain == (int)config->domain && strcmp(d->path, config->path) == 0 &&
	       strcmp(d->entry, config->entry) == 0;
}

/* An object that was initialised before continues with its state. */
static struct dso *dso_unpark(struct agent *a)
{
	LIST_FOR_EACH (pos, &a->server->agents.parked) {
		struct dso *d = LIST_ENTRY(pos, struct dso, node);

		if (!dso_fits(d, a->config))
			continue;
		list_del(pos);
		if (dso_ext(d) != NULL)
			dso_ext(d)->e_prof = NULL; /* it went with the last stop */
		return d;
	}
	return NULL;
}

static struct dso *dso_new(const struct config_agent *config)
{
	struct dso *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	list_init(&d->node);
	d->path = strdup(config->path);
	d->entry = strdup(config->entry);
	if (d->path == NULL || d->entry == NULL) {
		dso_free(d);
		return NULL;
	}
	return d;
}

static int dso_start(struct agent *a)
{
	struct dso *d = dso_unpark(a);
	int r = 0;

	a->impl = d;
	if (d == NULL) {
		d = dso_new(a->config);
		if (d == NULL)
			return -ENOMEM;
		a->impl = d;
		r = dso_load(a, d);
	}
	if (r < 0)
		return r;
	d->up = true;
	a->attributes = dso_has(d, DSO_HAS_ATTRIBUTES) &&
			(d->dispatch.comm.flags & (PMDA_FLAG_AUTHORIZE | PMDA_FLAG_CONTAINER)) != 0;
	agent_up(a, false);
	return 0;
}

static void dso_end_context(struct dso *d, unsigned int ctx)
{
	dso_set_context(d, ctx);
	if (dso_has(d, DSO_HAS_CONTEXT) && dso_ext(d) != NULL && dso_ext(d)->e_endCallBack != NULL)
		dso_ext(d)->e_endCallBack((int)ctx);
}

/*
 * An agent in this process cannot be unloaded: it may have threads, and there is no call to make it
 * close its files. It is parked, without clients, until it is configured again.
 */
static void dso_stop(struct agent *a)
{
	struct server *server = a->server;
	struct dso *d = a->impl;

	a->impl = NULL;
	if (d == NULL)
		return;
	if (!d->up) {
		if (d->handle != NULL)
			dlclose(d->handle);
		dso_free(d);
		return;
	}
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			dso_end_context(d, i);
	}
	list_add_tail(&server->agents.parked, &d->node);
}

void agent_dso_done(struct server *server)
{
	LIST_FOR_EACH (pos, &server->agents.parked)
		dso_free(LIST_ENTRY(pos, struct dso, node));
}

/*
 * Values
 */

static void dso_fetch_done(struct agent *a, pmResult *result)
{
	pmdaExt *ext = dso_ext(a->impl);

	/* The skeleton stays the agent's, the values are given back as it wishes. */
	if (ext != NULL && ext->e_resultCallBack != NULL)
		ext->e_resultCallBack(result);
}

static bool result_is_whole(const pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++) {
		if (!host_agent_values(result->vset[i]))
			return false;
	}
	return true;
}

static int dso_fetch(struct agent *a, struct request *req, const struct fetch_ask *ask,
		     struct result_sink *sink, pmResult **ret_result, unsigned char *ret_changes)
{
	struct dso *d = a->impl;
	pmResult *result = NULL;
	int r;

	dso_set_context(d, req->ctx);
	if (sink != NULL && d->fetch_sink != NULL)
		r = d->fetch_sink(&d->dispatch, (int)ask->n, (pmID *)ask->pmids, sink, &result,
				  ret_changes);
	else
		r = d->dispatch.version.any.fetch((int)ask->n, (pmID *)ask->pmids, &result,
						  dso_ext(d));
	if (r < 0 || result == NULL)
		return r != 0 ? r : PM_ERR_VALUE;
	if (!result_is_whole(result)) {
		dso_fetch_done(a, result);
		return PM_ERR_GENERIC;
	}
	/* The mask is the first byte of the stamp, whatever the byte order. */
	memcpy(ret_changes, &result->timestamp, 1);
	*ret_result = result;
	return 0;
}

/*
 * The kind
 */

static int dso_notify(struct agent *a, unsigned int ctx, enum pdu_type type,
		      const union pdu_body *body)
{
	struct dso *d = a->impl;
	const struct pdu_attr *attr = &body->attr;

	dso_set_context(d, ctx);
	if (type == PDU_PROFILE)
		d->dispatch.version.any.profile((pmProfile *)&a->profile->p, dso_ext(d));
	else if (type == PDU_ATTR && dso_has(d, DSO_HAS_ATTRIBUTES))
		d->dispatch.version.six.attribute((int)ctx, attr->key, attr->value.s,
						  (int)attr->value.len, dso_ext(d));
	else if (type == PDU_ERROR)
		dso_end_context(d, ctx);
	return 0;
}

static void dso_describe(const struct agent *a, struct buffer *out)
{
	const struct dso *d = a->impl;

	buffer_printf(out, " %5s %3s %3s %3d dso i:%u  lib=%s entry=%s", "", "", "", PDU_VERSION,
		      d->dispatch.comm.pmda_interface, a->config->path, a->config->entry);
}

const struct agent_ops agent_dso_ops = {
    .kind = "dso",
    .type = 0,
    .start = dso_start,
    .stop = dso_stop,
    .ask = dso_ask,
    .notify = dso_notify,
    .fetch = dso_fetch,
    .fetch_done = dso_fetch_done,
    .describe = dso_describe,
};

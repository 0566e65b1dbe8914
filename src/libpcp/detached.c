/*
 * detached - connections that the library makes and others serve: for daemons whose loop must not
 * wait for a reply.
 */
#include <stdlib.h>

#include <pcp/libpcp.h>

#include "libpcp/context.h"
#include "libpcp/host.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"
#include "libwire/result.h"

static int detach(int handle, unsigned int *features, int *timeout_ms)
{
	struct context *ctx = context_hold(handle);
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = PM_ERR_NOTHOST;
	if (ctx->ops == &host_ops) {
		*timeout_ms = host_of(ctx)->conn.timeout_ms;
		r = conn_detach(&host_of(ctx)->conn, features);
	}
	context_release(ctx);
	return r;
}

int pitot_context_detach(int handle, unsigned int *features, int *timeout_ms)
{
	int r = detach(handle, features, timeout_ms);

	trace_call(r, "pitot_context_detach(%d)", handle);
	return r;
}

int pitot_result_decode(const void *pdu, size_t len, pmHighResResult **result)
{
	pmHighResResult *made;
	int r = result_decode(pdu, len, &made);

	if (r < 0)
		return r;
	r = results_add(made);
	if (r < 0) {
		free(made);
		return r;
	}
	trace_result(made);
	*result = made;
	return 0;
}

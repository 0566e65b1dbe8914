/* host_name - the host that the values of a context come from. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp/context.h"
#include "libpcp/trace.h"

/* A string value into buf. 0, or PM_ERR_VALUE or the metric's error, with buf as it was. */
static int copy_string(const pmValueSet *vset, char *buf, size_t size)
{
	const pmValueBlock *block;

	if (vset->numval < 0)
		return vset->numval;
	if (vset->numval == 0 || vset->valfmt == PM_VAL_INSITU)
		return PM_ERR_VALUE;
	block = vset->vlist[0].value.pval;
	pmsprintf(buf, size, "%.*s", (int)block->vlen - PM_VAL_HDR_SIZE, block->vbuf);
	return 0;
}

/* Asks the collector itself. 0, or the error of the step that failed. */
static int ask_collector(struct context *ctx, char *buf, size_t size)
{
	const char *const name = "pmcd.hostname";
	pmHighResResult *result;
	pmID pmid;
	int r = ctx->ops->lookup_names(ctx, 1, &name, &pmid);

	if (r >= 0)
		r = ctx->ops->fetch(ctx, 1, &pmid, &result);
	if (r < 0)
		return r;
	r = copy_string(result->vset[0], buf, size);
	pmFreeHighResResult(result);
	return r;
}

int pmGetHostName(int handle, char *buf, int buflen)
{
	struct context *ctx;
	int r = 0;

	if (buflen < 1)
		return -EINVAL;
	buf[0] = '\0';
	ctx = context_hold(handle);
	if (ctx == NULL)
		return 0;
	if (ctx->type == PM_CONTEXT_HOST)
		r = ask_collector(ctx, buf, (size_t)buflen);
	if (buf[0] == '\0')
		ctx->ops->host_name(ctx, buf, (size_t)buflen);
	buf[buflen - 1] = '\0';
	context_release(ctx);
	trace_call(r, "pmGetHostName(%d)", handle);
	return r;
}

char *pmGetContextHostName_r(int handle, char *buf, int buflen)
{
	pmGetHostName(handle, buf, buflen);
	return buf;
}

const char *pmGetContextHostName(int handle)
{
	static char buf[HOST_NAME_MAX + 1];

	return pmGetContextHostName_r(handle, buf, sizeof(buf));
}

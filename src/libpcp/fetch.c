/* fetch - values from and to the current context. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"

enum { NSEC_PER_USEC = 1000 };

int pmFetchHighRes(int n, pmID *pmids, pmHighResResult **result)
{
	struct context *ctx;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->fetch(ctx, (size_t)n, pmids, result);
	context_release(ctx);
	trace_call(r, "pmFetch(%d)", n);
	if (r >= 0)
		trace_result(*result);
	return r;
}

int pmHighResFetch(int n, pmID *pmids, pmHighResResult **result)
{
	return pmFetchHighRes(n, pmids, result);
}

int pmFetch(int n, pmID *pmids, pmResult **result)
{
	pmHighResResult *highres;
	int r = pmFetchHighRes(n, pmids, &highres);

	if (r >= 0)
		*result = results_to_usec(highres);
	return r;
}

int pmStoreHighRes(const pmHighResResult *result)
{
	struct context *ctx;
	int r;

	if (result->numpmid < 1)
		return PM_ERR_TOOSMALL;
	for (int i = 0; i < result->numpmid; i++) {
		if (result->vset[i]->numval < 1)
			return PM_ERR_VALUE;
	}
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->store == NULL ? PM_ERR_NOTHOST : ctx->ops->store(ctx, result);
	context_release(ctx);
	trace_call(r, "pmStore(%d)", result->numpmid);
	return r;
}

int pmStore(const pmResult *result)
{
	AUTO_FREE pmHighResResult *highres = NULL;
	size_t nsets;

	if (result->numpmid < 1)
		return PM_ERR_TOOSMALL;
	nsets = (size_t)result->numpmid * sizeof(result->vset[0]);
	highres = malloc(sizeof(*highres) + nsets);
	if (highres == NULL)
		return -ENOMEM;
	highres->timestamp.tv_sec = result->timestamp.tv_sec;
	highres->timestamp.tv_nsec = result->timestamp.tv_usec * NSEC_PER_USEC;
	highres->numpmid = result->numpmid;
	memcpy(highres->vset, result->vset, nsets);
	return pmStoreHighRes(highres);
}

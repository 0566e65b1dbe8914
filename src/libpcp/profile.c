/* profile - the instances that the current context wants (docs/spec/pmapi.md 4). */
#include "libwire/profile.h"

#include <pcp/libpcp.h>

#include "libpcp/context.h"
#include "libpcp/trace.h"

static int change_current(pmInDom indom, int n, int *list,
			  int (*apply)(pmProfile *, pmInDom, int, const int *))
{
	struct context *ctx;
	int r;

	if (indom == PM_INDOM_NULL && list != NULL)
		return PM_ERR_PROFILESPEC;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = apply(&ctx->profile, indom, n, list);
	if (r == 0) {
		ctx->profile_sent = false;
		trace_profile(apply == profile_add ? "pmAddProfile()" : "pmDelProfile()",
			      &ctx->profile);
	}
	context_release(ctx);
	trace_call(r, "%s(0x%x, %d)", apply == profile_add ? "pmAddProfile" : "pmDelProfile", indom,
		   n);
	return r;
}

int pmAddProfile(pmInDom indom, int n, int *list)
{
	return change_current(indom, n, list, profile_add);
}

int pmDelProfile(pmInDom indom, int n, int *list)
{
	return change_current(indom, n, list, profile_del);
}

int __pmInProfile(pmInDom indom, const pmProfile *profile, int inst)
{
	return profile_wants(profile, indom, inst);
}

/* indom - instances and their names, from the current context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp/context.h"
#include "libpcp/trace.h"

/* All instances, or the one with an id or a name. How many. */
static int ask(pmInDom indom, int inst, const char *name, struct context_insts *ret_insts)
{
	struct context *ctx;
	int r;

	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->instances(ctx, indom, inst, name, ret_insts);
	context_release(ctx);
	trace_call(r, "pmGetInDom(0x%x, %d, %s)", indom, inst, name == NULL ? "NULL" : name);
	if (r >= 0)
		trace_insts(indom, ret_insts, r);
	return r;
}

int pmGetInDom(pmInDom indom, int **instlist, char ***namelist)
{
	struct context_insts insts;
	int r = ask(indom, (int)PM_IN_NULL, NULL, &insts);

	if (r < 0)
		return r;
	*instlist = insts.ids;
	*namelist = insts.names;
	return r;
}

int pmLookupInDom(pmInDom indom, const char *name)
{
	struct context_insts insts;
	int inst;
	int r;

	/* On the wire an empty name stands for all instances. */
	if (indom != PM_INDOM_NULL && *name == '\0')
		return PM_ERR_INST;
	r = ask(indom, (int)PM_IN_NULL, name, &insts);
	if (r < 0)
		return r;
	inst = insts.ids[0];
	free(insts.ids);
	free(insts.names);
	return inst;
}

int pmNameInDom(pmInDom indom, int inst, char **name)
{
	struct context_insts insts;
	char *copy;
	int r;

	if (indom != PM_INDOM_NULL && inst == (int)PM_IN_NULL)
		return PM_ERR_INST;
	r = ask(indom, inst, NULL, &insts);
	if (r < 0)
		return r;
	copy = strdup(insts.names[0]);
	free(insts.ids);
	free(insts.names);
	if (copy == NULL)
		return -ENOMEM;
	*name = copy;
	return 0;
}

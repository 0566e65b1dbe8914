/* indom - instances and their names, from the current context: as they are, or all that ever were. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/trace.h"

/* Which instances are meant, and the call that traces name. */
struct tense {
	const char *call;
	int (*instances)(struct context *ctx, pmInDom indom, int inst, const char *name,
			 struct context_insts *ret_insts);
};

static int instances_now(struct context *ctx, pmInDom indom, int inst, const char *name,
			 struct context_insts *ret_insts)
{
	return ctx->ops->instances(ctx, indom, inst, name, ret_insts);
}

static const struct tense now = {"pmGetInDom", instances_now};
static const struct tense ever = {"pmGetInDomArchive", archive_instances_ever};

/* All instances, or the one with an id or a name. How many. */
static int ask(const struct tense *tense, pmInDom indom, int inst, const char *name,
	       struct context_insts *ret_insts)
{
	struct context *ctx;
	int r;

	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = tense->instances(ctx, indom, inst, name, ret_insts);
	context_release(ctx);
	trace_call(r, "%s(0x%x, %d, %s)", tense->call, indom, inst, name == NULL ? "NULL" : name);
	if (r >= 0)
		trace_insts(indom, ret_insts, r);
	return r;
}

static void insts_done(struct context_insts *insts)
{
	free(insts->ids);
	free(insts->names);
}

static int get_all(const struct tense *tense, pmInDom indom, int **ret_ids, char ***ret_names)
{
	struct context_insts insts;
	int r = ask(tense, indom, (int)PM_IN_NULL, NULL, &insts);

	if (r < 0)
		return r;
	*ret_ids = insts.ids;
	*ret_names = insts.names;
	return r;
}

static int look_up(const struct tense *tense, pmInDom indom, const char *name)
{
	struct context_insts insts;
	int r = ask(tense, indom, (int)PM_IN_NULL, name, &insts);

	if (r < 0)
		return r;
	r = insts.ids[0];
	insts_done(&insts);
	return r;
}

static int name_of(const struct tense *tense, pmInDom indom, int inst, char **ret_name)
{
	struct context_insts insts;
	char *copy;
	int r = ask(tense, indom, inst, NULL, &insts);

	if (r < 0)
		return r;
	copy = strdup(insts.names[0]);
	insts_done(&insts);
	if (copy == NULL)
		return -ENOMEM;
	*ret_name = copy;
	return 0;
}

int pmGetInDom(pmInDom indom, int **instlist, char ***namelist)
{
	return get_all(&now, indom, instlist, namelist);
}

int pmLookupInDom(pmInDom indom, const char *name)
{
	/* On the wire an empty name means all instances. */
	if (indom != PM_INDOM_NULL && *name == '\0')
		return PM_ERR_INST;
	return look_up(&now, indom, name);
}

int pmNameInDom(pmInDom indom, int inst, char **name)
{
	if (indom != PM_INDOM_NULL && inst == (int)PM_IN_NULL)
		return PM_ERR_INST;
	return name_of(&now, indom, inst, name);
}

int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist)
{
	return get_all(&ever, indom, instlist, namelist);
}

int pmLookupInDomArchive(pmInDom indom, const char *name)
{
	return look_up(&ever, indom, name);
}

int pmNameInDomArchive(pmInDom indom, int inst, char **name)
{
	if (indom != PM_INDOM_NULL && inst == (int)PM_IN_NULL)
		return PM_ERR_INST_LOG;
	return name_of(&ever, indom, inst, name);
}

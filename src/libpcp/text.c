/* text - help text of metrics and instance domains, from the current context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp/context.h"
#include "libpcp/special.h"
#include "libpcp/trace.h"

enum { LEVELS = PM_TEXT_ONELINE | PM_TEXT_HELP };

static int special_text(const struct special *special, int level, char **ret_text)
{
	char *copy = strdup((level & PM_TEXT_ONELINE) != 0 ? special->oneline : special->help);

	if (copy == NULL)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

/* Where there is no help, or an empty one, the line will do, unless the caller minds. */
static int ask(struct context *ctx, unsigned int ident, int kind, int level, char **ret_text)
{
	bool fall_back = (level & PM_TEXT_HELP) != 0 && (level & PM_TEXT_DIRECT) == 0;
	int r = ctx->ops->text(ctx, ident, kind | (level & LEVELS), ret_text);

	if (!fall_back || (r == 0 && **ret_text != '\0'))
		return r;
	if (r == 0)
		free(*ret_text);
	return ctx->ops->text(ctx, ident, kind | PM_TEXT_ONELINE, ret_text);
}

static int lookup(unsigned int ident, int kind, int level, char **ret_text)
{
	const struct special *special = kind == PM_TEXT_PMID ? special_by_pmid(ident) : NULL;
	struct context *ctx = context_hold_current();
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	if (special != NULL)
		r = special_text(special, level, ret_text);
	else
		r = ask(ctx, ident, kind, level, ret_text);
	context_release(ctx);
	trace_call(r, "pmLookupText(0x%x, %d)", ident, level);
	return r;
}

int pmLookupText(pmID pmid, int level, char **text)
{
	return lookup(pmid, PM_TEXT_PMID, level, text);
}

int pmLookupInDomText(pmInDom indom, int level, char **text)
{
	return lookup(indom, PM_TEXT_INDOM, level, text);
}

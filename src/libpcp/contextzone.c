/*
 * contextzone - the reporting zone of a context's source: docs/spec/pmapi.md 17.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"

/* The value of a singular string metric of the current context, to be freed. */
static int fetch_string(const char *name, char **ret_text)
{
	pmResult *result;
	pmAtomValue atom;
	pmID pmid;
	int r = pmLookupName(1, &name, &pmid);

	if (r < 0)
		return r;
	r = pmFetch(1, &pmid, &result);
	if (r < 0)
		return r;
	if (result->vset[0]->numval == 1)
		r = pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0],
				   PM_TYPE_STRING, &atom, PM_TYPE_STRING);
	else
		r = PM_ERR_VALUE;
	pmFreeResult(result);
	if (r == 0)
		*ret_text = atom.cp;
	return r;
}

int pmNewContextZone(void)
{
	AUTO_FREE char *tz = NULL;
	pmHighResLogLabel label;
	struct context *ctx = context_hold_current();
	bool local;
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	local = ctx->type == PM_CONTEXT_LOCAL;
	context_release(ctx);
	if (local) {
		tz = __pmZoneinfo();
		return tz == NULL ? -ENOMEM : pmNewZone(tz);
	}
	if (pmGetHighResArchiveLabel(&label) >= 0)
		return pmNewZone(label.timezone);
	r = fetch_string("pmcd.zoneinfo", &tz);
	/* An older collector has only the other; want of memory is not a reason to ask for it. */
	if (r < 0 && r != -ENOMEM)
		r = fetch_string("pmcd.timezone", &tz);
	return r < 0 ? r : pmNewZone(tz);
}

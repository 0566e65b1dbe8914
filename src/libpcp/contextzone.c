/*
 * contextzone - the reporting zone of a context's source: docs/spec/pmapi.md 17.
 */
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

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
	int r = pmWhichContext();

	if (r < 0)
		return r;
	if (pmGetHighResArchiveLabel(&label) >= 0)
		return pmNewZone(label.timezone);
	r = fetch_string("pmcd.zoneinfo", &tz);
	if (r < 0)
		r = fetch_string("pmcd.timezone", &tz);
	return r < 0 ? r : pmNewZone(tz);
}

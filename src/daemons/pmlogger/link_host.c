/* link_host - see link_host.h. */
#include "daemons/pmlogger/link_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

/* The value of an instance of a metric of strings; empty if there is none. */
static void fetch_text(const char *metric, int inst, char *buf, size_t size)
{
	pmHighResResult *result;
	pmValueSet *set;
	pmAtomValue atom;
	pmID pmid;

	buf[0] = '\0';
	if (pmLookupName(1, &metric, &pmid) < 0 || pmFetchHighRes(1, &pmid, &result) < 0)
		return;
	set = result->vset[0];
	for (int i = 0; i < set->numval; i++) {
		if (inst != (int)PM_IN_NULL && set->vlist[i].inst != inst)
			continue;
		if (pmExtractValue(set->valfmt, &set->vlist[i], PM_TYPE_STRING, &atom,
				   PM_TYPE_STRING) < 0)
			continue;
		snprintf(buf, size, "%s", atom.cp);
		free(atom.cp);
		break;
	}
	pmFreeHighResResult(result);
}

int link_host_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_host *h = CONTAINER_OF(job, struct link_host, job);
	int r = 0;

	for (unsigned int i = 0; i < h->nspec; i++) {
		char *message = pmSpecLocalPMDA(h->specs[i]);

		if (message == NULL)
			continue;
		fprintf(stderr, "%s: pmSpecLocalPMDA failed\n%s\n", pmGetProgname(), message);
		return -EINVAL;
	}
	r = pmcd_link_open(link, h->type, h->name);
	if (r < 0)
		return r;
	fetch_text("pmcd.hostname", PM_IN_NULL, h->host, sizeof(h->host));
	if (h->host[0] == '\0')
		pmGetContextHostName_r(pmWhichContext(), h->host, sizeof(h->host));
	fetch_text("pmcd.timezone", PM_IN_NULL, h->timezone, sizeof(h->timezone));
	fetch_text("pmcd.zoneinfo", PM_IN_NULL, h->zoneinfo, sizeof(h->zoneinfo));
	return 0;
}

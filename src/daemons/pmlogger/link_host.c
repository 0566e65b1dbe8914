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

/*
 * Which run of the collector it is
 */

enum { DOMAIN_PMCD = 2, ITEM_PID = 23, ITEM_SEQNUM = 24 };

static uint64_t pulse_number(const pmValueSet *set, int type)
{
	pmAtomValue atom;

	if (set->numval != 1 || pmExtractValue(set->valfmt, &set->vlist[0], type, &atom,
					       PM_TYPE_U64) < 0)
		return 0;
	return atom.ull;
}

int link_pulse_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_pulse *p = CONTAINER_OF(job, struct link_pulse, job);
	pmID pmids[] = {pmID_build(DOMAIN_PMCD, 0, ITEM_PID),
			pmID_build(DOMAIN_PMCD, 0, ITEM_SEQNUM)};
	pmHighResResult *result;
	int r = pmcd_link_ready(link);

	if (r == 0)
		r = pmFetchHighRes(2, pmids, &result);
	if (r < 0) {
		pmcd_link_lost(link, r);
		return r;
	}
	p->pid = pulse_number(result->vset[0], PM_TYPE_U64);
	p->seqnum = (uint32_t)pulse_number(result->vset[1], PM_TYPE_U32);
	p->stamp = result->timestamp;
	pmFreeHighResResult(result);
	return 0;
}

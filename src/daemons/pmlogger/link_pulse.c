/* link_pulse - see link_pulse.h. */
#include "daemons/pmlogger/link_pulse.h"

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

enum { DOMAIN_PMCD = 2, ITEM_PID = 23, ITEM_SEQNUM = 24 };

static uint64_t number(const pmValueSet *set, int type)
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
	p->pid = number(result->vset[0], PM_TYPE_U64);
	p->seqnum = (uint32_t)number(result->vset[1], PM_TYPE_U32);
	p->stamp = result->timestamp;
	pmFreeHighResResult(result);
	return 0;
}

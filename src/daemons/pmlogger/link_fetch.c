/* link_fetch - see link_fetch.h. */
#include "daemons/pmlogger/link_fetch.h"

#include "daemons/pmlogger/fetch_plan.h"
#include "libbase/cleanup.h"

/*
 * The context gets the profile of a group. A group that wants some instances has one of its own;
 * all others share that of all instances, so that in the common case none is ever sent again.
 */
static int set_profile(struct pmcd_link *link, const struct fetch_group *g)
{
	uint64_t owner = g->nwant > 0 ? g->id : 0;
	int r;

	if (pmcd_link_profile(link) == owner)
		return 0;
	r = pmAddProfile(PM_INDOM_NULL, 0, NULL);
	for (size_t i = 0; i < g->nwant && r >= 0; i++) {
		r = pmDelProfile(g->wants[i].indom, 0, NULL);
		if (r >= 0)
			r = pmAddProfile(g->wants[i].indom, (int)g->wants[i].n, g->wants[i].insts);
	}
	pmcd_link_set_profile(link, r < 0 ? UINT64_MAX : owner); /* half a profile is nobody's */
	return r;
}

int link_fetch_run(struct link_job *job, struct pmcd_link *link)
{
	struct link_fetch *f = CONTAINER_OF(job, struct link_fetch, job);
	int r = pmcd_link_ready(link);

	f->result = NULL;
	f->changes = 0;
	f->lost = r < 0;
	f->reconnects = pmcd_link_reconnects(link);
	if (r < 0)
		return r;
	r = set_profile(link, f->group);
	if (r >= 0)
		r = pmFetchHighRes((int)f->group->n, f->group->pmids, &f->result);
	if (r < 0) {
		f->lost = pmcd_link_lost(link, r);
		f->result = NULL;
		return r;
	}
	f->changes = (unsigned int)r;
	return 0;
}

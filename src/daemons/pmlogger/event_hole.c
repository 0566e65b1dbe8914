/* event_hole - see event_hole.h. */
#include "daemons/pmlogger/event_hole.h"

#include <stddef.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"

/* A result is one block of memory: nothing of it is lost. */
static void cut(struct logging_metric *m, pmValueSet *set)
{
	int kept = 0;

	for (int i = 0; i < set->numval; i++) {
		if (!logging_primed(m, set->vlist[i].inst))
			set->vlist[kept++] = set->vlist[i];
	}
	set->numval = kept;
}

void event_hole_cut(const struct fetch_group *g, pmHighResResult *result)
{
	for (int i = 0; g->events && i < result->numpmid && (size_t)i < g->n; i++) {
		const struct fetch_metric *fm = &g->metrics[i];

		if (fm->events && fm->metric->primes && result->vset[i]->numval > 0)
			cut(fm->metric, result->vset[i]);
	}
}

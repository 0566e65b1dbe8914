/*
 * event_counts - the numbers of a queue, as values of metrics (docs/spec/pmda.md 14.6).
 *
 * An agent exports them from its fetch callback. None of these functions changes a queue.
 */
#include <errno.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_queue.h"

int pmdaEventQueueClients(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ul = q->clients + q->kept;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueCounter(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ul = q->appended;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueBytes(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->appended_bytes;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueMemory(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->events.bytes;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueHeld(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = sizeof(*q) + q->events.held + event_array_of(q->array)->cap;
	if (q->image.array >= 0)
		atom->ull += event_array_of(q->image.array)->cap;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueDropped(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->dropped;
	return PMDA_FETCH_STATIC;
}

/*
 * pitot/event_queue.h - event queues whose events are stamped with nanoseconds, queues whose
 * clients share the records, and queues of sources that come and go.
 *
 * The queues of <pcp/pmda.h> know microseconds. Those made here are the same in everything else
 * (clients, filters, access, accessors, shutdown and their functions; docs/spec/pmda.md 14.6): only
 * making one, appending, and taking records differ, and what a client gets is an array for metrics
 * of type PM_TYPE_HIGHRES_EVENT. A function for the other kind of queue answers -EINVAL.
 *
 * Not in PCP: an agent that uses this needs Pitot's libpcp_pmda.
 */
#ifndef PITOT_EVENT_QUEUE_H
#define PITOT_EVENT_QUEUE_H

#include <stdint.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Handle of a queue that holds up to maxbytes of events; -EINVAL, -EEXIST, -ENOMEM. */
int pmdaEventNewHighResQueue(const char *name, size_t maxbytes);

/* Copies an event to the end: 0, -EINVAL, -ENOMEM; -EBUSY from a call back of the queue. */
int pmdaEventHighResQueueAppend(int queue, void *data, size_t size, struct timespec *stamp);

/*
 * Adds one event, of which it gets bytes, size and stamp, to the array whose handle comes first,
 * with pmdaEventAddHighResRecord and pmdaEventAddHighResParam: how many records, or an error code.
 */
typedef int (*pmdaEventHighResDecodeCallBack)(int, void *, size_t, struct timespec *, void *);

/* The events that a client has not had, as a pmHighResEventArray in atom->vbp: 1, or 0 if there are
 * none, or -EINVAL, -ENOMEM, the decoder's error. */
int pmdaEventHighResQueueRecords(int queue, pmAtomValue *atom, int context,
				 pmdaEventHighResDecodeCallBack decode, void *data);

/*
 * Promises, for a queue of either kind, that its decoder makes the same records of an event for
 * each client and with whatever data: it is then called once an event, and clients without a filter
 * share what it made. 0, -EINVAL, -ENOMEM; -EBUSY from a call back of the queue.
 */
int pmdaEventQueueShare(int queue);

/*
 * For agents that lose events before they append them. The events count as appended and dropped.
 * Each interested client gets a record of missed events with the time of the newest one. 0,
 * -EINVAL; -EBUSY from a call-back of the queue.
 */
int pmdaEventHighResQueueMissed(int queue, uint64_t events, struct timespec *stamp);

/* For a metric of type PM_TYPE_U64: events that went, for want of room, before all interested
 * clients had them. 1 or -EINVAL. */
int pmdaEventQueueDropped(int queue, pmAtomValue *atom);

/* For a metric of type PM_TYPE_U64: bytes of memory that the queue holds, for its events, for what
 * is noted of each, and for records. 1 or -EINVAL. */
int pmdaEventQueueHeld(int queue, pmAtomValue *atom);

/*
 * Frees memory that the queue can do without: records that clients share, which are made again for
 * clients that have not had them, and unused room. Arrays that the queue returned become invalid.
 * 0,
 * -EINVAL; -EBUSY from a call-back of the queue.
 */
int pmdaEventQueueTrim(int queue);

/* Removes a queue at once, even while clients are interested in it. 0, -EINVAL; -EBUSY from a
 * call-back of the queue. */
int pmdaEventQueueRelease(int queue);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

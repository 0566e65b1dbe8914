/*
 * skew - how far the time stamp counters of the processors are apart. A test of the order of events
 * prints it when it fails: an order by counters is only as good as they are.
 */
#ifndef TRACE_SKEW_H
#define TRACE_SKEW_H

#include <stdint.h>

struct skew {
	int pairs; /* of the first processor with another one; 0: nothing was measured */
	int64_t low,
	    high; /* ticks that a counter is ahead of the first one: the extremes of all pairs */
	char text[128]; /* the same, for a message */
};

struct skew skew_measure(void);

#endif

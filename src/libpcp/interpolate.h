/* interpolate - a counter between two values (docs/spec/archive.md 10.4). */
#ifndef LIBPCP_INTERPOLATE_H
#define LIBPCP_INTERPOLATE_H

#include <pcp/pmapi.h>

/*
 * The value after a part of the way from one value to another, both of a numeric type: done of all. A
 * counter that goes down is taken as it is, or, if the environment has PCP_COUNTER_WRAP, as one that
 * went round once.
 */
pmAtomValue interpolate(int type, double done, double all, const pmAtomValue *from,
			const pmAtomValue *to);

#endif

/*
 * rate - from two values of a counter to the rate between them.
 */
#ifndef PMVAL_RATE_H
#define PMVAL_RATE_H

#include <pcp/pmapi.h>

/*
 * The units of the rate of a counter: one dimension of time less, per second unless it counts time
 * itself, which gives a share of time (no dimension at all).
 */
pmUnits rate_units(pmUnits counter);

/*
 * The rate between two values of a metric, `seconds` apart; a counter that went backwards gives a
 * negative rate, unless PCP_COUNTER_WRAP says that it wrapped. Returns 0 or the error of a value
 * that is no number of the metric's type.
 */
int rate_between(const pmDesc *desc, int before_fmt, const pmValue *before, int now_fmt,
		 const pmValue *now, double seconds, double *ret_rate);

#endif

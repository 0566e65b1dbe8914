/*
 * rate - the rate between two values of a counter.
 */
#ifndef PMVAL_RATE_H
#define PMVAL_RATE_H

#include <pcp/pmapi.h>

/*
 * The units of the rate of a counter: one less in the dimension of time, per second. The rate of a
 * counter of time is a share of time, without dimension.
 */
pmUnits rate_units(pmUnits counter);

/*
 * The rate between two values of a metric, `seconds` apart. A counter that decreased gives a
 * negative rate, unless PCP_COUNTER_WRAP says that it wrapped. Returns 0, or an error if a value is
 * not a number of the metric's type.
 */
int rate_between(const pmDesc *desc, int before_fmt, const pmValue *before, int now_fmt,
		 const pmValue *now, double seconds, double *ret_rate);

#endif

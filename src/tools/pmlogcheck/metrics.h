/*
 * metrics - pass 2: the descriptors.
 */
#ifndef PMLOGCHECK_METRICS_H
#define PMLOGCHECK_METRICS_H

struct check;

void metrics_check(const struct check *c);

#endif

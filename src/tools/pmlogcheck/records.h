/*
 * records - pass 3: the data records of the window, their order, encoding and counters.
 */
#ifndef PMLOGCHECK_RECORDS_H
#define PMLOGCHECK_RECORDS_H

struct check;

void records_check(const struct check *c);

#endif

/*
 * report - the old and new values of a metric, one line an instance.
 */
#ifndef PMSTORE_REPORT_H
#define PMSTORE_REPORT_H

#include <pcp/pmapi.h>

struct target;

/*
 * Prints a line for each value in now, with the value that its instance had before, if it had one.
 */
void report_print(const struct target *t, const pmValueSet *before, const pmValueSet *now);

#endif

/*
 * report - what a metric's values were and what they are now, a line an instance.
 */
#ifndef PMSTORE_REPORT_H
#define PMSTORE_REPORT_H

#include <pcp/pmapi.h>

struct target;

/* Prints a line for each value of now, with the value that its instance had before, if any. */
void report_print(const struct target *t, const pmValueSet *before, const pmValueSet *now);

#endif

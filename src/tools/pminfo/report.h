/*
 * report - what pminfo prints of one metric, in a fixed order.
 */
#ifndef PMINFO_REPORT_H
#define PMINFO_REPORT_H

#include <pcp/pmapi.h>

struct metric;
struct options;

/* Prints all that the options ask for; what a single step can't find out is said in its place. */
void report_metric(const struct metric *m, const struct options *o);

/* The same for an instance domain: its number, and its texts and labels. */
void report_indom(pmInDom indom, const struct options *o);

#endif

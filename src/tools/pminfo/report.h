/*
 * report - what pminfo prints of one metric, in a fixed order.
 */
#ifndef PMINFO_REPORT_H
#define PMINFO_REPORT_H

#include <pcp/pmapi.h>

struct metric;
struct options;

/* Prints the parts that the options ask for; a step that fails prints its error in its place. */
void report_metric(const struct metric *m, const struct options *o);

/* The same for an instance domain: its number, texts and labels. */
void report_indom(pmInDom indom, const struct options *o);

#endif

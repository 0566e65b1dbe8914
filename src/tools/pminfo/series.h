/*
 * series - the identifiers under which time series of metrics are known: hashes of what they are.
 */
#ifndef PMINFO_SERIES_H
#define PMINFO_SERIES_H

struct metric;
struct options;

/* Prints the identifiers of the source and of the metric, or those of the instances. */
void series_print_metric(const struct metric *m, const struct options *o);
void series_print_instances(const struct metric *m, const struct options *o);

#endif

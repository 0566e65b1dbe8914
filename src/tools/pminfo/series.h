/*
 * series - the identifiers of the time series of metrics: hashes of their metadata.
 */
#ifndef PMINFO_SERIES_H
#define PMINFO_SERIES_H

struct metric;
struct options;

/* Prints the identifiers of the source and of the metric, or those of the instances. */
void series_print_metric(const struct metric *m, const struct options *o);
void series_print_instances(const struct metric *m, const struct options *o);

#endif

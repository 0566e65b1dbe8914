/*
 * value - prints the values of a metric.
 */
#ifndef PMINFO_VALUE_H
#define PMINFO_VALUE_H

struct metric;
struct options;

/*
 * Prints all values, one a line, or the reason why there are none; event records with their
 * parameters.
 */
void value_print(const struct metric *m, const struct options *o);

#endif

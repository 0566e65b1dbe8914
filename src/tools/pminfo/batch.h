/*
 * batch - asks for the identifiers, descriptions and values of a number of metrics at a time.
 */
#ifndef PMINFO_BATCH_H
#define PMINFO_BATCH_H

#include <stddef.h>

struct options;

/*
 * Reports n metrics in their order. What can't be found out about one of them is reported in its
 * place, and the others are not the worse for it.
 */
void batch_report(const struct options *o, char *const *names, size_t n);

#endif

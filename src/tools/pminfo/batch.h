/*
 * batch - requests the identifiers, descriptions and values of several metrics at a time.
 */
#ifndef PMINFO_BATCH_H
#define PMINFO_BATCH_H

#include <stddef.h>

struct options;

/*
 * Reports n metrics in their order. An error of one of them is printed in its place and does not
 * affect the others.
 */
void batch_report(const struct options *o, char *const *names, size_t n);

#endif

/*
 * header - the description of a metric that is printed before its values.
 */
#ifndef PMVAL_HEADER_H
#define PMVAL_HEADER_H

struct options;
struct target;

/* Prints the header. Returns 0, or an error after reporting it. */
int header_print(const struct options *o, const struct target *t);

#endif

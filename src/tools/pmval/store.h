/*
 * store - stores a value before the metric is watched (-x).
 */
#ifndef PMVAL_STORE_H
#define PMVAL_STORE_H

struct target;

/*
 * Stores a value, given as text, to all chosen instances. Returns 0, or an error after reporting
 * it.
 */
int store_value(const struct target *t, const char *text);

#endif

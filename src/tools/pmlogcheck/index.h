/*
 * index - pass 1: the entries of the temporal index.
 */
#ifndef PMLOGCHECK_INDEX_H
#define PMLOGCHECK_INDEX_H

struct check;

void index_check(const struct check *c);

#endif

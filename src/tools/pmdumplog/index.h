/*
 * index - section -t: the temporal index, and its errors.
 */
#ifndef PMDUMPLOG_INDEX_H
#define PMDUMPLOG_INDEX_H

struct dump;

/* Returns 0, or an error if the index cannot be read. */
int index_print(const struct dump *d);

#endif

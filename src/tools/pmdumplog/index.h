/*
 * index - section -t: the temporal index, and what is wrong with it.
 */
#ifndef PMDUMPLOG_INDEX_H
#define PMDUMPLOG_INDEX_H

struct dump;

/* 0, or the error that the index could not be read for. */
int index_print(const struct dump *d);

#endif

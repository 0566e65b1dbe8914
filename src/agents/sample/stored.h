/* stored.h - a number that takes every store, and whether there was one. */
#ifndef SAMPLE_STORED_H
#define SAMPLE_STORED_H

struct sample_metric;

/* 1: the value is another one than at the start, 0: the same, -1: the row is none of these. */
int stored_is_changed(const struct sample_metric *row);

#endif

/* stored.h - whether somebody has stored into a number that takes everything. */
#ifndef SAMPLE_STORED_H
#define SAMPLE_STORED_H

struct sample_metric;

/* 1: the value is another one than at the start, 0: the same, -1: the row is none of these. */
int stored_is_changed(const struct sample_metric *row);

#endif

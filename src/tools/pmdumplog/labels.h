/*
 * labels - section -e: all label sets, by time, level and identifier.
 */
#ifndef PMDUMPLOG_LABELS_H
#define PMDUMPLOG_LABELS_H

struct dump;

/* 0, or the error that ended it. */
int labels_print(const struct dump *d);

#endif

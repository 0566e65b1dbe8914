/*
 * labels - section -e: all label sets, ordered by time, level and identifier.
 */
#ifndef PMDUMPLOG_LABELS_H
#define PMDUMPLOG_LABELS_H

struct dump;

/* Returns 0 or an error. */
int labels_print(const struct dump *d);

#endif

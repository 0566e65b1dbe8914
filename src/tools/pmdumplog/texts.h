/*
 * texts - section -h: the help of all metrics and instance domains, by identifier.
 */
#ifndef PMDUMPLOG_TEXTS_H
#define PMDUMPLOG_TEXTS_H

struct dump;

/* 0, or the error that ended it. */
int texts_print(const struct dump *d);

#endif

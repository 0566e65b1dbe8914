/*
 * texts - section -h: the help texts of all metrics and instance domains, ordered by identifier.
 */
#ifndef PMDUMPLOG_TEXTS_H
#define PMDUMPLOG_TEXTS_H

struct dump;

/* Returns 0 or an error. */
int texts_print(const struct dump *d);

#endif

/*
 * records - section -m: the data records of the window, with names, forward or backward.
 */
#ifndef PMDUMPLOG_RECORDS_H
#define PMDUMPLOG_RECORDS_H

struct chosen;
struct dump;

/* Returns 0 or an error. */
int records_print(const struct dump *d, const struct chosen *chosen);

#endif

/*
 * indoms - sections -i and -I: instance domains as they were over time, and as they are on disk.
 */
#ifndef PMDUMPLOG_INDOMS_H
#define PMDUMPLOG_INDOMS_H

struct dump;

/* All domains ascending, each with its observations in the order of time. 0, or the error that
 * ended it. */
int indoms_print(const struct dump *d);

/* The records in the order of the file. 0, or the error that ended it. */
int indoms_print_records(const struct dump *d);

#endif

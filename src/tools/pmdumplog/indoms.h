/*
 * indoms - sections -i and -I: instance domains over time, and as they are on disk.
 */
#ifndef PMDUMPLOG_INDOMS_H
#define PMDUMPLOG_INDOMS_H

struct dump;

/*
 * Prints all domains in ascending order, each with its observations in the order of time. Returns 0
 * or an error.
 */
int indoms_print(const struct dump *d);

/* Prints the records in the order of the file. Returns 0 or an error. */
int indoms_print_records(const struct dump *d);

#endif

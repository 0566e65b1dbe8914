/*
 * descs - section -d: the descriptions of all metrics, ordered by metric identifier.
 */
#ifndef PMDUMPLOG_DESCS_H
#define PMDUMPLOG_DESCS_H

struct dump;

void descs_print(const struct dump *d);

#endif

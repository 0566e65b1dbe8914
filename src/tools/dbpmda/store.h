/*
 * store - every value of a metric replaced by one given as text (docs/spec/pmda.md 19.6).
 */
#ifndef DBPMDA_STORE_H
#define DBPMDA_STORE_H

#include <pcp/pmapi.h>

struct session;

/* Fetches the metric, prints old and new values, and stores. 0, or an error that was printed. */
int store_value(struct session *s, pmID pmid, const char *text);

#endif

/*
 * store - replaces every value of a metric by one that is given as text (docs/spec/pmda.md 19.6).
 */
#ifndef DBPMDA_STORE_H
#define DBPMDA_STORE_H

#include <pcp/pmapi.h>

struct session;

/*
 * Fetches the metric, prints old and new values, and stores. Returns 0, or an error that was
 * printed.
 */
int store_value(struct session *s, pmID pmid, const char *text);

#endif

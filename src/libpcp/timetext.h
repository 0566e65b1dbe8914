/*
 * timetext - times that a user types: docs/spec/pmapi.md 15.2.
 *
 * A ctimetext is "@Fri Nov 20 15:36:08 2026", whole or in part. A timetext is a time as in -S and
 * -T, within the start and the end of the data.
 */
#ifndef LIBPCP_TIMETEXT_H
#define LIBPCP_TIMETEXT_H

#include <time.h>

/* end may be PM_MAX_TIME_T seconds: not known. 0, or -1 with *ret_errmsg, to be freed. */
int timetext_parse(const char *text, const struct timespec *start, const struct timespec *end,
		   struct timespec *ret_time, char **ret_errmsg);

/* The fields of the text; a field that it does not have is CTIME_NONE. The year counts from
 * 1900. */
#define CTIME_NONE (-1)

struct ctimetext {
	struct tm tm;
	long nsec;
};

/* text comes after the @. NULL, or why it is wrong, and where. */
const char *ctimetext_parse(const char *text, struct ctimetext *ret, const char **ret_at);

/* The instant, with the fields that are missing from base, in the reporting zone. */
struct timespec ctimetext_resolve(const struct ctimetext *c, const struct timespec *base);

#endif

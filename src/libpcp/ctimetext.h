/* ctimetext - "@Fri Nov 20 15:36:08 2026", whole or in part: docs/spec/pmapi.md 15.2. */
#ifndef LIBPCP_CTIMETEXT_H
#define LIBPCP_CTIMETEXT_H

#include <time.h>

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

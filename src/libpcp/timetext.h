/* timetext - a time as in -S and -T, within the start and the end of what there is:
 * docs/spec/pmapi.md 15.2. */
#ifndef LIBPCP_TIMETEXT_H
#define LIBPCP_TIMETEXT_H

#include <time.h>

/* end may be PM_MAX_TIME_T seconds: not known. 0, or -1 with *ret_errmsg, to be freed. */
int timetext_parse(const char *text, const struct timespec *start, const struct timespec *end,
		   struct timespec *ret_time, char **ret_errmsg);

#endif

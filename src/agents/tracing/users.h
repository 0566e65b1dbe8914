/*
 * users - who asks: the user of each client, as the collector passes it on.
 */
#ifndef TRACING_USERS_H
#define TRACING_USERS_H

#include <stdbool.h>
#include <sys/types.h>

/* The text of PMDA_ATTR_USERID, which may be NULL; 0 or -ENOMEM. */
int users_set(int context, const char *text);
void users_end(int context);

/* False for a client of whom nothing is known. */
bool users_get(int context, uid_t *ret_uid);

#endif

/*
 * join - several archives as one: made beside the output, with a mark where two meet, so that all
 * rules see one archive. It is there while the output is made.
 */
#ifndef PMLOGREWRITE_JOIN_H
#define PMLOGREWRITE_JOIN_H

#include <stdbool.h>

/* Whether a name means several archives: a list with commas, a folder. */
bool join_is_wanted(const char *names);

/*
 * Makes the archive; *ret_base is its name, for join_drop. 0; errors of opening (PM_ERR_LOGHOST and
 * others), of reading and of writing; PM_ERR_LOGOVERLAP; -EINVAL for metrics that are not alike.
 */
int join_make(const char *names, const char *output, char **ret_base);

/* Removes it. NULL does nothing. */
void join_drop(char *base);

#endif

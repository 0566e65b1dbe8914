/*
 * join - several archives as one: a temporary archive next to the output, with a mark between the
 * inputs, so that all rules see one archive. It exists while the output is written.
 */
#ifndef PMLOGREWRITE_JOIN_H
#define PMLOGREWRITE_JOIN_H

#include <stdbool.h>

/* True if a name means several archives: a list with commas, a folder. */
bool join_is_wanted(const char *names);

/*
 * Makes the archive; *ret_base is its name, for join_drop. Returns 0; errors of opening
 * (PM_ERR_LOGHOST and others), of reading and of writing; PM_ERR_LOGOVERLAP; -EINVAL for metrics
 * that differ.
 */
int join_make(const char *names, const char *output, char **ret_base);

/* Removes it. NULL is allowed. */
void join_drop(char *base);

#endif

/*
 * rewrite - writes the records of an archive to a new one, changed by a plan.
 */
#ifndef PMLOGREWRITE_REWRITE_H
#define PMLOGREWRITE_REWRITE_H

#include <stdbool.h>

struct options;
struct plan;

/*
 * Makes the archive of this base. Returns false after reporting an error; then its files are
 * removed, or kept if desperate.
 */
bool rewrite_run(const struct options *o, struct plan *plan, const char *name, const char *base);

#endif

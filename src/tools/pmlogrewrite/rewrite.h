/*
 * rewrite - the records of an archive, as a plan wants them, in a new one.
 */
#ifndef PMLOGREWRITE_REWRITE_H
#define PMLOGREWRITE_REWRITE_H

#include <stdbool.h>

struct options;
struct plan;

/* Makes the archive of this base; desperate: what there is of it stays after an error. False after
 * an error was told; nothing is left then, unless it is to stay. */
bool rewrite_run(const struct options *o, struct plan *plan, const char *name, const char *base);

#endif

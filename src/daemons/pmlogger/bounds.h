/*
 * bounds - when recording ends by itself, and when a volume does: -s, -v, -T, -p
 * (docs/spec/logger.md A6).
 */
#ifndef PMLOGGER_BOUNDS_H
#define PMLOGGER_BOUNDS_H

struct logger;

/* Recording begins now. 0; -EINVAL for a time of -T that is none, which is said. */
int bounds_start(struct logger *l);
void bounds_stop(struct logger *l);

#endif

/*
 * reduce - the way through the window: what lies between two samples is observed, marks go over,
 * and a record is written for each sample.
 */
#ifndef TOOLS_PMLOGREDUCE_REDUCE_H
#define TOOLS_PMLOGREDUCE_REDUCE_H

#include <stdbool.h>

struct metrics;
struct options;
struct source;
struct window;

/* Writes the new archive. False after an error was told; what lies before damage is written then.
 */
bool reduce_run(const struct options *o, const struct source *source, const struct metrics *metrics,
		const struct window *window);

#endif

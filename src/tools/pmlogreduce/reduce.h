/*
 * reduce - the pass over the window: observes the records between two samples, copies marks, and
 * writes a record for each sample.
 */
#ifndef TOOLS_PMLOGREDUCE_REDUCE_H
#define TOOLS_PMLOGREDUCE_REDUCE_H

#include <stdbool.h>

struct metrics;
struct options;
struct source;
struct window;

/*
 * Writes the new archive. Returns false after reporting an error; the records before damage have
 * been written then.
 */
bool reduce_run(const struct options *o, const struct source *source, const struct metrics *metrics,
		const struct window *window);

#endif

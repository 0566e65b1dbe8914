/*
 * copy - the new archive: merged records of the window, and the metadata that they need.
 */
#ifndef TOOLS_PMLOGEXTRACT_COPY_H
#define TOOLS_PMLOGEXTRACT_COPY_H

#include <stdbool.h>

struct chosen;
struct inputs;
struct log_label;
struct options;
struct window;

/*
 * Writes the archive. Returns false after reporting an error; then the files are removed, unless -d
 * is given.
 */
bool copy_run(const struct options *o, struct inputs *in, const struct chosen *chosen,
	      const struct window *window, const struct log_label *label);

#endif

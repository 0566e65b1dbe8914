/*
 * copy - the new archive: merged records within the window, and what they need before them.
 */
#ifndef TOOLS_PMLOGEXTRACT_COPY_H
#define TOOLS_PMLOGEXTRACT_COPY_H

#include <stdbool.h>

struct chosen;
struct inputs;
struct log_label;
struct options;
struct window;

/* Writes it. False after an error was told; then nothing of it is left, unless -d. */
bool copy_run(const struct options *o, struct inputs *in, const struct chosen *chosen,
	      const struct window *window, const struct log_label *label);

#endif

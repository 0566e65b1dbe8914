/*
 * names - a growing list of names of metrics.
 */
#ifndef TOOLS_COMMON_NAMES_H
#define TOOLS_COMMON_NAMES_H

#include <stddef.h>

/* All zero is an empty list. */
struct names {
	char **list;
	size_t n;
	size_t room;
};

/* Adds a copy of a name; `names` is a struct names, as pmTraversePMNS_r likes it. Out of memory:
 * exits. */
void names_add(const char *name, void *names);

void names_free(struct names *names);

#endif

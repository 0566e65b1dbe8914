/*
 * specs - a configuration: metrics, or branches of the name space, with instances or all of them.
 */
#ifndef TOOLS_PMLOGEXTRACT_SPECS_H
#define TOOLS_PMLOGEXTRACT_SPECS_H

#include <stdbool.h>
#include <stddef.h>

struct spec_inst {
	char *name; /* owned; NULL: the number is meant */
	int inst;
};

struct spec {
	char *metric; /* owned */
	int line;     /* the one that is reached when the whole of it is read */
	struct spec_inst *insts; /* owned; none: all instances */
	size_t n;
};

struct specs {
	struct spec *list;
	size_t n;
};

/* Reads a file; false after what is wrong was told. */
bool specs_read(struct specs *s, const char *path);
void specs_done(struct specs *s);

#endif

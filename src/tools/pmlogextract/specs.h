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
	int wrong_line; /* where reading ended, or 0 */
	char wrong; /* the character there that begins no token, or NUL */
};

/*
 * Reads a file. False: a file that cannot be read is reported; of one with a mistake, the whole
 * specifications before it are there, and specs_complain reports it.
 */
bool specs_read(struct specs *s, const char *path);

/* Reports the mistake that ended reading, if there is one. */
void specs_complain(const struct specs *s, const char *path);
void specs_done(struct specs *s);

#endif

/*
 * specs - a configuration: metrics, or branches of the name space, with some instances or all.
 */
#ifndef TOOLS_PMLOGEXTRACT_SPECS_H
#define TOOLS_PMLOGEXTRACT_SPECS_H

#include <stdbool.h>
#include <stddef.h>

struct spec_inst {
	char *name; /* owned; NULL: the number is used */
	int inst;
};

struct spec {
	char *metric; /* owned */
	int line;     /* the line where its last token was read */
	struct spec_inst *insts; /* owned; none: all instances */
	size_t n;
};

struct specs {
	struct spec *list;
	size_t n;
	int wrong_line; /* the line where an error ended the reading, or 0 */
	char wrong; /* the character there that begins no token, or NUL */
};

/*
 * Reads a file. Returns false after reporting a file that cannot be read. A file with a mistake
 * gives the complete specifications before it, and specs_complain reports the mistake.
 */
bool specs_read(struct specs *s, const char *path);

/* Reports the mistake that ended the reading, if there is one. */
void specs_complain(const struct specs *s, const char *path);
void specs_done(struct specs *s);

#endif

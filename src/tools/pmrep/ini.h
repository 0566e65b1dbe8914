/*
 * ini - a configuration text of sections, keys and values, parsed line by line.
 *
 *     # comment, ; comment
 *     [section]
 *     key = value
 *         continued value
 *
 * A key ends at the first '=' or ':'. A section or key that is repeated is an error. In a value,
 * two percent signs are one.
 */
#ifndef PMREP_INI_H
#define PMREP_INI_H

#include <stddef.h>

struct ini_entry {
	char *key;
	char *value; /* lines of a continued value are separated by '\n' */
};

struct ini_section {
	char *name;
	struct ini_entry *entries;
	size_t n;
};

/* A file. */
struct ini {
	struct ini_section *sections;
	size_t n;
};

/* An error in a text. */
struct ini_fault {
	int line;        /* from 1 */
	char text[1024]; /* whole lines, each ending with a newline */
};

/*
 * Parses a text of `length` bytes; name is its name in messages. Returns 0, PM_ERR_GENERIC with a
 * fault, or -ENOMEM. The contents are freed with ini_done, also after an error.
 */
int ini_parse(struct ini *ini, const char *name, const char *text, size_t length,
	      struct ini_fault *ret_fault);

/* The section of that name, or NULL. */
const struct ini_section *ini_find(const struct ini *ini, const char *name);

void ini_done(struct ini *ini);

#endif

/*
 * macro - names with texts, and a text in which the names are replaced.
 */
#ifndef LIBPMNS_MACRO_H
#define LIBPMNS_MACRO_H

#include <stdbool.h>
#include <stddef.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct buffer;

/* A piece of a line. */
struct span {
	const char *s;
	size_t len;
};

/* A piece without its first n bytes. */
static inline struct span span_skip(struct span s, size_t n)
{
	return (struct span){.s = s.s + n, .len = s.len - n};
}

/* All zero is an empty table. */
struct macros {
	struct arena mem;
	struct hash table;
};

/* How a macro is called: by its name as a whole word, or by "#name" and "#{name}", # being mark. */
struct macro_call {
	bool marked;
	char mark;
};

/* The identifier at the start of s; empty if there is none. */
struct span macro_word(struct span s);

bool macro_is_defined(const struct macros *m, struct span name);

/*
 * Defines a macro; name and value are copied. One that is there already is an error (-EEXIST)
 * unless it was defined as soft. 0, -EEXIST, -ENOMEM.
 */
int macro_define(struct macros *m, struct span name, struct span value, bool soft);

void macro_undef(struct macros *m, struct span name);

/* Appends s to out with macros replaced; their values are not looked at again. Stops where out has
 * more than max bytes. */
void macro_expand(const struct macros *m, struct macro_call call, struct span s, struct buffer *out,
		  size_t max);

void macros_done(struct macros *m);

#endif

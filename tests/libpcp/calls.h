/* calls - one call of each kind that asks a collector something, for tests that spoil them all. */
#ifndef TESTS_LIBPCP_CALLS_H
#define TESTS_LIBPCP_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct call {
	const char *name;
	int (*call)(void); /* in the current context, which is on a fake; frees what it is given */
	uint32_t reply;    /* the type of its answer */
};

int call_fetch(void);
int call_traverse(void);
int call_desc(void);
int call_text(void);

/* All of them, and others. */
extern const struct call calls[];
extern const size_t ncalls;

#endif

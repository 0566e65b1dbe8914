/*
 * capture - the standard output of a function, as text.
 */
#ifndef TESTS_TOOLS_CAPTURE_H
#define TESTS_TOOLS_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>

/* Runs a statement with standard output redirected to a string, which the caller frees. */
#define CAPTURE(statement)                                                                         \
	({                                                                                         \
		char *captured_ = NULL;                                                            \
		size_t captured_len_ = 0;                                                          \
		FILE *stdout_ = stdout;                                                            \
		stdout = open_memstream(&captured_, &captured_len_);                               \
		statement;                                                                         \
		fclose(stdout);                                                                    \
		stdout = stdout_;                                                                  \
		captured_;                                                                         \
	})

#endif

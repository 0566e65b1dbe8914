/*
 * member_library - a library that is loaded when the first member needs it: nothing links it.
 */
#ifndef LIBSTORE_MEMBER_LIBRARY_H
#define LIBSTORE_MEMBER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function: its name, and where in the caller's struct the pointer to it is kept. */
struct member_call {
	const char *name;
	size_t offset;
};

/* For a list of them by an X macro: MEMBER_CALL(struct of_pointers, function). */
#define MEMBER_CALL(type, call) {#call, offsetof(type, call)},

/* A handle that is never closed, or NULL. */
void *member_library_open(const char *name);

/* Looks all n up; false if one is not there. */
bool member_library_calls(void *handle, const struct member_call *calls, size_t n, void *ret_calls);

#endif

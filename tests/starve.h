/*
 * starve - one allocation of many fails: for a test that is linked with -Wl,--wrap for malloc,
 * calloc, realloc, reallocarray and strdup. Included by one file of it.
 *
 * Set starve_left to the number of allocations that succeed first. If it is not negative after the
 * call in question, there were no more than that.
 */
#ifndef STARVE_H
#define STARVE_H

#include <stdbool.h>
#include <stddef.h>

/* Counts down to the allocation that fails; negative: none does. */
static long starve_left = -1;

static bool starve_now(void)
{
	return starve_left >= 0 && starve_left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
/* Visible, because a sanitizer's library names some of them, and the linker then insists. */
#pragma GCC visibility push(default)
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *s);
#pragma GCC visibility pop

void *__wrap_malloc(size_t size)
{
	return starve_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return starve_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return starve_now() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return starve_now() ? NULL : __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *s)
{
	return starve_now() ? NULL : __real_strdup(s);
}

#endif

/*
 * arena - memory that dies together: one request, one reply, one parse.
 *
 * Allocation is a pointer bump; nothing is freed alone. arena_reset keeps the largest block for
 * the next user, so a steady load allocates nothing. A limit, if set, bounds what bytes from
 * outside can make us allocate.
 */
#ifndef LIBBASE_ARENA_H
#define LIBBASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used;                /* bytes handed out since the last reset */
	size_t limit;               /* 0: none */
};

#define ARENA_INIT ((struct arena){0})

/* Contents are released by arena_done; a zeroed struct is a valid empty arena. */
void arena_done(struct arena *a);

/* Forget everything handed out; keeps one block of memory for reuse. */
void arena_reset(struct arena *a);

/* size bytes aligned to 16, uninitialised; NULL when out of memory or over the limit.
 * size 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);

/* As arena_alloc for n elements, zeroed; NULL if n * size overflows. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* NUL-terminated copy of len bytes. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

#endif

/* arena - see arena.h. */
#include "libbase/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
	ARENA_ALIGN = 16,
	ARENA_BLOCK_MIN = 4096 - 64,
	ARENA_KEEP_MAX = 1 << 20, /* a larger block is not kept over a reset */
};

struct arena_block {
	struct arena_block *next;
	size_t size;
	size_t used;
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

void arena_done(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b != NULL) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	a->blocks = NULL;
	a->used = 0;
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = NULL;
	struct arena_block *b = a->blocks;

	while (b != NULL) {
		struct arena_block *next = b->next;

		if (b->size <= ARENA_KEEP_MAX && (keep == NULL || b->size > keep->size)) {
			free(keep);
			keep = b;
		} else {
			free(b);
		}
		b = next;
	}
	if (keep != NULL) {
		keep->next = NULL;
		keep->used = 0;
	}
	a->blocks = keep;
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t need;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	need = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (a->limit != 0 && (need > a->limit || a->used > a->limit - need))
		return NULL;
	if (b == NULL || b->size - b->used < need) {
		size_t cap = b == NULL ? ARENA_BLOCK_MIN : b->size * 2;

		if (cap < need)
			cap = need;
		b = malloc(sizeof(*b) + cap);
		if (b == NULL)
			return NULL;
		b->next = a->blocks;
		b->size = cap;
		b->used = 0;
		a->blocks = b;
	}
	p = b->data + b->used;
	b->used += need;
	a->used += need;
	return p;
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t total;
	void *p;

	if (__builtin_mul_overflow(n, size, &total))
		return NULL;
	p = arena_alloc(a, total);
	if (p != NULL)
		memset(p, 0, total);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (p == NULL)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

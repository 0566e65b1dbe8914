/* values - see values.h. */
#include "libpcp_pmda/values.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/chunk.h"

/* Absent from a libpcp that is not ours, which the address tells. */
extern int pitot_value_chunk_add(struct chunk *chunk) __attribute__((weak));
extern void pitot_value_chunk_del(struct chunk *chunk) __attribute__((weak));

enum {
	CHUNK_MIN = 16 << 10,
	CHUNK_MAX = 16 << 20, /* beyond it chunks no longer double */
	SET_ALIGN = 8,
	BLOCK_ALIGN = 4,
	BLOCK_MIN = 8, /* programs of old read eight bytes of any block */
};

struct values_chunk {
	struct chunk pool; /* libpcp's view of it */
	struct values_chunk *next;
	size_t cap;
	size_t used;
	uint32_t sets; /* of the fetch under way */
	_Alignas(16) char data[];
};

static bool values_pooled(void)
{
	return pitot_value_chunk_add != NULL && pitot_value_chunk_del != NULL;
}

static bool chunk_idle(const struct values_chunk *c)
{
	return atomic_load_explicit(&c->pool.live, memory_order_acquire) == 0;
}

static struct values_chunk *chunk_new(size_t cap)
{
	struct values_chunk *c = malloc(sizeof(*c) + cap);

	if (c == NULL)
		return NULL;
	c->pool.start = c->data;
	c->pool.end = c->data + cap;
	atomic_init(&c->pool.live, 0);
	c->next = NULL;
	c->cap = cap;
	c->used = 0;
	c->sets = 0;
	if (pitot_value_chunk_add(&c->pool) < 0) {
		free(c);
		return NULL;
	}
	return c;
}

/* Frees the retired chunks that are empty, but for the largest, which *ret_spare then is. */
static void retired_sweep(struct values *v, struct values_chunk **ret_spare)
{
	struct values_chunk **link = &v->retired;
	struct values_chunk *spare = NULL;

	while (*link != NULL) {
		struct values_chunk *c = *link, *drop = c;

		if (!chunk_idle(c)) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		if (spare == NULL || c->cap > spare->cap) {
			drop = spare;
			spare = c;
		}
		if (drop != NULL) {
			pitot_value_chunk_del(&drop->pool);
			free(drop);
		}
	}
	*ret_spare = spare;
}

static void chunk_retire(struct values *v)
{
	if (v->chunk == NULL)
		return;
	v->chunk->next = v->retired;
	v->retired = v->chunk;
	v->chunk = NULL;
}

void values_begin(struct values *v)
{
	struct values_chunk *spare = NULL;

	if (v->chunk != NULL && !chunk_idle(v->chunk))
		chunk_retire(v);
	if (v->retired != NULL) {
		chunk_retire(v);
		retired_sweep(v, &spare);
		v->chunk = spare;
	}
	if (v->chunk != NULL) {
		v->chunk->used = 0;
		v->chunk->sets = 0;
	}
}

static bool chunk_has_room(const struct values_chunk *c, size_t len, size_t align)
{
	size_t at;

	if (c == NULL)
		return false;
	at = (c->used + align - 1) & ~(align - 1);
	return at <= c->cap && c->cap - at >= len;
}

static void *chunk_take(struct values_chunk *c, size_t len, size_t align)
{
	size_t at = (c->used + align - 1) & ~(align - 1);

	c->used = at + len;
	return c->data + at;
}

/* A chunk to fill from now on with at least need bytes. */
static int chunk_change(struct values *v, size_t need)
{
	size_t cap = CHUNK_MIN;
	struct values_chunk *fresh;

	if (v->chunk != NULL)
		cap = v->chunk->cap < CHUNK_MAX ? v->chunk->cap * 2 : v->chunk->cap;
	fresh = chunk_new(cap < need ? need : cap);
	if (fresh == NULL)
		return -ENOMEM;
	chunk_retire(v);
	v->chunk = fresh;
	return 0;
}

static size_t set_len(int n)
{
	return offsetof(pmValueSet, vlist) + (size_t)n * sizeof(pmValue);
}

pmValueSet *values_set(struct values *v, int n)
{
	v->set_cap = n;
	if (!values_pooled())
		return malloc(set_len(n));
	if (!chunk_has_room(v->chunk, set_len(n), SET_ALIGN) && chunk_change(v, set_len(n)) < 0)
		return NULL;
	v->chunk->sets++;
	return chunk_take(v->chunk, set_len(n), SET_ALIGN);
}

static size_t block_len(const pmValueBlock *block)
{
	size_t len = block->vlen < BLOCK_MIN ? BLOCK_MIN : block->vlen;

	return (len + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
}

static size_t blocks_len(const pmValueSet *vset, int numval)
{
	size_t len = 0;

	if (vset->valfmt != PM_VAL_DPTR)
		return 0;
	for (int j = 0; j < numval; j++)
		len += block_len(vset->vlist[j].value.pval);
	return len;
}

/* Moves the set under construction and its blocks to where n values and len more bytes fit. */
static int set_move(struct values *v, pmValueSet **vset, int numval, int n, size_t len)
{
	struct values_chunk *from = v->chunk;
	size_t need = set_len(n) + blocks_len(*vset, numval) + len;
	pmValueSet *to;

	if (!chunk_has_room(from, need, SET_ALIGN) && chunk_change(v, need * 2) < 0)
		return -ENOMEM;
	to = chunk_take(v->chunk, set_len(n), SET_ALIGN);
	memcpy(to, *vset, set_len(numval));
	for (int j = 0; j < numval && to->valfmt == PM_VAL_DPTR; j++) {
		pmValueBlock *block = to->vlist[j].value.pval;

		to->vlist[j].value.pval = chunk_take(v->chunk, block_len(block), BLOCK_ALIGN);
		memcpy(to->vlist[j].value.pval, block, block->vlen);
	}
	from->sets--;
	v->chunk->sets++;
	v->set_cap = n;
	*vset = to;
	return 0;
}

pmValueBlock *values_block(struct values *v, pmValueSet **vset, int numval, size_t len)
{
	if (len < BLOCK_MIN)
		len = BLOCK_MIN;
	if (!values_pooled())
		return malloc(len);
	if (!chunk_has_room(v->chunk, len, BLOCK_ALIGN) &&
	    set_move(v, vset, numval, v->set_cap, len) < 0)
		return NULL;
	return chunk_take(v->chunk, len, BLOCK_ALIGN);
}

int values_grow(struct values *v, pmValueSet **vset, int numval, int n)
{
	pmValueSet *grown;

	if (n <= v->set_cap)
		return 0;
	if (n < v->set_cap * 2)
		n = v->set_cap * 2; /* a domain that grows while it is walked may grow again */
	if (values_pooled())
		return set_move(v, vset, numval, n, 0);
	grown = realloc(*vset, set_len(n));
	if (grown == NULL)
		return -ENOMEM;
	v->set_cap = n;
	*vset = grown;
	return 0;
}

static void chunk_hand_out(struct values_chunk *c)
{
	if (c->sets > 0)
		atomic_fetch_add_explicit(&c->pool.live, c->sets, memory_order_relaxed);
	c->sets = 0;
}

void values_end(struct values *v)
{
	if (v->chunk != NULL)
		chunk_hand_out(v->chunk);
	for (struct values_chunk *c = v->retired; c != NULL; c = c->next)
		chunk_hand_out(c);
}

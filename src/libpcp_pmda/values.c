/* values - see values.h. */
#include "libpcp_pmda/values.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/chunk.h"

/* Absent from a libpcp that is not ours: then the address is NULL. */
extern int pitot_value_chunk_add(struct chunk *chunk) __attribute__((weak));
extern void pitot_value_chunk_del(struct chunk *chunk) __attribute__((weak));

enum {
	CHUNK_MIN = 16 << 10,
	CHUNK_LARGE = 1 << 20, /* beyond it a chunk must be used to be kept */
	UNDERUSED_MAX = 64,    /* fetches that may use less than an eighth of a large one */
};

struct values_chunk {
	struct chunk pool; /* libpcp's view of it */
	struct values_chunk *next;
	size_t cap;
	uint32_t sets; /* once retired: of the fetch under way */
	_Alignas(16) char data[];
};

static bool values_pooled(void)
{
	return pitot_value_chunk_add != NULL && pitot_value_chunk_del != NULL;
}

/* ---- chunks --------------------------------------------------------------------------------- */

static bool chunk_idle(const struct values_chunk *c)
{
	return atomic_load_explicit(&c->pool.live, memory_order_acquire) == 0;
}

static struct values_chunk *values_chunk_new(size_t cap)
{
	struct values_chunk *c = malloc(sizeof(*c) + cap);

	if (c == NULL)
		return NULL;
	c->pool.start = c->data;
	c->pool.end = c->data + cap;
	atomic_init(&c->pool.live, 0);
	c->next = NULL;
	c->cap = cap;
	c->sets = 0;
	if (pitot_value_chunk_add(&c->pool) < 0) {
		free(c);
		return NULL;
	}
	return c;
}

static void values_chunk_free(struct values_chunk *c)
{
	if (c == NULL)
		return;
	pitot_value_chunk_del(&c->pool);
	free(c);
}

static void chunk_hand_out(struct values_chunk *c, uint32_t sets)
{
	if (sets > 0)
		atomic_fetch_add_explicit(&c->pool.live, sets, memory_order_relaxed);
}

/* The chunk that is filled from now on, empty; NULL: none. */
static void chunk_use(struct values *v, struct values_chunk *c)
{
	v->chunk = c;
	v->pos = c == NULL ? NULL : c->data;
	v->end = c == NULL ? NULL : c->data + c->cap;
	v->sets = 0;
}

static void chunk_retire(struct values *v)
{
	struct values_chunk *c = v->chunk;

	if (c == NULL)
		return;
	c->sets = v->sets;
	c->next = v->retired;
	v->retired = c;
	chunk_use(v, NULL);
}

/* Frees the retired chunks that are empty, but for the largest, which is returned. */
static struct values_chunk *retired_sweep(struct values *v)
{
	struct values_chunk **link = &v->retired;
	struct values_chunk *spare = NULL;

	while (*link != NULL) {
		struct values_chunk *c = *link;

		if (!chunk_idle(c)) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		if (spare == NULL || c->cap > spare->cap) {
			values_chunk_free(spare);
			spare = c;
		} else {
			values_chunk_free(c);
		}
	}
	return spare;
}

/* True for a large chunk of which the last fetches used little: it is not kept. */
static bool chunk_outgrown(struct values *v)
{
	size_t used = (size_t)(v->pos - v->chunk->data);

	if (v->chunk->cap <= CHUNK_LARGE || used > v->chunk->cap / 8) {
		v->underused = 0;
		return false;
	}
	return ++v->underused > UNDERUSED_MAX;
}

/* A chunk to fill from now on, with at least need bytes. */
static int chunk_change(struct values *v, size_t need)
{
	size_t cap = CHUNK_MIN;
	struct values_chunk *fresh;

	if (v->chunk != NULL)
		cap = v->chunk->cap * 2;
	fresh = values_chunk_new(cap < need ? need : cap);
	if (fresh == NULL)
		return -ENOMEM;
	chunk_retire(v);
	chunk_use(v, fresh);
	return 0;
}

/* ---- fetches -------------------------------------------------------------------------------- */

void values_begin(struct values *v)
{
	struct values_chunk *c = v->chunk;
	bool outgrown = c != NULL && chunk_outgrown(v);

	if (c != NULL && v->retired == NULL && chunk_idle(c) && !outgrown) {
		chunk_use(v, c); /* as nearly always */
		return;
	}
	v->sets = 0;
	v->underused = 0;
	chunk_retire(v);
	c = retired_sweep(v);
	if (outgrown) {
		values_chunk_free(c);
		c = NULL;
	}
	chunk_use(v, c);
}

void values_end(struct values *v)
{
	if (v->chunk != NULL)
		chunk_hand_out(v->chunk, v->sets);
	for (struct values_chunk *c = v->retired; c != NULL; c = c->next) {
		chunk_hand_out(c, c->sets);
		c->sets = 0;
	}
}

/* ---- sets and blocks ------------------------------------------------------------------------ */

pmValueSet *values_set_slow(struct values *v, int n)
{
	v->set_cap = n;
	if (!values_pooled())
		return malloc(values_set_len(n));
	return chunk_change(v, values_set_len(n)) < 0 ? NULL : values_set(v, n);
}

static size_t block_room(const pmValueBlock *block)
{
	return block->vlen < VALUES_BLOCK_MIN ? VALUES_BLOCK_MIN
					      : ((size_t)block->vlen + 3) & ~(size_t)3;
}

static size_t blocks_room(const pmValueSet *vset, int numval)
{
	size_t len = 0;

	if (vset->valfmt != PM_VAL_DPTR)
		return 0;
	for (int j = 0; j < numval; j++)
		len += block_room(vset->vlist[j].value.pval);
	return len;
}

/* Moves the set under construction and its blocks to where n values and len more bytes fit. */
static int set_move(struct values *v, pmValueSet **vset, int numval, int n, size_t len)
{
	size_t need = 8 + values_set_len(n) + blocks_room(*vset, numval) + len;
	pmValueSet *to;

	v->sets--; /* of the chunk that it leaves */
	if (need > (size_t)(v->end - v->pos) && chunk_change(v, need * 2) < 0) {
		v->sets++;
		return -ENOMEM;
	}
	to = values_set(v, n);
	memcpy(to, *vset, values_set_len(numval));
	for (int j = 0; j < numval && to->valfmt == PM_VAL_DPTR; j++) {
		const pmValueBlock *block = to->vlist[j].value.pval;

		to->vlist[j].value.pval = memcpy(v->pos, block, block->vlen);
		v->pos += block_room(block);
	}
	*vset = to;
	return 0;
}

pmValueBlock *values_block_slow(struct values *v, pmValueSet **vset, int numval, size_t len)
{
	if (!values_pooled())
		return malloc(len);
	return set_move(v, vset, numval, v->set_cap, len) < 0 ? NULL
							      : values_block(v, vset, numval, len);
}

int values_grow_slow(struct values *v, pmValueSet **vset, int numval, int n)
{
	pmValueSet *grown;

	if (n < v->set_cap * 2)
		n = v->set_cap * 2; /* a domain that grows during its walk may grow again */
	if (values_pooled())
		return set_move(v, vset, numval, n, 0);
	grown = realloc(*vset, values_set_len(n));
	if (grown == NULL)
		return -ENOMEM;
	v->set_cap = n;
	*vset = grown;
	return 0;
}

/* ---- Atoms ---------------------------------------------------------------------------------- */

static int put_block(struct values *v, pmValueSet **vset, int numval, int type, const void *bytes,
		     size_t len)
{
	pmValueBlock *block;

	if (len > 0x00ffffff - PM_VAL_HDR_SIZE)
		return -E2BIG; /* vlen has 24 bits */
	block = values_block(v, vset, numval, PM_VAL_HDR_SIZE + len);
	if (block == NULL)
		return -ENOMEM;
	fetch_host_fill(block, type, bytes, len);
	(*vset)->vlist[numval].value.pval = block;
	return PM_VAL_DPTR;
}

static int put_aggregate(struct values *v, pmValueSet **vset, int numval, int type,
			 const pmValueBlock *from)
{
	if (from == NULL || from->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_CONV;
	return put_block(v, vset, numval, type, from->vbuf, from->vlen - PM_VAL_HDR_SIZE);
}

int fetch_host_put(struct values *v, pmValueSet **vset, int numval, int type,
		   const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		(*vset)->vlist[numval].value.lval = atom->l;
		return PM_VAL_INSITU;
	case PM_TYPE_FLOAT:
		return put_block(v, vset, numval, type, &atom->f, sizeof(atom->f));
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return put_block(v, vset, numval, type, &atom->ull, sizeof(atom->ull));
	case PM_TYPE_STRING:
		if (atom->cp == NULL)
			return PM_ERR_CONV;
		return put_block(v, vset, numval, type, atom->cp, strlen(atom->cp) + 1);
	case PM_TYPE_AGGREGATE:
		return put_aggregate(v, vset, numval, type, atom->vbp);
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		if (atom->vbp == NULL)
			return PM_ERR_CONV;
		(*vset)->vlist[numval].value.pval = atom->vbp;
		return PM_VAL_SPTR;
	default:
		return PM_ERR_TYPE;
	}
}

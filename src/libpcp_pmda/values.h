/*
 * values - memory for the value sets and value blocks of an agent's fetches.
 *
 * They are cut from chunks, side by side, instead of a malloc for each. libpcp knows the chunks
 * (libpcp/value_pool.h), so __pmFreeResultValues gives each value set back to its chunk, in any
 * order and at any time; a later fetch fills a chunk that got all of them back. An agent must not
 * free() a value set that pmdaFetch made, nor one of its value blocks; it may replace either by
 * malloc'd ones.
 *
 * Under a libpcp that does not know chunks each piece is malloc'd, as that library will free it.
 */
#ifndef LIBPCP_PMDA_VALUES_H
#define LIBPCP_PMDA_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct values_chunk;

struct values {
	char *pos; /* free memory of the chunk; both NULL: the slow way decides */
	char *end;
	uint32_t sets; /* in the chunk, of the fetch under way */
	int set_cap;   /* room of the set under construction */
	struct values_chunk *chunk;
	struct values_chunk *retired; /* full or too small, waiting to be empty */
	unsigned int underused;       /* fetches in a row that needed little of the chunk */
};

enum { VALUES_BLOCK_MIN = 8 }; /* programs of old read eight bytes of any block */

/* Begins the values of one fetch. */
void values_begin(struct values *v);

/* The fetch's sets go to the caller, who releases them with __pmFreeResultValues. */
void values_end(struct values *v);

/* The ways out of line of the functions below. */
pmValueSet *values_set_slow(struct values *v, int n);
pmValueBlock *values_block_slow(struct values *v, pmValueSet **vset, int numval, size_t len);
int values_grow_slow(struct values *v, pmValueSet **vset, int numval, int n);

static inline size_t values_set_len(int n)
{
	return offsetof(pmValueSet, vlist) + (size_t)n * sizeof(pmValue);
}

/*
 * Begins a value set with room for n values (n >= 0); its header is the caller's to fill. It is
 * the set under construction until the next one begins. NULL without memory.
 */
static inline pmValueSet *values_set(struct values *v, int n)
{
	/* Blocks are whole words, value sets begin at multiples of eight. */
	size_t gap = (size_t) - (uintptr_t)v->pos & 7, len = values_set_len(n);
	char *p;

	if (gap + len > (size_t)(v->end - v->pos))
		return values_set_slow(v, n);
	p = v->pos + gap;
	v->pos = p + len;
	v->sets++;
	v->set_cap = n;
	return (pmValueSet *)p;
}

/*
 * A value block of len bytes, header included, for the set under construction, whose first numval
 * values are complete. The set and its blocks stay together in one chunk, so both may move: the
 * block's predecessors are then found through *vset. NULL without memory.
 */
static inline pmValueBlock *values_block(struct values *v, pmValueSet **vset, int numval,
					 size_t len)
{
	size_t room = len < VALUES_BLOCK_MIN ? VALUES_BLOCK_MIN : (len + 3) & ~(size_t)3;
	char *p = v->pos;

	if (room > (size_t)(v->end - p))
		return values_block_slow(v, vset, numval, room);
	v->pos = p + room;
	return (pmValueBlock *)p;
}

/* Room for n values in the set under construction. 0, or -ENOMEM with *vset as it was. */
static inline int values_grow(struct values *v, pmValueSet **vset, int numval, int n)
{
	return n <= v->set_cap ? 0 : values_grow_slow(v, vset, numval, n);
}

#endif

/*
 * values - memory for the value sets and value blocks of an agent's fetches.
 *
 * They are cut from chunks, side by side, instead of a malloc for each. libpcp knows the chunks
 * (libpcp/value_pool.h), so whoever releases the result with __pmFreeResultValues gives each value
 * set back to its chunk, in any order and at any time; a chunk that got all of them back is filled
 * anew by a later fetch. An agent must not free() a value set that pmdaFetch made, nor one of its
 * value blocks; it may replace either by malloc'd ones.
 *
 * Under a libpcp that does not know chunks each piece is malloc'd, as that library will free it.
 */
#ifndef LIBPCP_PMDA_VALUES_H
#define LIBPCP_PMDA_VALUES_H

#include <stddef.h>

#include <pcp/pmapi.h>

struct values_chunk;

struct values {
	struct values_chunk *chunk;   /* the one being filled */
	struct values_chunk *retired; /* full or too small, waiting to be empty */
	int set_cap;                  /* room of the set under construction */
};

/* Begins the values of one fetch. */
void values_begin(struct values *v);

/*
 * Begins a value set with room for n values (n >= 0); its header is the caller's to fill. It is
 * the set under construction until the next one begins. NULL without memory.
 */
pmValueSet *values_set(struct values *v, int n);

/*
 * A value block of len bytes, header included, for the set under construction, whose first numval
 * values are complete. The set and its blocks stay together in one chunk, so both may move: the
 * block's predecessors are then found through *vset. NULL without memory.
 */
pmValueBlock *values_block(struct values *v, pmValueSet **vset, int numval, size_t len);

/* Room for n values in the set under construction. 0 or -ENOMEM with *vset as it was. */
int values_grow(struct values *v, pmValueSet **vset, int numval, int n);

/* The fetch's sets go to the caller, who releases them with __pmFreeResultValues. */
void values_end(struct values *v);

#endif

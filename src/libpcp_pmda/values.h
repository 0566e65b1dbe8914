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
#include <string.h>

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

/* ---- Atoms, put into a set ------------------------------------------------------------------ */

/*
 * Puts an atom of a type after the first numval values of the set under construction (the instance,
 * numval and valfmt are the caller's to fill) and returns the value format; PM_ERR_TYPE for a type
 * that has no values, PM_ERR_CONV for a missing pointer or a block without a header,
 * -E2BIG for one too long for the wire, -ENOMEM.
 */
int fetch_host_put(struct values *v, pmValueSet **vset, int numval, int type,
		   const pmAtomValue *atom);

/* Begins a set for about expected values. NULL without memory. */
static inline pmValueSet *fetch_host_begin(struct values *v, pmID pmid, int expected)
{
	pmValueSet *vset = values_set(v, expected > 0 ? expected : 0);

	if (vset == NULL)
		return NULL;
	vset->pmid = pmid;
	vset->numval = expected;
	vset->valfmt = PM_VAL_INSITU;
	return vset;
}

static inline void fetch_host_fill(pmValueBlock *block, int type, const void *bytes, size_t len)
{
	/* Both fields of the header at once: one by one they would be read before written. */
	const pmValueBlock header = {
	    .vtype = (unsigned int)type & 0xff,
	    .vlen = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff,
	};

	memcpy(block, &header, PM_VAL_HDR_SIZE);
	memcpy(block->vbuf, bytes, len);
}

/* fetch_host_put for the types that are one number: the value format, or -1 for all else. */
static inline int fetch_host_put_number(struct values *v, pmValueSet **vset, int numval, int type,
					const pmAtomValue *atom)
{
	pmValueBlock *block;

	if (type == PM_TYPE_U32 || type == PM_TYPE_32) {
		(*vset)->vlist[numval].value.lval = atom->l;
		return PM_VAL_INSITU;
	}
	if (type != PM_TYPE_U64 && type != PM_TYPE_64 && type != PM_TYPE_DOUBLE)
		return -1;
	block = values_block(v, vset, numval, PM_VAL_HDR_SIZE + sizeof(atom->ull));
	if (block == NULL)
		return -1;
	fetch_host_fill(block, type, &atom->ull, sizeof(atom->ull));
	(*vset)->vlist[numval].value.pval = block;
	return PM_VAL_DPTR;
}

#endif

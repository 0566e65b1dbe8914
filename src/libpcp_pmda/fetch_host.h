/*
 * fetch_host - values of a fetch as a pmResult: value sets and value blocks of the agent's memory.
 */
#ifndef LIBPCP_PMDA_FETCH_HOST_H
#define LIBPCP_PMDA_FETCH_HOST_H

#include <string.h>

#include <pcp/pmapi.h>

#include "libpcp_pmda/values.h"

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

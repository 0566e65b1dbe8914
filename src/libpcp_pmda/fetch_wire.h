/*
 * fetch_wire - values of a fetch in wire form, straight into the answer (libwire/result_out.h).
 */
#ifndef LIBPCP_PMDA_FETCH_WIRE_H
#define LIBPCP_PMDA_FETCH_WIRE_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libwire/result_out.h"

/*
 * Puts an atom of a type into the set under construction and returns the value format; PM_ERR_TYPE,
 * PM_ERR_CONV and -E2BIG as fetch_host_put, or the failure of out. *ret_bad is set if the collector
 * would refuse the whole set for this value (docs/wire.md).
 */
int fetch_wire_put(struct result_out *out, int inst, int type, const pmAtomValue *atom,
		   bool *ret_bad);

/* A whole set of a singular metric of the commonest types; false, and nothing done, otherwise. */
static inline bool fetch_wire_single(struct result_run *run, pmID pmid, int type,
				     const pmAtomValue *atom)
{
	if (type == PM_TYPE_U64 || type == PM_TYPE_64 || type == PM_TYPE_DOUBLE)
		return result_run_u64(run, pmid, (uint32_t)type, atom->ull);
	if (type == PM_TYPE_U32 || type == PM_TYPE_32)
		return result_run_u32(run, pmid, atom->ul);
	return false;
}

/* fetch_wire_put for the types that are one number: the value format, or -1 for all else. */
static inline int fetch_wire_put_number(struct result_out *out, int inst, int type,
					const pmAtomValue *atom)
{
	if (type == PM_TYPE_U32 || type == PM_TYPE_32)
		return result_out_insitu(out, inst, atom->ul) < 0 ? -1 : PM_VAL_INSITU;
	if (type == PM_TYPE_U64 || type == PM_TYPE_64 || type == PM_TYPE_DOUBLE)
		return result_out_u64(out, inst, (uint32_t)type, atom->ull) < 0 ? -1 : PM_VAL_DPTR;
	if (type == PM_TYPE_FLOAT)
		return result_out_float(out, inst, atom->ul) < 0 ? -1 : PM_VAL_DPTR;
	return -1;
}

#endif

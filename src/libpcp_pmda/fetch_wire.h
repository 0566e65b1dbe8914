/*
 * fetch_wire - values of a fetch in wire form, straight into the answer (libwire/result_out.h).
 *
 * The caller gets values through the agent's fetch method, which is pmdaFetch or a function of the
 * agent's that refreshes something and then calls pmdaFetch. A method of the second kind may look
 * into the result, so it must get a pmResult, unless it is no longer on the stack: a method that
 * ends with "return pmdaFetch(...)" is compiled to a jump, and pmdaFetch then returns past the
 * method to the caller. pmdaFetch checks that: its return address is the one after the only call of
 * the caller. Then no frame is between the two, there is no pmResult, and *resp, which is the
 * caller's, stays as it is. Any other method, also one that asks for other metrics or sets another
 * result callback, gets a pmResult as ever.
 */
#ifndef LIBPCP_PMDA_FETCH_WIRE_H
#define LIBPCP_PMDA_FETCH_WIRE_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libwire/result_out.h"

/* The request of a caller of fetch_wire_ask. */
struct fetch_wire {
	struct result_out *out;
	int numpmid;
	const pmID *pmids;
	pmResult **resp;
	bool written;          /* pmdaFetch was past the method, and out has its values */
	unsigned char changes; /* then: state changes, docs/spec/pdu.md 10.4 */
};

/*
 * Gets values from an agent by its fetch method. 1: they were appended to out, one set a PMID in
 * order (PMIDs as asked), and *ret_changes is the mask of state changes; 0: they are in
 * *ret_result, as the method gave it (perhaps NULL), to be released as ever, and out is as it was;
 * negative: the method's error, or a failure of out, which out->err shows.
 *
 * Exported for the collector, which finds it by name in the library that an agent brings along.
 */
__attribute__((visibility("default"))) int pitot_fetch_wire(pmdaInterface *dispatch, int numpmid,
							    pmID *pmids, struct result_out *out,
							    pmResult **ret_result,
							    unsigned char *ret_changes);

/* For pmdaFetch: whether a call with these arguments, which returns to that address, was made past
 * any method. */
bool fetch_wire_may_write(const struct fetch_wire *wire, const void *return_to, int numpmid,
			  const pmID *pmids, pmResult *const *resp);

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

/* fetch_wire - see fetch_wire.h. */
#include "libpcp_pmda/fetch_wire.h"

#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"

typedef int (*fetch_method)(int, pmID *, pmResult **, pmdaExt *);

/* gcc's word includes all that could make a second copy of a function. */
#ifdef __clang__
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY __attribute__((noipa))
#endif

/*
 * The only call of a fetch method. Code follows it, so that the compiler makes a call of it and not
 * a jump: the call has a return address of its own.
 */
static ONE_COPY int call_method(fetch_method method, int numpmid, pmID *pmids, pmResult **resp,
				pmdaExt *ext)
{
	int r = method(numpmid, pmids, resp, ext);

	__asm__ volatile("" ::: "memory");
	return r;
}

/* A method that reports its own return address. */
static ONE_COPY int tell_return(int numpmid, pmID *pmids, pmResult **resp, pmdaExt *ext)
{
	*(void **)resp = __builtin_return_address(0);
	return 0;
}

static const void *past_method(void)
{
	static const void *address;
	void *told = NULL;

	if (address == NULL) {
		(void)call_method(tell_return, 0, NULL, (pmResult **)&told, NULL);
		address = told;
	}
	return address;
}

bool fetch_wire_may_write(const struct fetch_wire *wire, const void *return_to, int numpmid,
			  const pmID *pmids, pmResult *const *resp)
{
	return return_to == past_method() && wire->resp == resp && wire->pmids == pmids &&
	       wire->numpmid == numpmid && !wire->written;
}

/* A result call back of the agent's own is called with a pmResult, whatever it does with it. */
static bool ext_allows(const pmdaInterface *dispatch, const pmdaExt *ext)
{
	return ext != NULL && ext->e_ext != NULL && ext_of(ext)->public == ext &&
	       ext_of(ext)->dispatch == dispatch && ext->e_resultCallBack == __pmFreeResultValues;
}

int pitot_fetch_wire(pmdaInterface *dispatch, int numpmid, pmID *pmids, struct result_out *out,
		     pmResult **ret_result, unsigned char *ret_changes)
{
	pmdaExt *ext = dispatch->version.any.ext;
	struct fetch_wire wire = {
	    .out = out, .numpmid = numpmid, .pmids = pmids, .resp = ret_result};
	bool may = out->layout == RESULT_OUT_LAYOUT && ext_allows(dispatch, ext);
	int r;

	*ret_result = NULL;
	if (may)
		ext_of(ext)->wire = &wire;
	r = call_method(dispatch->version.any.fetch, numpmid, pmids, ret_result, ext);
	if (may)
		ext_of(ext)->wire = NULL;
	if (r < 0 || !wire.written)
		return r < 0 ? r : 0;
	*ret_changes = wire.changes;
	return 1;
}

static int put_bytes(struct result_out *out, int inst, int type, const void *bytes, size_t n)
{
	int r;

	if (n > VALUE_BLOCK_MAX - VALUE_BLOCK_HEADER)
		return -E2BIG; /* vlen has 24 bits */
	r = result_out_bytes(out, inst, (uint32_t)type, bytes, n);
	return r < 0 ? r : PM_VAL_DPTR;
}

static int put_host_block(struct result_out *out, int inst, const pmValueBlock *block,
			  bool *ret_bad)
{
	int r = result_out_host_block(out, inst, block);

	if (r < 0 && out->err == 0)
		*ret_bad = true;
	return out->err < 0 ? out->err : PM_VAL_SPTR;
}

int fetch_wire_put(struct result_out *out, int inst, int type, const pmAtomValue *atom,
		   bool *ret_bad)
{
	int fmt = fetch_wire_put_number(out, inst, type, atom);

	if (fmt >= 0 || out->err < 0)
		return fmt >= 0 ? fmt : out->err;
	switch (type) {
	case PM_TYPE_STRING:
		if (atom->cp == NULL)
			return PM_ERR_CONV;
		return put_bytes(out, inst, type, atom->cp, strlen(atom->cp) + 1);
	case PM_TYPE_AGGREGATE:
		if (atom->vbp == NULL || atom->vbp->vlen < PM_VAL_HDR_SIZE)
			return PM_ERR_CONV;
		return put_bytes(out, inst, type, atom->vbp->vbuf,
				 atom->vbp->vlen - PM_VAL_HDR_SIZE);
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		if (atom->vbp == NULL)
			return PM_ERR_CONV;
		return put_host_block(out, inst, atom->vbp, ret_bad);
	default:
		return PM_ERR_TYPE;
	}
}

/* fetch_wire - see fetch_wire.h. */
#include "libpcp_pmda/fetch_wire.h"

#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"

/* Only pmdaFetch itself writes values, and only for an agent that does not look at results: a result
 * callback of the agent's own is called with a pmResult, whatever it does with it. */
static bool may_write(const pmdaInterface *dispatch, const pmdaExt *ext)
{
	return dispatch->version.any.fetch == pmdaFetch && ext != NULL && ext->e_ext != NULL &&
	       ext_of(ext)->public == ext && ext_of(ext)->dispatch == dispatch &&
	       ext->e_resultCallBack == __pmFreeResultValues;
}

int pitot_fetch_sink(pmdaInterface *dispatch, int numpmid, pmID *pmids, struct result_sink *sink,
		     pmResult **ret_result, unsigned char *ret_changes)
{
	pmdaExt *ext = dispatch->version.any.ext;
	struct result_out out;
	int r, failed;

	*ret_result = NULL;
	if (sink->version != RESULT_SINK_VERSION || !may_write(dispatch, ext)) {
		r = dispatch->version.any.fetch(numpmid, pmids, ret_result, ext);
		return r < 0 ? r : 0;
	}
	result_out_open(&out, sink);
	r = fetch_write(&out, numpmid, pmids, ext, ret_changes);
	failed = result_out_close(&out);
	if (r < 0 || failed < 0)
		return r < 0 ? r : failed;
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

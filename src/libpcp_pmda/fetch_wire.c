/* fetch_wire - see fetch_wire.h. */
#include "libpcp_pmda/fetch_wire.h"

#include <errno.h>
#include <string.h>

#include <pcp/libpcp.h>

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

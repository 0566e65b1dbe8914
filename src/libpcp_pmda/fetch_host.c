/* fetch_host - see fetch_host.h. */
#include "libpcp_pmda/fetch_host.h"

#include <errno.h>

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

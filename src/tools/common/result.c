#include "tools/common/result.h"

#include <stdlib.h>

#include <pcp/libpcp.h>

/* pmFreeResult frees it with the blocks of its values. */
static pmResult *make_empty(pmID pmid, int n)
{
	pmResult *result = calloc(1, sizeof(*result));
	pmValueSet *vset = calloc(1, sizeof(*vset) + n * sizeof(vset->vlist[0]));

	if (result == NULL || vset == NULL)
		pmNoMem("result", n * sizeof(vset->vlist[0]), PM_FATAL_ERR);
	vset->pmid = pmid;
	result->numpmid = 1;
	result->vset[0] = vset;
	return result;
}

int result_make(const pmDesc *desc, const pmAtomValue *atom, const int *insts, int n,
		pmResult **ret_result)
{
	pmResult *result = make_empty(desc->pmid, n);
	pmValueSet *vset = result->vset[0];

	for (int i = 0; i < n; i++) {
		int sts = __pmStuffValue(atom, &vset->vlist[i], desc->type);

		if (sts < 0) {
			pmFreeResult(result);
			return sts;
		}
		vset->vlist[i].inst = insts[i];
		vset->valfmt = sts;
		vset->numval = i + 1;
	}
	*ret_result = result;
	return 0;
}

#include "tools/common/descs.h"

void descs_get(int n, pmID *pmids, pmDesc *descs, int *stss)
{
	int known = n > 1 ? pmLookupDescs(n, pmids, descs) : PM_ERR_NYI;

	for (int i = 0; i < n; i++) {
		stss[i] = 0;
		if (known < 0 || pmids[i] == PM_ID_NULL || descs[i].pmid != pmids[i])
			stss[i] = pmLookupDesc(pmids[i], &descs[i]);
		if (stss[i] > 0)
			stss[i] = 0;
	}
}

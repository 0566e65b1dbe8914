/* answer - see answer.h. */
#include "tools/dbpmda/answer.h"

#include <stdlib.h>

void answer_init(struct answer *a)
{
	*a = (struct answer){.pmid = PM_ID_NULL};
}

static void in_result_free(pmInResult *in)
{
	if (in == NULL)
		return;
	for (int i = 0; in->namelist != NULL && i < in->numinst; i++)
		free(in->namelist[i]);
	free(in->namelist);
	free(in->instlist);
	free(in);
}

void answer_done(struct answer *a)
{
	in_result_free(a->owned_in);
	free(a->owned_names);
	free(a->owned_status);
	if (a->owned_sets != NULL)
		pmFreeLabelSets(a->owned_sets, a->n);
	arena_done(&a->mem);
	answer_init(a);
}

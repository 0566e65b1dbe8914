/* label_free - label sets, given back. */
#include <stdlib.h>

#include <pcp/pmapi.h>

void pmFreeLabelSets(pmLabelSet *sets, int n)
{
	for (int i = 0; sets != NULL && i < n; i++) {
		free(sets[i].json);
		free(sets[i].labels);
	}
	free(sets);
}

/*
 * sort - the values of each metric by instance: docs/spec/pmapi.md 7.
 */
#include <stdlib.h>

#include <pcp/pmapi.h>

static int by_instance(const void *a, const void *b)
{
	int left = ((const pmValue *)a)->inst;
	int right = ((const pmValue *)b)->inst;

	return (left > right) - (left < right);
}

static void sort_set(pmValueSet *vset)
{
	for (int i = 1; i < vset->numval; i++) {
		if (vset->vlist[i - 1].inst > vset->vlist[i].inst) {
			qsort(vset->vlist, (size_t)vset->numval, sizeof(pmValue), by_instance);
			return;
		}
	}
}

void pmSortInstances(pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++)
		sort_set(result->vset[i]);
}

void pmSortHighResInstances(pmHighResResult *result)
{
	for (int i = 0; i < result->numpmid; i++)
		sort_set(result->vset[i]);
}

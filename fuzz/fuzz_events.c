/*
 * fuzz_events - event arrays in host order, as an agent in this process may return them: they are
 * printed and unpacked, in both resolutions, without accesses outside the block.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"

static FILE *sink;

static void try_type(pmValueBlock *block, int type)
{
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmHighResResult **high;
	pmResult **low;
	int n;

	block->vtype = (unsigned int)type;
	set.vlist[0].value.pval = block;
	if (type == PM_TYPE_EVENT) {
		n = pmUnpackEventRecords(&set, 0, &low);
		if (n > 0)
			pmFreeEventResult(low);
	} else {
		n = pmUnpackHighResEventRecords(&set, 0, &high);
		if (n > 0)
			pmFreeHighResEventResult(high);
	}
	pmPrintValue(sink, PM_VAL_SPTR, type, &set.vlist[0], 0);
	pmPrintValue(sink, PM_VAL_SPTR, PM_TYPE_AGGREGATE, &set.vlist[0], 20);
	pmPrintValue(sink, PM_VAL_SPTR, PM_TYPE_STRING, &set.vlist[0], 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmValueBlock *block;

	if (size > 100000)
		return 0;
	if (sink == NULL)
		sink = fopen("/dev/null", "w");
	block = malloc(PM_VAL_HDR_SIZE + size);
	FUZZ_REQUIRE(sink != NULL && block != NULL);
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + size);
	memcpy((char *)block + PM_VAL_HDR_SIZE, data, size);
	try_type(block, PM_TYPE_EVENT);
	try_type(block, PM_TYPE_HIGHRES_EVENT);
	free(block);
	return 0;
}

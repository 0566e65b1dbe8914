/*
 * fuzz_values - one value as an agent in this process may return it: format, types and a block of
 * any length, extracted as every type and printed.
 *
 *     format, type, type of the block, width | the bytes of the block, or of the word
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"

enum { HEAD = 4, NTYPE = PM_TYPE_HIGHRES_EVENT + 1 };

static FILE *sink;

static void extract(const pmValue *v, int valfmt, int type)
{
	for (int otype = PM_TYPE_NOSUPPORT; otype <= NTYPE; otype++) {
		pmAtomValue out;
		char text[80];

		if (pmExtractValue(valfmt, v, type, &out, otype) < 0)
			continue;
		FUZZ_REQUIRE(otype >= PM_TYPE_32 && otype <= PM_TYPE_AGGREGATE);
		pmAtomStr_r(&out, otype, text, sizeof(text));
		if (otype == PM_TYPE_STRING)
			free(out.cp);
		if (otype == PM_TYPE_AGGREGATE)
			free(out.vbp);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmValue v = {.inst = (int)PM_IN_NULL};
	pmValueBlock *block;
	int valfmt, type;

	if (size < HEAD || size > 100000)
		return 0;
	if (sink == NULL)
		sink = fopen("/dev/null", "w");
	valfmt = data[0] % 4;
	type = data[1] % (NTYPE + 2) - 1;
	block = malloc(PM_VAL_HDR_SIZE + size - HEAD);
	FUZZ_REQUIRE(sink != NULL && block != NULL);
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + size - HEAD);
	block->vtype = data[2];
	memcpy((char *)block + PM_VAL_HDR_SIZE, data + HEAD, size - HEAD);
	if (valfmt != PM_VAL_INSITU)
		v.value.pval = block;
	else if (size - HEAD >= sizeof(v.value.lval))
		memcpy(&v.value.lval, data + HEAD, sizeof(v.value.lval));
	extract(&v, valfmt, type);
	if (valfmt <= PM_VAL_SPTR)
		pmPrintValue(sink, valfmt, type, &v, data[3]);
	free(block);
	return 0;
}

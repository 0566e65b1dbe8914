/* fuzz_pmlogrewrite - any text as rules of pmlogrewrite (docs/spec/logger.md D6). */
#include "fuzz.h"
#include "tools/pmlogrewrite/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rules rules;

	rules_parse(&rules, (const char *)data, size);
	rules_done(&rules);
	return 0;
}

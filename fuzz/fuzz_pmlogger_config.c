/* fuzz_pmlogger_config - any text as a configuration of the recorder (docs/spec/logger.md A2). */
#include "daemons/pmlogger/config.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c;

	config_init(&c);
	config_parse(&c, (const char *)data, size, "fuzz", 60000);
	config_done(&c);
	return 0;
}

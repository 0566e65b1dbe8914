/*
 * fuzz_pmrep_config - configurations of pmrep. A text is either read, with every section usable or
 * refused with a message, or it is an error; what is read has no empty names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tools/pmrep/config.h"

static void use_sections(const struct config *config)
{
	for (size_t i = 0; i < config->files[0].n; i++) {
		struct settings settings;
		struct specs specs = {0};

		settings_init(&settings);
		if (config_set(config, config->files[0].sections[i].name, &settings, &specs) >= 0)
			for (size_t n = 0; n < specs.n; n++)
				FUZZ_REQUIRE(specs.list[n].name != NULL &&
					     specs.list[n].name[0] != '\0');
		specs_done(&specs);
		settings_done(&settings);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config config = {0};
	struct settings settings;
	struct specs specs = {0};

	settings_init(&settings);
	if (config_read_text(&config, "fuzz", (const char *)data, size) >= 0) {
		config_options(&config, &settings);
		config_globals(&config, &specs);
		use_sections(&config);
	}
	specs_done(&specs);
	settings_done(&settings);
	config_done(&config);
	return 0;
}

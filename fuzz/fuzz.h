/* fuzz - what every fuzz target shares: its entry, and the way it complains. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One input, of any bytes. Returns 0; a property that does not hold is FUZZ_REQUIRE's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(property)                                                                     \
	do {                                                                                       \
		if (!(property)) {                                                                 \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,          \
				#property);                                                        \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif

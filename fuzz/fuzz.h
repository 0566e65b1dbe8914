/* fuzz - declarations for all fuzz targets: the entry point, and the check of a property. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs one input, of any bytes. Returns 0; FUZZ_REQUIRE aborts if a property does not hold. */
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

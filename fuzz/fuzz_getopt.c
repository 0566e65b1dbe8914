/*
 * fuzz_getopt - command lines: the bytes are split into words at NULs. No word is lost, and the
 * remaining arguments follow the options.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"

#define WORDS_MAX 64

static pmLongOptions long_options[] = {
    PMAPI_OPTIONS_HEADER("options"), {"all", 0, 'x', NULL, "a"}, {"allow", 1, 'y', "WHAT", "b"},
    {"maybe", 2, 'o', "ARG", "c"},   {"only", 0, 0, NULL, "d"},  PMAPI_OPTIONS_END,
};
static const char *const shorts[] = {"xy:o::W;", "+xy:", "-xy:o::", ":xy:"};

static void check_argv(char *const *argv, char *const *before, int argc)
{
	for (int i = 0; i < argc; i++) {
		int j = 0;

		while (j < argc && argv[j] != before[i])
			j++;
		FUZZ_REQUIRE(j < argc);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 2] = {(char *)"prog"}, *before[WORDS_MAX + 2];
	pmOptions o = {.flags = PM_OPTFLAG_QUIET, .long_options = long_options};
	char *text = malloc(size + 1);
	int argc = 1, calls = 0;

	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	o.short_options = shorts[size > 0 ? data[0] % 4 : 0];
	for (size_t at = 0; at < size && argc < WORDS_MAX; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	memcpy(before, argv, sizeof(before));
	while (pmgetopt_r(argc, argv, &o) != -1)
		FUZZ_REQUIRE(++calls <= (int)size + 2);
	FUZZ_REQUIRE(o.optind >= 1 && o.optind <= argc);
	check_argv(argv, before, argc);
	free(text);
	return 0;
}

/*
 * fuzz_hostspec - the text that names a collector. The position of an error is inside the text, and
 * a valid text has the parts that its protocol needs.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"
#include "libpcp/hostspec.h"

static void check_spec(const struct hostspec *spec)
{
	if (spec->protocol == HOSTSPEC_LOCAL || spec->protocol == HOSTSPEC_UNIX) {
		FUZZ_REQUIRE(spec->host.name == NULL);
		FUZZ_REQUIRE(spec->path == NULL || spec->path[0] == '/');
		return;
	}
	FUZZ_REQUIRE(spec->host.name != NULL && spec->path == NULL);
	for (size_t i = 0; i < spec->host.nports; i++)
		FUZZ_REQUIRE(spec->host.ports[i] >= 0 && spec->host.ports[i] <= 65536);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostspec_error error = {NULL, 0};
	struct hostspec spec;
	char *text = malloc(size + 1);
	int r;

	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	r = hostspec_parse(text, &spec, &error);
	FUZZ_REQUIRE(r == 0 || r == PM_ERR_GENERIC || r == PM_ERR_NOTHOST);
	FUZZ_REQUIRE((r == PM_ERR_GENERIC) == (error.reason != NULL));
	FUZZ_REQUIRE(error.pos <= strlen(text));
	if (r == 0) {
		check_spec(&spec);
		hostspec_done(&spec);
	}
	free(text);
	return 0;
}

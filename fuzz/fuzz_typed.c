/*
 * fuzz_typed - text from users: the first byte selects the parser, the rest is its text. An error
 * has a message and leaves the outputs as documented; a valid value is within its limits.
 */
#include <string.h>

#include <pcp/deprecated.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "fuzz.h"

static void units(const char *text)
{
	char *msg = NULL, buf[60], *back_msg = NULL;
	pmUnits u, back;
	double mult, back_mult;

	if (pmParseUnitsStr(text, &u, &mult, &msg) < 0) {
		FUZZ_REQUIRE(msg != NULL && mult == 1);
		free(msg);
		return;
	}
	pmUnitsStr_r(&u, buf, sizeof(buf));
	if ((u.dimSpace | u.dimTime | u.dimCount) != 0 && u.scaleCount != 1)
		FUZZ_REQUIRE(pmParseUnitsStr(buf, &back, &back_mult, &back_msg) == 0);
}

static void interval(const char *text)
{
	struct timespec ts;
	char *msg = NULL;

	if (pmParseHighResInterval(text, &ts, &msg) < 0) {
		FUZZ_REQUIRE(msg != NULL);
		free(msg);
		return;
	}
	FUZZ_REQUIRE(ts.tv_sec >= 0 && ts.tv_nsec >= 0 && ts.tv_nsec < 1000000000);
}

static void window(const char *start, const char *end, const char *align, const char *offset)
{
	static const struct timespec from = {1690000000, 5}, to = {1700000000, 0};
	struct timespec s = {0}, e = {0}, o = {0};
	char *msg = NULL;
	int r = pmParseHighResTimeWindow(start, end, align, offset, &from, &to, &s, &e, &o, &msg);

	FUZZ_REQUIRE(r >= -1 && r <= 1);
	FUZZ_REQUIRE((r == 1) == (msg == NULL));
	if (r >= 0)
		FUZZ_REQUIRE(s.tv_sec >= from.tv_sec && e.tv_sec <= to.tv_sec);
	free(msg);
}

static void times(char *text)
{
	char *slash = strchr(text, '|');
	const char *align = NULL;

	if (slash != NULL) {
		*slash = '\0';
		align = slash + 1;
	}
	window(text, NULL, align, NULL);
	window(NULL, text, NULL, NULL);
	window(NULL, NULL, align, text);
}

static void metric(const char *text)
{
	char source[] = "source", *msg = NULL;
	pmMetricSpec *spec;

	if (pmParseMetricSpec(text, 0, source, &spec, &msg) < 0) {
		FUZZ_REQUIRE(msg != NULL);
		free(msg);
		return;
	}
	FUZZ_REQUIRE(spec->metric[0] != '\0' && strlen(spec->metric) <= strlen(text));
	pmFreeMetricSpec(spec);
}

static void value(const char *text)
{
	pmAtomValue a;

	for (int type = PM_TYPE_NOSUPPORT; type <= PM_TYPE_HIGHRES_EVENT; type++)
		if (__pmStringValue(text, &a, type) == 0 && type == PM_TYPE_STRING)
			free(a.cp);
}

/* A refused text changes nothing; a setting can be undone. */
static void debug(const char *text)
{
	static const pmdebugoptions_t none;

	if (pmSetDebug(text) == 0)
		FUZZ_REQUIRE(pmClearDebug(text) == 0);
	FUZZ_REQUIRE(memcmp(&pmDebugOptions, &none, sizeof(none)) == 0 && pmDebug == 0);
}

/* The agents of local contexts: as options, and as lines of pmcd's configuration. */
static void agents(const char *text)
{
	setenv("PCP_PMCDCONF_PATH", "/dev/null", 1);
	pmSpecLocalPMDA(text);
	FUZZ_REQUIRE(pmSpecLocalPMDA("clear") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = malloc(size);
	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0]) {
	case 'u':
		units(text);
		break;
	case 'i':
		interval(text);
		break;
	case 't':
		times(text);
		break;
	case 'd':
		debug(text);
		break;
	case 'l':
		agents(text);
		break;
	case 'm':
		metric(text);
		break;
	case 'v':
		value(text);
		break;
	}
	free(text);
	return 0;
}

#include "tools/pmevent/aside.h"

#include <stdint.h>
#include <string.h>

#include "tools/pmevent/record.h"

#define PID "tracing.param.pid"

/* When one of them tells something. */
enum when { NEVER, NOT_ZERO, NOT_PID };

/* clang-format off */
static const struct {
	const char *metric;
	enum when when;
} asides[] = {
	{ PID, NEVER }, /* the instance has it */
	{ "tracing.param.tid", NOT_PID },
	{ "tracing.param.address", NEVER },
	{ "tracing.param.truncation", NOT_ZERO },
	{ "tracing.param.type", NOT_ZERO },
};
/* clang-format on */

static int find(const struct field *f)
{
	for (int i = 0; i < (int)(sizeof(asides) / sizeof(asides[0])); i++)
		if (strcmp(asides[i].metric, f->metric) == 0)
			return i;
	return -1;
}

bool aside_is(const struct field *f)
{
	return find(f) >= 0;
}

/* 0 of what is no such number. */
static uint32_t number_of(const struct field *f)
{
	return f->type == PM_TYPE_U32 ? f->value.ul : 0;
}

static uint32_t pid_of(const struct record *r)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i].metric, PID) == 0)
			return number_of(&r->fields[i]);
	return 0;
}

bool aside_tells(const struct field *f, const struct record *r)
{
	int i = find(f);

	if (i < 0)
		return true;
	switch (asides[i].when) {
	case NOT_ZERO:
		return number_of(f) != 0;
	case NOT_PID:
		return number_of(f) != pid_of(r);
	default:
		return false;
	}
}

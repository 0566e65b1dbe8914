#include "tools/pmevent/routine.h"

#include <stdint.h>
#include <string.h>

#include "tools/pmevent/record.h"

#define PID "tracing.param.pid"

/* When such a field is printed. */
enum when { NEVER, NOT_ZERO, NOT_PID };

/* clang-format off */
static const struct {
	const char *metric;
	enum when when;
} routines[] = {
	{ PID, NEVER }, /* the name of the instance has it */
	{ "tracing.param.tid", NOT_PID },
	{ "tracing.param.address", NEVER },
	{ "tracing.param.truncation", NOT_ZERO },
	{ "tracing.param.type", NOT_ZERO },
};
/* clang-format on */

static int find(const struct field *f)
{
	for (int i = 0; i < (int)(sizeof(routines) / sizeof(routines[0])); i++)
		if (strcmp(routines[i].metric, f->metric) == 0)
			return i;
	return -1;
}

bool routine_is(const struct field *f)
{
	return find(f) >= 0;
}

/* The value of a 32-bit number, 0 for other types. */
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

bool routine_is_notable(const struct field *f, const struct record *r)
{
	int i = find(f);

	if (i < 0)
		return true;
	switch (routines[i].when) {
	case NOT_ZERO:
		return number_of(f) != 0;
	case NOT_PID:
		return number_of(f) != pid_of(r);
	default:
		return false;
	}
}

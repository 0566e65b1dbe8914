/*
 * desc - names of types, semantics and event flags; a descriptor as text: docs/spec/pmapi.md
 * 11, 13.7.
 */
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"

/* The shortest buffer pmEventFlagsStr_r takes: all flags fit. */
#define EVENT_FLAGS_TEXT_MIN 26

struct type_name {
	const char *name; /* as in pmTypeStr */
	const char *text; /* as in a printed descriptor */
};

/* clang-format off */
static const struct type_name types[] = {
	[PM_TYPE_32]               = { "32",               "32-bit int" },
	[PM_TYPE_U32]              = { "U32",              "32-bit unsigned int" },
	[PM_TYPE_64]               = { "64",               "64-bit int" },
	[PM_TYPE_U64]              = { "U64",              "64-bit unsigned int" },
	[PM_TYPE_FLOAT]            = { "FLOAT",            "float" },
	[PM_TYPE_DOUBLE]           = { "DOUBLE",           "double" },
	[PM_TYPE_STRING]           = { "STRING",           "string" },
	[PM_TYPE_AGGREGATE]        = { "AGGREGATE",        "aggregate" },
	[PM_TYPE_AGGREGATE_STATIC] = { "AGGREGATE_STATIC", "static aggregate" },
	[PM_TYPE_EVENT]            = { "EVENT",            "event record array" },
	[PM_TYPE_HIGHRES_EVENT]    = { "HIGHRES_EVENT",    "highres event record array" },
};

static const char *const semantics[] = {
	[PM_SEM_COUNTER] = "counter", [PM_SEM_INSTANT] = "instant", [PM_SEM_DISCRETE] = "discrete",
};

static const struct {
	unsigned int flag;
	const char *name;
} event_flags[] = {
	{ PM_EVENT_FLAG_POINT,  "point" },
	{ PM_EVENT_FLAG_START,  "start" },
	{ PM_EVENT_FLAG_END,    "end" },
	{ PM_EVENT_FLAG_ID,     "id" },
	{ PM_EVENT_FLAG_PARENT, "parent" },
};
/* clang-format on */

const char *pmTypeStr(int type)
{
	if (type >= 0 && type < (int)ARRAY_SIZE(types))
		return types[type].name;
	if (type == PM_TYPE_NOSUPPORT)
		return "NO_SUPPORT";
	return type == PM_TYPE_UNKNOWN ? "UNKNOWN" : "???";
}

char *pmTypeStr_r(int type, char *buf, int buflen)
{
	pmsprintf(buf, buflen > 0 ? (size_t)buflen : 0, "%s", pmTypeStr(type));
	return buf;
}

/* NULL for a number that is not a semantics. */
static const char *sem_name(int sem)
{
	return sem >= 0 && sem < (int)ARRAY_SIZE(semantics) ? semantics[sem] : NULL;
}

const char *pmSemStr(int sem)
{
	const char *name = sem_name(sem);

	return name != NULL ? name : "???";
}

char *pmSemStr_r(int sem, char *buf, int buflen)
{
	pmsprintf(buf, buflen > 0 ? (size_t)buflen : 0, "%s", pmSemStr(sem));
	return buf;
}

char *pmEventFlagsStr_r(int flags, char *buf, int buflen)
{
	struct text t;

	if (buflen < EVENT_FLAGS_TEXT_MIN)
		return NULL;
	t = text_in(buf, (size_t)buflen);
	if ((unsigned int)flags & PM_EVENT_FLAG_MISSED) {
		text_add(&t, "missed");
		return buf;
	}
	for (size_t i = 0; i < ARRAY_SIZE(event_flags); i++) {
		if (((unsigned int)flags & event_flags[i].flag) == 0)
			continue;
		if (t.len > 0)
			text_add(&t, ",");
		text_add(&t, event_flags[i].name);
	}
	return buf;
}

const char *pmEventFlagsStr(int flags)
{
	static char buf[64];

	return pmEventFlagsStr_r(flags, buf, sizeof(buf));
}

static void print_type(FILE *f, int type)
{
	if (type >= 0 && type < (int)ARRAY_SIZE(types))
		fprintf(f, "    Data Type: %s", types[type].text);
	else
		fprintf(f, "    Data Type: ??? (%d)", type);
}

void pmPrintDesc(FILE *f, const pmDesc *desc)
{
	char indom[20], units_buf[60];
	const char *sem = sem_name(desc->sem);
	const char *units = pmUnitsStr_r(&desc->units, units_buf, sizeof(units_buf));

	if (desc->type == PM_TYPE_NOSUPPORT) {
		fprintf(f, "    Data Type: Not Supported\n");
		return;
	}
	print_type(f, desc->type);
	fprintf(f, "  InDom: %s 0x%x\n", pmInDomStr_r(desc->indom, indom, sizeof(indom)),
		desc->indom);
	if (sem != NULL)
		fprintf(f, "    Semantics: %s", sem);
	else
		fprintf(f, "    Semantics: ??? (%d)", desc->sem);
	fprintf(f, "  Units: %s\n", *units != '\0' ? units : "none");
}

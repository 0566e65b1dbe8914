/* special - see special.h. */
#include "libpcp/special.h"

#include <stddef.h>
#include <string.h>

#include "libbase/cleanup.h"

#define SPECIAL_PMID(item) ((pmID)DYNAMIC_PMID << 22 | (item))
#define SPECIAL_DESC(item)                                                                         \
	{                                                                                          \
		.pmid = SPECIAL_PMID(item), .type = PM_TYPE_U32, .indom = PM_INDOM_NULL,           \
		.sem = PM_SEM_DISCRETE,                                                            \
	}

/* clang-format off */
static const struct special specials[] = {
	{
		"event.flags", SPECIAL_DESC(1),
		"Flags for event records",
		"The flags of an event record: added as its first parameter by\n"
		"pmUnpackEventRecords(3) when any is set.",
	},
	{
		"event.missed", SPECIAL_DESC(2),
		"Count of missed event records",
		"How many event records were lost before this one: added as a parameter by\n"
		"pmUnpackEventRecords(3) where the agent or the client was too slow for the\n"
		"events.",
	},
};
/* clang-format on */

const struct special *special_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++) {
		if (strcmp(specials[i].name, name) == 0)
			return &specials[i];
	}
	return NULL;
}

const struct special *special_find(pmID pmid)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++) {
		if (specials[i].desc.pmid == pmid)
			return &specials[i];
	}
	return NULL;
}

const struct special *special_next(const struct special *last)
{
	const struct special *next = last == NULL ? specials : last + 1;

	return next < specials + ARRAY_SIZE(specials) ? next : NULL;
}

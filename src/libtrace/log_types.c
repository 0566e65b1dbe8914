/* log_types - see log_types.h. */
#include "libtrace/log_types.h"

#include <errno.h>

#include "libtrace/family.h"
#include "libtrace/layout.h"

static trace_event_id_t family_first_free(void *arg)
{
	return arg != NULL ? family_end(arg) : LAYOUT_USER_FIRST;
}

static int family_name(void *arg, trace_event_id_t id, char *ret)
{
	return arg != NULL ? family_name_of(arg, id, ret) : -EINVAL;
}

static size_t family_describes(void *arg, trace_event_id_t id, struct posix_trace_field_np *ret)
{
	uint32_t count = 0;

	if (arg == NULL || family_fields(arg, id, ret, POSIX_TRACE_FIELDS_MAX_NP, &count) < 0)
		return 0;
	return count;
}

struct log_types log_types_family(struct family *family)
{
	return (struct log_types){ family, family_first_free, family_name, family_describes };
}

/* names - event types by name, for the traced process (docs/spec/posix-trace.md 7, 10.9). */
#include <errno.h>

#include "libtrace/family.h"

int posix_trace_eventid_open(const char *restrict name, trace_event_id_t *restrict id)
{
	struct family *family = family_self();

	return family == NULL ? ENOMEM : -family_id_of(family, name, id);
}

int posix_trace_eventid_describe_np(trace_event_id_t id, const struct posix_trace_field_np *fields,
				    size_t count)
{
	struct family *family = family_self();

	if (count > POSIX_TRACE_FIELDS_MAX_NP)
		return EINVAL;
	return family == NULL ? ENOMEM : -family_describe(family, id, fields, (uint32_t)count);
}

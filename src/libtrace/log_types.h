/*
 * log_types - the source of names and descriptions for a log: a family of processes, or the types found in a log
 * that is being recovered.
 */
#ifndef LIBTRACE_LOG_TYPES_H
#define LIBTRACE_LOG_TYPES_H

#include <trace_np.h>

struct log_types {
	void *arg;
	/* First user id that is not assigned. */
	trace_event_id_t (*end)(void *arg);
	/* Up to TRACE_EVENT_NAME_MAX + 1 bytes: 0, -EINVAL. */
	int (*name)(void *arg, trace_event_id_t id, char *ret);
	/* Up to POSIX_TRACE_FIELDS_MAX_NP: their number, 0 for none. */
	size_t (*fields)(void *arg, trace_event_id_t id, struct posix_trace_field_np *ret);
};

struct family;

/* The types of a family, which is borrowed; no types for NULL. */
struct log_types log_types_family(struct family *family);

#endif

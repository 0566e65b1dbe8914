/*
 * log_types - the source of names and descriptions for a log: a family of processes, or the types
 * found in a log that is being recovered.
 */
#ifndef LIBTRACE_LOG_TYPES_H
#define LIBTRACE_LOG_TYPES_H

#include <stdbool.h>

#include <trace_np.h>

#include "libtrace/layout.h"

struct log_types {
	void *arg;
	/* First user id that is not assigned. */
	trace_event_id_t (*end)(void *arg);
	/* Up to TRACE_EVENT_NAME_MAX + 1 bytes: 0, -EINVAL. */
	int (*name)(void *arg, trace_event_id_t id, char *ret_name);
	/* Up to POSIX_TRACE_FIELDS_MAX_NP: their number, 0 for none. */
	size_t (*fields)(void *arg, trace_event_id_t id, struct posix_trace_field_np *ret_fields);
};

struct family;

/* The types of a family, which is borrowed; no types for NULL. */
struct log_types log_types_family(struct family *family);

/*
 * ---- log_names ----
 *
 * The event types found in a log, by id. Heap memory, bounded by the number of ids and the size of
 * an encoded type.
 */

struct log_names_entry;

struct log_names {
	struct log_names_entry *entry[LAYOUT_IDS]; /* NULL: unknown */
};

/* Frees the entries. */
void log_names_done(struct log_names *names);

/* Sets name and description of a user type; a later call replaces an earlier one: 0, -EINVAL (bad
 * id), -ENOMEM. */
int log_names_set(struct log_names *names, trace_event_id_t id, const char *name,
		  const struct posix_trace_field_np *fields, size_t count);
/* The same for an encoded type, whose length is checked: bytes read, -EINVAL, -ENOMEM. keep_name:
 * keeps the name of the existing type and sets its fields. */
int log_names_add(struct log_names *names, trace_event_id_t id, const uint8_t *in, size_t len,
		  bool keep_name);

bool log_names_has(const struct log_names *names, trace_event_id_t id);
/* Borrowed; NULL: unknown. */
const char *log_names_get(const struct log_names *names, trace_event_id_t id);
size_t log_names_fields(const struct log_names *names, trace_event_id_t id,
			struct posix_trace_field_np *ret_fields);

/* For the writer of a trailer. */
struct log_types log_names_types(struct log_names *names);

#endif

/*
 * log_names - the event types found in a log, by id. Heap memory, bounded by the number of ids and the size of
 * an encoded type.
 */
#ifndef LIBTRACE_LOG_NAMES_H
#define LIBTRACE_LOG_NAMES_H

#include <stdbool.h>

#include "libtrace/layout.h"
#include "libtrace/log_types.h"

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
			struct posix_trace_field_np *ret);

/* For the writer of a trailer. */
struct log_types log_names_types(struct log_names *names);

#endif

/* log_types - see log_types.h. */
#include "libtrace/log_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/log_format.h"

/* ---- types of a family ---- */

static trace_event_id_t family_first_free(void *arg)
{
	return arg != NULL ? family_end(arg) : LAYOUT_USER_FIRST;
}

static int family_name(void *arg, trace_event_id_t id, char *ret_name)
{
	return arg != NULL ? family_name_of(arg, id, ret_name) : -EINVAL;
}

static size_t family_describes(void *arg, trace_event_id_t id,
			       struct posix_trace_field_np *ret_fields)
{
	uint32_t count = 0;

	if (arg == NULL ||
	    family_fields(arg, id, ret_fields, POSIX_TRACE_FIELDS_MAX_NP, &count) < 0)
		return 0;
	return count;
}

struct log_types log_types_family(struct family *family)
{
	return (struct log_types){family, family_first_free, family_name, family_describes};
}

/* ---- types found in a log ---- */

/* An entry: the name with its NUL, the number of fields, the fields. */
struct log_names_entry {
	char name[TRACE_EVENT_NAME_MAX + 1];
	uint32_t count;
	struct posix_trace_field_np fields[];
};

static struct log_names_entry *entry_of(const struct log_names *names, trace_event_id_t id)
{
	return id < LAYOUT_IDS ? names->entry[id] : NULL;
}

void log_names_done(struct log_names *names)
{
	for (size_t i = 0; i < LAYOUT_IDS; i++) {
		free(names->entry[i]);
		names->entry[i] = NULL;
	}
}

int log_names_set(struct log_names *names, trace_event_id_t id, const char *name,
		  const struct posix_trace_field_np *fields, size_t count)
{
	struct log_names_entry *entry;

	if (id < LAYOUT_USER_FIRST || id >= LAYOUT_IDS)
		return -EINVAL;
	entry = calloc(1, sizeof(*entry) + count * sizeof(*fields));
	if (entry == NULL)
		return -ENOMEM;
	memcpy(entry->name, name, strnlen(name, TRACE_EVENT_NAME_MAX));
	entry->count = (uint32_t)count;
	if (count > 0)
		memcpy(entry->fields, fields, count * sizeof(*fields));
	free(names->entry[id]);
	names->entry[id] = entry;
	return 0;
}

int log_names_add(struct log_names *names, trace_event_id_t id, const uint8_t *in, size_t len,
		  bool keep_name)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t count;
	int taken = log_type_decode(in, len, name, fields, &count), r;

	if (taken < 0)
		return taken;
	if (keep_name) {
		const struct log_names_entry *old = entry_of(names, id);

		if (old == NULL)
			return -EINVAL;
		memcpy(name, old->name, sizeof(name));
	}
	r = log_names_set(names, id, name, fields, count);
	return r < 0 ? r : taken;
}

bool log_names_has(const struct log_names *names, trace_event_id_t id)
{
	return entry_of(names, id) != NULL;
}

const char *log_names_get(const struct log_names *names, trace_event_id_t id)
{
	const struct log_names_entry *entry = entry_of(names, id);

	return entry != NULL ? entry->name : NULL;
}

size_t log_names_fields(const struct log_names *names, trace_event_id_t id,
			struct posix_trace_field_np *ret_fields)
{
	const struct log_names_entry *entry = entry_of(names, id);

	if (entry == NULL)
		return 0;
	memcpy(ret_fields, entry->fields, entry->count * sizeof(*ret_fields));
	return entry->count;
}

static trace_event_id_t log_names_end(void *arg)
{
	const struct log_names *names = arg;
	trace_event_id_t end = LAYOUT_USER_FIRST;

	for (trace_event_id_t id = LAYOUT_USER_FIRST; id < LAYOUT_IDS; id++)
		if (names->entry[id] != NULL)
			end = id + 1;
	return end;
}

static int log_names_name(void *arg, trace_event_id_t id, char *ret_name)
{
	const char *name = log_names_get(arg, id);

	if (name == NULL)
		return -EINVAL;
	memcpy(ret_name, name, strlen(name) + 1);
	return 0;
}

static size_t log_names_each_fields(void *arg, trace_event_id_t id,
				    struct posix_trace_field_np *ret_fields)
{
	return log_names_fields(arg, id, ret_fields);
}

struct log_types log_names_types(struct log_names *names)
{
	return (struct log_types){names, log_names_end, log_names_name, log_names_each_fields};
}

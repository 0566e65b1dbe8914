/*
 * family_fields - descriptions of payloads, in a second file of the family, which is made for the
 * first description. Records are appended and never change; at[] has the current one of each id,
 * set by one store with release after the record is complete.
 */
#include <string.h>

#include "libtrace/family_table.h"
#include "libtrace/sys.h"

/* The file, opened (make: created) at first use: NULL and *ret_error on failure. Threads may open
 * it concurrently; the first one's is kept. */
static struct table_file *fields_open(struct family *f, bool make, int *ret_error)
{
	struct table_file *t = atomic_load_explicit(&f->fields, memory_order_acquire);
	struct table_file *none = NULL;
	int r;

	if (t != NULL)
		return t;
	t = sys_map_anon(sizeof(*t));
	if (t == NULL) {
		*ret_error = -ENOMEM;
		return NULL;
	}
	*t = (struct table_file){.kind = DIR_FIELDS,
				 .uid = f->uid,
				 .magic = FIELDS_MAGIC,
				 .id = f->id,
				 .first = FIELDS_FIRST,
				 .max = FIELDS_MAX};
	if (f->table.mode == TABLE_PRIVATE)
		r = make ? table_file_private(t) : -ENOENT;
	else
		r = table_file_open(t, make);
	if (r == 0 && atomic_compare_exchange_strong(&f->fields, &none, t))
		return t;
	table_file_close(t);
	sys_unmap(t, sizeof(*t));
	*ret_error = r;
	return none;
}

void family_close_fields(struct family *f)
{
	struct table_file *t = atomic_load(&f->fields);

	if (t == NULL)
		return;
	table_file_close(t);
	sys_unmap(t, sizeof(*t));
}

static struct fields_file *file_of(const struct table_file *t)
{
	return (struct fields_file *)t->base;
}

/* A word that another process may be changing. */
static uint32_t fields_load(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_relaxed);
}

/* The record of an id: NULL if it has none, or an invalid one. */
static const struct fields_record *record_of(struct table_file *t, trace_event_id_t id,
					     uint32_t *ret_count)
{
	uint32_t at = atomic_load_explicit(&file_of(t)->at[id], memory_order_acquire);
	const struct fields_record *record;
	uint32_t count;

	if (at < sizeof(struct fields_file) || at % 8 != 0 || at > FIELDS_MAX - sizeof(*record) ||
	    !table_file_reach(t, at + sizeof(*record), false))
		return NULL;
	record = (const struct fields_record *)((const char *)file_of(t) + at);
	count = fields_load(&record->count);
	if (count > POSIX_TRACE_FIELDS_MAX_NP || fields_load(&record->id) != id ||
	    !table_file_reach(t, at + sizeof(*record) + count * sizeof(record->fields[0]), false))
		return NULL;
	*ret_count = count;
	return record;
}

static bool name_right(const char *name)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t len = strnlen(name, POSIX_TRACE_FIELD_NAME_MAX_NP + 1);

	return len > 0 && len <= POSIX_TRACE_FIELD_NAME_MAX_NP && strchr(first, *name) != NULL &&
	       strspn(name + 1,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == len - 1;
}

/* The sizes that a type may have, one bit each; open: size 0 is "the rest", for the last field
 * only. */
static const struct {
	uint16_t sizes; /* bit n: n bytes */
	bool any, open;
} types[] = {
    [POSIX_TRACE_FIELD_INT_NP] = {.sizes = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8},
    [POSIX_TRACE_FIELD_UINT_NP] = {.sizes = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8},
    [POSIX_TRACE_FIELD_HEX_NP] = {.sizes = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8},
    [POSIX_TRACE_FIELD_FLOAT_NP] = {.sizes = 1 << 4 | 1 << 8},
    [POSIX_TRACE_FIELD_CHARS_NP] = {.any = true, .open = true},
    [POSIX_TRACE_FIELD_BYTES_NP] = {.any = true, .open = true},
};

static bool field_right(const struct posix_trace_field_np *field, bool last)
{
	uint16_t type = field->type;

	if (!name_right(field->name) || type == 0 || type >= sizeof(types) / sizeof(types[0]) ||
	    field->reserved != 0)
		return false;
	if (field->size == 0)
		return types[type].open && last;
	return types[type].any || (field->size <= 8 && (types[type].sizes & 1 << field->size) != 0);
}

static bool fields_right(const struct posix_trace_field_np *fields, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!field_right(&fields[i], i + 1 == count))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(fields[i].name, fields[k].name) == 0)
				return false;
	}
	return count <= POSIX_TRACE_FIELDS_MAX_NP;
}

/* Allocates a record: its offset, 0 if there is no room. */
static uint32_t room_for(struct table_file *t, uint32_t bytes)
{
	_Atomic uint32_t *top = &file_of(t)->top;
	uint32_t at = atomic_load(top);

	do {
		uint32_t from = at < sizeof(struct fields_file) ? sizeof(struct fields_file) : at;

		if (from % 8 != 0 || from > FIELDS_MAX - bytes ||
		    !table_file_reach(t, from + bytes, true))
			return 0;
		if (atomic_compare_exchange_weak(top, &at, from + bytes))
			return from;
	} while (true);
}

static bool same_as_before(struct table_file *t, trace_event_id_t id,
			   const struct posix_trace_field_np *fields, uint32_t count)
{
	uint32_t there;
	const struct fields_record *record = record_of(t, id, &there);

	return record != NULL && there == count &&
	       memcmp(record->fields, fields, count * sizeof(*fields)) == 0;
}

int family_describe(struct family *f, trace_event_id_t id,
		    const struct posix_trace_field_np *fields, uint32_t count)
{
	struct table_file *t;
	struct fields_record *record;
	uint32_t bytes = (uint32_t)(sizeof(*record) + count * sizeof(*fields));
	uint32_t at;
	int r;

	if (id != POSIX_TRACE_UNNAMED_USEREVENT && (id < LAYOUT_USER_FIRST || id >= family_end(f)))
		return -EINVAL;
	if (count > POSIX_TRACE_FIELDS_MAX_NP || !fields_right(fields, count))
		return -EINVAL;
	if (f->table.mode == TABLE_PICTURE)
		return -EINVAL; /* another user's: only its own processes may describe it */
	t = fields_open(f, true, &r);
	if (t == NULL)
		return -ENOMEM;
	if (same_as_before(t, id, fields, count))
		return 0;
	at = room_for(t, bytes);
	if (at == 0)
		return -ENOMEM;
	record = (struct fields_record *)((char *)file_of(t) + at);
	record->id = id;
	record->count = count;
	memcpy(record->fields, fields, count * sizeof(*fields));
	atomic_store_explicit(&file_of(t)->at[id], at, memory_order_release);
	return 0;
}

int family_fields(struct family *f, trace_event_id_t id, struct posix_trace_field_np *fields,
		  uint32_t max, uint32_t *ret_count)
{
	const struct fields_record *record = NULL;
	uint32_t count = 0;
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct table_file *t;
	int r;

	if (family_name_of(f, id, name) < 0)
		return -EINVAL;
	t = fields_open(f, false, &r);
	if (t != NULL) {
		table_file_refresh(t);
		record = record_of(t, id, &count);
	}
	for (uint32_t i = 0; record != NULL && i < count && i < max; i++) {
		memcpy(&fields[i], &record->fields[i], sizeof(fields[i]));
		fields[i].name[POSIX_TRACE_FIELD_NAME_MAX_NP] = '\0';
	}
	*ret_count = record != NULL ? count : 0;
	return 0;
}

void family_copy_fields(struct family *from, struct family *to)
{
	struct posix_trace_field_np fields[POSIX_TRACE_FIELDS_MAX_NP];
	trace_event_id_t end = family_end(from);
	uint32_t count;
	int r;

	if (fields_open(from, false, &r) == NULL)
		return;
	for (trace_event_id_t id = POSIX_TRACE_UNNAMED_USEREVENT; id < end; id++)
		if (family_fields(from, id, fields, POSIX_TRACE_FIELDS_MAX_NP, &count) == 0 &&
		    count > 0)
			family_describe(to, id, fields, count);
}

/* family_table - the layout of a family's files, and declarations shared by family.c and
 * family_fields.c. */
#ifndef LIBTRACE_FAMILY_TABLE_H
#define LIBTRACE_FAMILY_TABLE_H

#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/table_file.h"

#define FAMILY_MAGIC 0x31464d4146545001u
#define FIELDS_MAGIC 0x31444c4546545001u

enum {
	FAMILY_NAMES = LAYOUT_USER_END - LAYOUT_USER_FIRST,
	FAMILY_SLOTS = FAMILY_NAMES + 512, /* more than ids: some are being filled in */
	FAMILY_INDEX = 8192,		   /* a power of two, about twice the names */
	FAMILY_FIRST = 16384,		   /* bytes of a new file */
	FIELDS_FIRST = 32768,
	FIELDS_MAX = 8 << 20,
};

/*
 * State of a name: 0 free; pid 22 | start 41 of the claimer; and NAME_USED once an id refers to it.
 */
#define NAME_USED 0x8000000000000000u

struct family_name {
	_Atomic uint64_t state;
	char text[TRACE_EVENT_NAME_MAX + 1];
};

struct family_file {
	struct table_head head;
	uint64_t pad[6];
	_Atomic uint16_t ids[4096]; /* of LAYOUT_USER_FIRST + i: number of its name + 1, or 0 */
	struct family_name names[FAMILY_SLOTS];
};

struct fields_file {
	struct table_head head;
	_Atomic uint32_t top; /* bytes in use */
	uint32_t pad[11];
	_Atomic uint32_t at[4096]; /* offset of an id's description, or 0 */
};

struct fields_record {
	uint32_t id, count;
	struct posix_trace_field_np fields[];
};

/* A family in this process. */
struct family {
	uint64_t id;
	uid_t uid;
	struct table_file table;
	_Atomic(struct table_file *) fields; /* NULL until needed */
	_Atomic uint32_t end;	       /* names known to exist */
	_Atomic uint32_t indexed;      /* names in the index */
	_Atomic uint16_t index[FAMILY_INDEX]; /* by hash of the name: its place in ids + 1 */
};

/* Copies the descriptions of one family to another. */
void family_copy_fields(struct family *from, struct family *to);
void family_close_fields(struct family *family);

static inline struct family_file *family_file(const struct family *f)
{
	return (struct family_file *)f->table.base;
}

#endif

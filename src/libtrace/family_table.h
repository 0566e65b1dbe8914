/*
 * family_table - the layout of a family's files, for family.c, family_fields.c and family_open.c;
 * and table_file, the files themselves.
 *
 * A table_file is a growing file of the registry directory, as one process uses it: mapped once
 * with its maximum size, and accessed only as far as it is known to be allocated. No descriptor
 * stays open. System calls only.
 *
 *     TABLE_SHARED    mapped by all processes that use it
 *     TABLE_PRIVATE   memory of this process: no file could be made
 *     TABLE_PICTURE   another user's: a copy, refreshed on demand; its user cannot truncate it
 *
 * Writers      reached: only grows; below it the file is allocated (or the memory is private).
 */
#ifndef LIBTRACE_FAMILY_TABLE_H
#define LIBTRACE_FAMILY_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/family.h"
#include "libtrace/layout.h"
#include "libtrace/registry_dir.h"

enum table_mode {
	TABLE_SHARED,
	TABLE_PRIVATE,
	TABLE_PICTURE,
};

/* The head of every file. */
struct table_head {
	uint64_t magic;
	uint64_t id;
};

struct table_file {
	struct table_head *base; /* NULL: not open */
	enum table_mode mode;
	enum dir_kind kind;
	uid_t uid;
	uint64_t magic, id;
	size_t first, max;
	_Atomic size_t reached;
	dev_t dev;
	ino_t ino;
};

/* Opens (make: creates) a file: 0, -ENOENT, -EINVAL (invalid contents), -ENOSPC, -ENOMEM, ....
 * The caller has set kind, uid, magic, id, first (size of a new file) and max. */
int table_file_open(struct table_file *t, bool make);
/* Uses private memory instead: 0, -ENOMEM. */
int table_file_private(struct table_file *t);
void table_file_close(struct table_file *t);
/* Children do not inherit the mapping. */
void table_file_keep_from_children(struct table_file *t);

/* May the first `end` bytes be accessed? With `grow` they are allocated if necessary. */
bool table_file_reach(struct table_file *t, size_t end, bool grow);
/* Refreshes a copy; does nothing for other modes. */
void table_file_refresh(struct table_file *t);

#define FAMILY_MAGIC 0x31464d4146545001u
#define FIELDS_MAGIC 0x31444c4546545001u

enum {
	FAMILY_NAMES = LAYOUT_USER_END - LAYOUT_USER_FIRST,
	FAMILY_SLOTS = FAMILY_NAMES + 512, /* more than ids: some are being filled in */
	FAMILY_INDEX = 8192,               /* a power of two, about twice the names */
	FAMILY_FIRST = 16384,              /* bytes of a new file */
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
	_Atomic(struct table_file *) fields;  /* NULL until needed */
	_Atomic uint32_t end;                 /* names known to exist */
	_Atomic uint32_t indexed;             /* names in the index */
	_Atomic uint16_t index[FAMILY_INDEX]; /* by hash of the name: its place in ids + 1 */
};

/* family.c: number of used places of ids[]; copies the name at a place; the id of a name, 0: none;
 * assigns an id: 0, -ENOSPC. */
unsigned family_names_end(const struct family *f);
bool family_name_copy(struct family *f, unsigned place, char ret_name[TRACE_EVENT_NAME_MAX + 1]);
trace_event_id_t family_find(struct family *f, const char *name);
int family_add(struct family *f, const char *name, trace_event_id_t *ret_id);

/* Copies the descriptions of one family to another. */
void family_copy_fields(struct family *from, struct family *to);
void family_close_fields(struct family *family);

static inline struct family_file *family_file(const struct family *f)
{
	return (struct family_file *)f->table.base;
}

#endif

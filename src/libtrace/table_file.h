/*
 * table_file - a growing file of the registry directory, as one process uses it: mapped once at its
 * largest size, and touched only as far as it is known to be allocated. No descriptor stays open.
 *
 *     TABLE_SHARED    mapped by everybody who uses it
 *     TABLE_PRIVATE   memory of this process: no file could be made
 *     TABLE_PICTURE   another user's: a copy, read again on demand; he cannot cut it off under us
 *
 * Who writes    reached: grows only; below it the file is allocated (or the memory private).
 * System calls only.
 */
#ifndef LIBTRACE_TABLE_FILE_H
#define LIBTRACE_TABLE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libtrace/registry_dir.h"

enum table_mode {
	TABLE_SHARED,
	TABLE_PRIVATE,
	TABLE_PICTURE,
};

/* What every file begins with. */
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

/* Opens (make: creates) a file: 0, -ENOENT, -EINVAL (no such table), -ENOSPC, -ENOMEM, ....
 * Filled in before: kind, uid, magic, id, first (bytes that a new one has), max. */
int table_file_open(struct table_file *t, bool make);
/* Private memory instead: 0, -ENOMEM. */
int table_file_private(struct table_file *t);
void table_file_close(struct table_file *t);
/* Children do not get the mapping. */
void table_file_keep_from_children(struct table_file *t);

/* Whether the first `end` bytes may be touched; with `grow` they are allocated if need be. */
bool table_file_reach(struct table_file *t, size_t end, bool grow);
/* A picture is taken again; nothing to do for others. */
void table_file_refresh(struct table_file *t);

#endif

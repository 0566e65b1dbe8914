/*
 * table_file - a growing file of the registry directory, as one process uses it: mapped once with its maximum
 * size, and accessed only as far as it is known to be allocated. No descriptor stays open.
 *
 *     TABLE_SHARED    mapped by all processes that use it
 *     TABLE_PRIVATE   memory of this process: no file could be made
 *     TABLE_PICTURE   another user's: a copy, refreshed on demand; its user cannot truncate it
 *
 * Writers      reached: only grows; below it the file is allocated (or the memory is private).
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

#endif

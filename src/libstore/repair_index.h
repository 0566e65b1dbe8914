/*
 * repair_index - the temporal index of an archive that is mended: what is there, whether it is
 * right, and what it has to be (docs/spec/archive.md 8).
 */
#ifndef LIBSTORE_REPAIR_INDEX_H
#define LIBSTORE_REPAIR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"

struct index_list {
	struct index_entry *entries; /* owned */
	size_t n, cap;
};

void index_list_done(struct index_list *list);
int index_list_add(struct index_list *list, const struct index_entry *entry);

/*
 * Reads an index. 0, and *ret_whole is true if the file has a label, of *ret_version, and whole
 * entries only; -ENOMEM. A file that cannot be read has no entries.
 */
int index_list_load(struct index_list *list, const char *path, int *ret_version, bool *ret_whole);

/* Writes BASE.index again, whole, durable before it gets its name. 0, -errno. */
int index_list_write(const struct index_list *list, const char *base,
		     const struct log_label *label);

#endif

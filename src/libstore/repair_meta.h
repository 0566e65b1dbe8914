/*
 * repair_meta - what the .meta of an archive that is mended says: which metrics and instances are
 * described, where in it which time is, and where it is damaged.
 */
#ifndef LIBSTORE_REPAIR_META_H
#define LIBSTORE_REPAIR_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"

struct result_view;

/* A stamped record. */
struct meta_moment {
	uint64_t offset;
	struct timespec stamp;
	bool indom;
};

/* Damage, and when what follows it was: 0 if nothing with a stamp does. */
struct damage_region {
	uint64_t offset, end;
	struct timespec next;
};

enum { REGIONS_MAX = 256 }; /* of more the last one is kept, the others are counted */

struct damage_list {
	struct damage_region at[REGIONS_MAX];
	size_t n;
	uint64_t count;
};

struct repair_meta {
	struct log_label label;
	uint64_t size;       /* of the file */
	struct hash metrics; /* with their domains */
	struct hash domains;
	struct hash insts; /* that a domain ever had, and whether it has them at the end */
	struct meta_moment *moments; /* owned; in the order of the file */
	size_t nmoments, cap;
	struct damage_list damage;
	struct arena mem;
};

/* Adds a region. */
void damage_list_add(struct damage_list *d, uint64_t offset, uint64_t end);
/* A whole record with this stamp follows what was added. */
void damage_list_stamp(struct damage_list *d, const struct timespec *stamp);

/*
 * Reads a .meta up to its end, or up to the offset limit. 0; PM_ERR_NODATA, PM_ERR_LABEL, -errno,
 * -ENOMEM.
 */
int repair_meta_load(struct repair_meta *meta, const char *path, uint64_t limit);
void repair_meta_done(struct repair_meta *meta);

/* True if all metrics and instances of a record, which is not before the last stamp, are described.
 */
bool repair_meta_describes(const struct repair_meta *meta, const struct result_view *view);

/* Stamp of the last stamped record; 0. */
struct timespec repair_meta_last(const struct repair_meta *meta);

/* For an index entry: where the first stamped record not before stamp is, or the end; and whether
 * it is an observation of a domain with exactly that stamp. */
uint64_t repair_meta_offset(const struct repair_meta *meta, const struct timespec *stamp,
			    bool *ret_indom);

#endif

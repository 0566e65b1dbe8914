/*
 * repair_scan - one file of an archive from its label to its end: whole records and the bytes
 * between them.
 *
 * A record is whole if its frame and its contents are. After one that is not, the next whole one is
 * searched for: the bytes between are a region of damage. A region that reaches the end of the file
 * is its torn tail.
 */
#ifndef LIBSTORE_REPAIR_SCAN_H
#define LIBSTORE_REPAIR_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/result_view.h"

struct member;

enum scan_kind {
	SCAN_DATA,
	SCAN_META,
};

struct repair_scan {
	struct member *m;
	enum scan_kind kind;
	struct log_label label;
	uint64_t size;
	uint64_t offset; /* of what comes next */
	struct arena mem;
};

/* The bytes from offset to end. */
struct scan_piece {
	uint64_t offset, end;
	bool whole;              /* else damage */
	struct result_view view; /* of a data record; valid until the next call */
	enum meta_type type;     /* of a metadata record */
	union meta_body body;
};

/*
 * Reads the label. 0, and the scan is positioned after it; PM_ERR_NODATA for an empty file,
 * PM_ERR_LABEL,
 * -errno. volume is the number that the label must have. The caller keeps the member.
 */
int repair_scan_begin(struct repair_scan *s, struct member *m, enum scan_kind kind, int volume);
void repair_scan_done(struct repair_scan *s);

/* 1 and the next piece; 0 at the end; -ENOMEM, -errno. */
int repair_scan_next(struct repair_scan *s, struct scan_piece *ret_piece);

#endif

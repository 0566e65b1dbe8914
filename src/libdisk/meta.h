/*
 * meta - the records of a .meta file as structs (docs/spec/archive.md 7).
 *
 * One row of a table describes a kind: type, name, versions that may hold it, decode, encode.
 * Decoding checks every count and length; a record with bytes missing or left over is
 * PM_ERR_LOGREC. Decoded bodies borrow: strings point into the record, arrays are in the caller's
 * arena, so both must outlive the body. Encoding appends one whole record to a buffer.
 */
#ifndef LIBDISK_META_H
#define LIBDISK_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/limits.h"
#include "libvalue/wire_form.h"

struct arena;
struct buffer;

enum meta_type {
	META_DESC = 1,
	META_INDOM_V2 = 2,
	META_LABEL_V2 = 3,
	META_TEXT = 4,
	META_INDOM = 5,
	META_INDOM_DELTA = 6,
	META_LABEL = 7,
};

enum { META_LAST = META_LABEL };

struct meta_desc {
	pmDesc desc;
	uint32_t numnames;
	const struct wire_str *names;
};

/* INDOM_V2 and INDOM: all instances; INDOM_DELTA: what changed, a deletion has name.s NULL. */
struct meta_indom {
	struct timespec stamp;
	pmInDom indom;
	uint32_t numinst;
	const struct wire_inst *insts; /* names without their NUL */
};

struct meta_label { /* LABEL_V2 and LABEL */
	struct timespec stamp;
	int32_t type;   /* one PM_LABEL_* bit */
	uint32_t ident; /* a domain, an instance domain or a pmid, by type */
	uint32_t numset;
	const struct wire_labelset *sets;
};

struct meta_text {
	int32_t type; /* PM_TEXT_* bits: one of ONELINE and HELP, one of PMID and INDOM */
	uint32_t ident;
	struct wire_str text; /* without its NUL */
};

union meta_body {
	struct meta_desc desc;
	struct meta_indom indom;
	struct meta_label label;
	struct meta_text text;
};

/*
 * Decodes one whole record (frame included). 0; PM_ERR_LOGREC for anything that does not follow
 * the layout; PM_ERR_RECTYPE for an unknown type; -ENOMEM when the arena gives none: it is asked
 * for at most META_GROWTH times len. Results are written on success.
 */
int meta_decode(const void *record, size_t len, struct arena *mem, enum meta_type *ret_type,
		union meta_body *ret_body);

/*
 * Appends one record. 0; -EINVAL for a body that no record can carry (a count or length over its
 * limit, a name with a NUL, an unknown type), -ERANGE for a time its version can't hold, -ENOMEM.
 * After a failure the buffer is as it was.
 */
int meta_encode(struct buffer *out, enum meta_type type, const union meta_body *body);

/* The table's name of a type ("INDOM_DELTA"); NULL if there is no such type. */
const char *meta_name(uint32_t type);

/* True if a file of this version may hold the type. Readers accept it anyway, and pmlogcheck
 * reports it. */
bool meta_type_in_version(uint32_t type, int version);

/* The types that a writer of this version uses for a full instance domain and for labels. */
static inline enum meta_type meta_type_indom(int version)
{
	return version == DISK_V2 ? META_INDOM_V2 : META_INDOM;
}

static inline enum meta_type meta_type_label(int version)
{
	return version == DISK_V2 ? META_LABEL_V2 : META_LABEL;
}

#endif

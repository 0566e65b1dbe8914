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

/*
 * ---- the table ----
 *
 * The table of metadata records: one row says all there is to know about one.
 *
 * Names, versions, decoding, encoding, the fuzz dictionary and the golden test come from its rows.
 */

struct meta_in;
struct frame_out;
union meta_body;

enum {
	META_IN_V2 = 1u << 2,
	META_IN_V3 = 1u << 3,
};

struct meta_kind {
	const char *name;
	unsigned int versions; /* META_IN_… bits */
	int stamp;             /* version of its stamp, if it has one */
	uint32_t min_len;      /* of the shortest one, frame included */
	/* The bytes between the type and the last word. */
	void (*get)(struct meta_in *in, const struct meta_kind *kind, union meta_body *body);
	void (*put)(struct frame_out *out, const struct meta_kind *kind,
		    const union meta_body *body);
};

/* The row of a type; NULL if there is none. */
const struct meta_kind *meta_kind(uint32_t type);

/*
 * ---- changes of a domain ----
 *
 * The changes of an instance domain, and the domain after them (docs/spec/archive.md 7.2).
 *
 * Lists are in ascending order of instance, each once; names are borrowed. Everything is one walk
 * along two lists.
 */

/* How a writer of version 3 records a change; version 2 knows no deltas. */
enum indom_change {
	INDOM_SAME,
	INDOM_FULL,    /* a name changed, or the delta would not be shorter */
	INDOM_CHANGES, /* as a delta */
};

/* True if the instances are in ascending order, each once. */
bool indom_sorted(const struct wire_inst *insts, size_t n);

/*
 * Compares a domain of n_old instances with what it is now. For INDOM_CHANGES delta holds
 * *ret_changes entries: additions, and deletions without a name; it has room for n_new of them.
 */
enum indom_change indom_compare(const struct wire_inst *old, size_t n_old,
				const struct wire_inst *now, size_t n_new, struct wire_inst *delta,
				size_t *ret_changes);

/*
 * Applies a delta. now has room for n_old + n_delta instances, *ret_n is how many there are. 0, or
 * PM_ERR_LOGREC: one of the lists is out of order, or what is deleted is not there. An addition of
 * what is there gives it the new name.
 */
int indom_apply(const struct wire_inst *old, size_t n_old, const struct wire_inst *delta,
		size_t n_delta, struct wire_inst *now, size_t *ret_n);

#endif

/*
 * meta_kind - the table of metadata records: one row says all there is to know about one.
 *
 * Names, versions, decoding, encoding, the fuzz dictionary and the golden test come from its rows.
 * The get and put functions live in one file a family: meta_desc.c, meta_indom.c, meta_label.c,
 * meta_text.c.
 */
#ifndef LIBDISK_META_KIND_H
#define LIBDISK_META_KIND_H

#include <stdint.h>

struct meta_in;
struct record_out;
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
	void (*put)(struct record_out *out, const struct meta_kind *kind,
		    const union meta_body *body);
};

/* The row of a type; NULL if there is none. */
const struct meta_kind *meta_kind(uint32_t type);

#define META_CODEC(noun)                                                                           \
	void meta_get_##noun(struct meta_in *in, const struct meta_kind *kind,                     \
			     union meta_body *body);                                               \
	void meta_put_##noun(struct record_out *out, const struct meta_kind *kind,                 \
			     const union meta_body *body)

META_CODEC(desc);
META_CODEC(indom);
META_CODEC(indom_delta);
META_CODEC(label);
META_CODEC(text);

#endif

/*
 * archive_meta_inner - what the files of an archive_meta share: archive_meta (loading, and
 * metrics), meta_frames (records that were indexed), meta_insts (instances of one observation),
 * meta_indoms (observations), meta_labels (labels, texts).
 *
 * The bytes of all records stay in memory, in chunks; what is decoded points into them. A frame is
 * a record that was indexed: its key and time are known, the rest is decoded when it is asked for.
 */
#ifndef LIBSTORE_ARCHIVE_META_INNER_H
#define LIBSTORE_ARCHIVE_META_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libbase/timespec.h"
#include "libdisk/meta.h"
#include "libstore/archive_meta.h"

struct meta_frame {
	const uint8_t *bytes;
	uint32_t len;
	int source;
	struct timespec stamp;
};

struct meta_frames {
	struct meta_frame *frames; /* owned */
	size_t n, cap;
};

struct meta_metric {
	struct archive_metric metric; /* first: what is given out */
	const char **names;           /* in the arena; room for cap */
	size_t cap;
};

struct meta_observation {
	struct archive_indom indom; /* first: what is given out */
	size_t seq;                 /* the order in which they were decoded */
	unsigned int asked;         /* how often a name was looked up in it */
	struct hash exact, word;    /* by name, and by what is before its first blank */
};

/* The last list of a source: what its next delta is applied to. */
struct meta_newest {
	int source;
	const struct archive_indom *indom;
};

/* A domain. */
struct meta_indom_log {
	pmInDom indom;
	struct meta_frames frames;
	size_t decoded;             /* of the frames */
	struct meta_newest *newest; /* owned; one a source */
	size_t nnewest, newest_cap;
	const struct archive_indom **observations; /* owned; ascending */
	size_t n, cap;
	struct meta_observation *all; /* the union; NULL until it is asked for */
};

/* Labels of one level and identifier, or texts of a kind for one. */
struct meta_dated {
	struct meta_frames frames;
};

struct meta_chunk {
	struct meta_chunk *next;
	uint8_t bytes[];
};

struct archive_meta {
	struct meta_chunk *chunks; /* owned */
	struct arena mem;          /* what is decoded and given out */
	struct arena scratch;      /* while something is decoded */

	struct hash by_pmid;                   /* meta_metric */
	struct hash by_name;                   /* of meta_names */
	const struct archive_metric **metrics; /* owned; in order of their first records */
	size_t nmetrics, metrics_cap;

	struct hash indoms; /* meta_indom_log, owned */
	pmInDom *indom_ids; /* owned; ascending after a load */
	size_t nindoms, indoms_cap;

	struct hash labels;      /* meta_dated, owned */
	struct hash texts;       /* the same */
	unsigned int text_types; /* 1u << type of those that exist */
};

int meta_frames_add(struct meta_frames *frames, const struct meta_frame *frame);
/* To ascending order, as far as they are not; equal ones stay in order. 0 or -ENOMEM. */
int meta_frames_sort(struct meta_frames *frames);

/* Room for one more of size bytes in a malloc'd array. 0 or -ENOMEM. */
int meta_grow(void **array, size_t n, size_t *cap, size_t size);

int meta_indoms_add(struct archive_meta *meta, pmInDom indom, const struct meta_frame *frame);
void meta_indoms_sort(struct archive_meta *meta);
void meta_indoms_done(struct archive_meta *meta);
/* The domain with all of its frames decoded: 1; 0 if it has none; an error. */
int meta_indom_decoded(struct archive_meta *meta, pmInDom indom, struct meta_indom_log **ret_log);

void meta_observation_done(struct meta_observation *observation);
/* Ascending by id, each once; of equal ones the first stays. Returns how many stay. */
size_t meta_insts_sort(struct wire_inst *insts, size_t n);

int meta_labels_add(struct archive_meta *meta, uint32_t type, uint32_t ident,
		    const struct meta_frame *frame);
int meta_texts_add(struct archive_meta *meta, uint32_t type, uint32_t ident,
		   const struct meta_frame *frame);
void meta_labels_done(struct archive_meta *meta);

/* Different for different keys, so that the hash alone decides. */
static inline uint64_t meta_key(uint32_t type, uint32_t ident)
{
	return hash_u64((uint64_t)type << 32 | ident);
}

#endif

/*
 * walk - all records of an archive's members, counted, and each of them written again.
 *
 * The first program that uses the codec: its counts equal those of pmdumplog (parity.py), and it
 * reports records that it cannot write byte for byte as they were read.
 */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"

struct walk_counts {
	size_t meta[META_LAST + 1]; /* by type */
	size_t names;               /* of descriptors */
	size_t index_entries;
	size_t results;
	size_t marks;
	size_t sets; /* value sets */
	size_t values;
	size_t differ; /* records that came out otherwise than they went in */
	size_t older;  /* that did not, but for what older writers did otherwise: see walk.c */
};

struct walk {
	struct arena mem;
	struct buffer out;
	struct walk_counts counts;
	int version; /* of the member at hand */
	struct log_label label;
};

void walk_done(struct walk *w);

/* Reads one record and writes it again: of .meta, of a data volume. 0, or why it can't be read. */
int walk_meta_record(struct walk *w, const uint8_t *record, size_t len);
int walk_data_record(struct walk *w, const uint8_t *record, size_t len);

/* Walk over the bytes of a member. 0; the error of the first record that is damaged; ret_at is
 * where it begins, or the end. */
int walk_meta(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at);
int walk_index(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at);
int walk_data(struct walk *w, const uint8_t *bytes, size_t len, size_t *ret_at);

#endif

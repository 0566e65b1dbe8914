/*
 * archive_inner - structures that the files of an open archive share: archive_volume (its volumes,
 * and the records in one), archive_sieve (a few metrics of a record), archive_damage (reading on
 * after damage), archive_index (where a search begins), archive_head (walking, and the end),
 * archive (the position).
 *
 * A spot is a place between two records: a volume, by its index in the list, and an offset in it.
 */
#ifndef LIBSTORE_ARCHIVE_INNER_H
#define LIBSTORE_ARCHIVE_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "libstore/archive.h"

enum {
	ARCHIVE_HEAD = 64,    /* bytes that are read to look at one record */
	ARCHIVE_HEADS = 4096, /* the same to walk over short ones */
	/* The parts of a set, and of a block, that a sieve takes. */
	ARCHIVE_SIEVE_VALUES = 4,
	ARCHIVE_SIEVE_BLOCK = 64,
	ARCHIVE_SIEVE_SETS =
	    ARCHIVE_WISH_MAX * (VSET_HEAD_VALUES + ARCHIVE_SIEVE_VALUES * VSET_VALUE_LEN),
	ARCHIVE_SIEVE_BLOCKS = ARCHIVE_WISH_MAX * ARCHIVE_SIEVE_VALUES * ARCHIVE_SIEVE_BLOCK,
};

struct archive_spot {
	size_t v;
	uint64_t offset;
};

/* Beside each archive_volume of files. */
struct archive_open_volume {
	struct member *m; /* NULL: not open */
	uint64_t used;    /* when it was last, to close the one that was not for longest */
	uint64_t size;    /* as it was last looked at */
	bool checked;     /* its label is right */
	bool gone;        /* neither the file nor a compressed one is there */
	uint64_t cut; /* where damage is skipped: it does not decompress from here on; 0: it does */
};

/* The index entries of one volume, and the marks that walks have found since: ascending. */
struct archive_mark {
	struct timespec stamp;
	struct archive_spot spot;
};

struct archive_marks {
	struct archive_mark *marks; /* owned */
	size_t n, cap;
};

struct archive {
	struct archive_files files;
	unsigned int flags;
	struct log_label label;
	size_t label_len;
	struct member *meta;

	struct archive_open_volume *volumes; /* owned; files.nvolumes of them */
	uint64_t uses;                       /* counts them */

	bool index_loaded;
	struct index_entry *entries; /* owned; as they are in the file */
	size_t nentries;
	struct archive_marks marks;

	struct archive_spot spot;  /* the position */
	struct archive_place last; /* the record given out last; its end is 0 before the first */
	struct timespec last_stamp;
	const uint8_t *record; /* its bytes, in the window of the member of volume record_v, */
	size_t record_v;       /* which stays open: a walk by heads leaves views alone */
	size_t record_len;

	bool ended;                /* the end is known, as of these: */
	struct archive_spot end;   /* after the last whole record */
	struct timespec end_stamp; /* of it */
	size_t end_v;              /* the volume that was looked at last, */
	uint64_t end_size;         /* and its size then */
	bool end_torn;             /* no record ends there, and no mark of the index leads to one */

	struct archive_damage damage;

	struct {
		size_t v;
		uint64_t offset;
		size_t len;
		uint8_t bytes[ARCHIVE_HEADS];
	} heads;

	struct {
		const pmID *pmids; /* borrowed; n of them are wished for, 0: everything is */
		size_t n;
		uint8_t bytes[ARCHIVE_SIEVE_SETS + ARCHIVE_SIEVE_BLOCKS];
	} sieve;
};

/* A record in a volume, as a window has it. */
struct archive_bytes {
	const uint8_t *p;
	size_t len;
};

/* archive_volume */

/* The label of a member: 0; its errors as docs/spec/archive.md 4.3 has them. */
int archive_label_read(struct member *m, unsigned int flags, int32_t volume,
		       struct log_label *ret_label);
/* 0, or PM_ERR_LABEL if the two are not of one archive. */
int archive_label_same(const struct log_label *a, const struct log_label *b);

/* The member of a volume, its label checked. 1; 0 if it is not there, or empty; an error. */
int archive_volume_get(struct archive *a, size_t v, struct member **ret_member);
/* Its size now, also in its struct. 1; 0 if it is not there, and the size is 0 then; an error. */
int archive_volume_size(struct archive *a, size_t v, uint64_t *ret_size);
/* Looks for a volume after the last one. 1 if there is one now; 0; -ENOMEM. */
int archive_volume_look(struct archive *a);
void archive_volumes_close(struct archive *a);
/* True if a spot is where its volume does not decompress any more, and that was counted. */
static inline bool archive_volume_is_cut(const struct archive *a, struct archive_spot spot)
{
	return a->volumes[spot.v].cut != 0 && spot.offset >= a->volumes[spot.v].cut;
}
/* The place in the list of a volume's number; files.nvolumes if it has none. */
size_t archive_volume_place(const struct archive *a, int number);

/* The record that begins, or ends, at a spot of a volume. 1; 0 at its end; PM_ERR_LOGREC; others.
 * Frame and head are checked. */
int archive_volume_next(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
			struct result_view *ret_view);
int archive_volume_prev(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
			struct result_view *ret_view);

/* The head of the record at a spot of one volume, in this volume alone. 1; 0 at the end;
 * PM_ERR_LOGREC; others. */
int archive_head_in(struct archive *a, struct archive_spot spot, struct archive_head *ret_head);

/* want bytes at a spot, which are there until the next call; NULL if there are fewer, and why in
 * *ret_r: 0 or an error. */
const uint8_t *archive_heads_at(struct archive *a, struct member *m, struct archive_spot spot,
				size_t want, int *ret_r);

/* archive_index */

/* A spot from where on a walk forward finds the first record that is not before when (after: that
 * is after when). 0 or a negative error. */
int archive_index_start(struct archive *a, const struct timespec *when, bool after,
			struct archive_spot *ret_spot);
/* A walk met this record. */
int archive_index_learn(struct archive *a, const struct archive_head *head);
/* The last spots of a volume: the i-th from the end that is not after size. False: there are no
 * more. */
bool archive_index_last(struct archive *a, size_t v, uint64_t size, size_t i,
			struct archive_spot *ret_spot);
int archive_index_load(struct archive *a);

/* archive_sieve */

/* As archive_volume_next and _prev, of a long record with what is wished for alone; its bytes have
 * a length, but are not there. 1; 0: it has to be read whole. */
int archive_sieve_next(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
		       struct result_view *ret_view);
int archive_sieve_prev(struct archive *a, struct archive_spot at, struct archive_bytes *ret_bytes,
		       struct result_view *ret_view);

/* archive_damage */

/* Moves a spot to the next (previous) record of its volume that is whole, or its end (begin). 0, or
 * a negative error. */
int archive_damage_next(struct archive *a, struct archive_spot *spot);
int archive_damage_prev(struct archive *a, struct archive_spot *spot);

/* True if a record of this stamp is before the place that is searched for. */
static inline bool archive_stamp_before(const struct timespec *stamp, const struct timespec *when,
					bool after)
{
	int c = timespec_compare(stamp, when);

	return c < 0 || (after && c == 0);
}

#endif

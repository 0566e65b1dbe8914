/*
 * import - a context of libpcp_import: an archive that is being written, and its metadata
 * (docs/spec/import.md).
 *
 * One lock is held during each public call. Names, metrics and instances are never removed, so
 * pointers to them stay valid while the context exists.
 */
#ifndef LIBPCP_IMPORT_IMPORT_H
#define LIBPCP_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct archive_writer;

enum import_state {
	IMPORT_START = 1, /* no record yet */
	IMPORT_ACTIVE,
	IMPORT_END,
};

/* A value of the next record. */
struct import_value {
	int inst;
	union {
		int32_t word;
		pmValueBlock *block; /* in the memory of the record */
	} u;
};

struct import_metric {
	char *name; /* owned */
	size_t index;
	pmDesc desc;
	bool written; /* the descriptor is in the archive */

	/* Values of the next record. */
	bool pending;
	int error; /* negative: the metric has this code instead of values */
	int inst_max;
	size_t nvalues, cap;
	struct import_value *values; /* owned, kept from one record to the next */
};

struct import_inst {
	char *name; /* owned */
	size_t index;
	int inst;
};

struct import_indom {
	pmInDom indom;
	size_t n;
	struct import_inst **insts; /* owned, in the order in which they were added */
	struct hash by_name;
	struct hash by_word; /* those whose name has a space: by what is before it */
	struct hash by_id;
	bool written; /* the archive has all of them */
};

struct import_handle {
	struct import_metric *metric;
	int inst;
};

struct import_text {
	unsigned int type, class;
	uint32_t id;
	char *content; /* owned */
	bool written;
};

struct import_label {
	unsigned int type;
	uint32_t id;
	int inst;
	pmLabelSet *set; /* owned */
};

struct import {
	enum import_state state;
	char *archive;     /* owned; NULL: none is written */
	char *host, *zone; /* owned; NULL: those of this host */
	int version;
	int last_code; /* of the last call on this context */

	size_t nmetrics, nindoms, nhandles, ntexts, nlabels;
	struct import_metric **metrics; /* owned, like all that follows */
	struct import_indom **indoms;
	struct import_handle *handles;
	struct import_text *texts;
	struct import_label *labels;
	struct hash by_name, by_pmid, by_indom;

	/* The next record: its metrics in the order of their first values. */
	struct import_metric **pending;
	size_t npending;
	struct arena record; /* value blocks, then the sets that are written */

	struct archive_writer *writer;
	int opened_version;
	struct timespec last; /* of the last call that wrote */
	int volume;           /* of the last record */
	uint64_t entry_after; /* a record that ends later in its volume gets an index entry */
};

/*
 * ---- current.c ----
 */

/* Takes the lock; the current context, or NULL. Each call ends with import_leave, which keeps its
 * code, gives the lock back and returns the code: PM_ERR_NOCONTEXT for NULL. */
struct import *import_enter(void);
int import_leave(struct import *c, int code);

/* The callers of these four functions hold the lock. */

/* Releases the lock and nothing else. */
void import_unlock(void);

/* The number of contexts; *ret_current is the index of the current one. */
size_t import_counts(size_t *ret_current);

/* Makes a new context the current one. Returns its number, from 1, or -ENOMEM. */
int import_adopt(struct import *c);

/* Makes the context with this number the current one. NULL: there is none. */
struct import *import_use(int number);

/* Grows an array to hold one more element. 0 or -ENOMEM. */
int import_grow(void *array, size_t n, size_t size);

/*
 * ---- metadata.c ----
 */

struct import_metric *import_metric(const struct import *c, const char *name);
struct import_metric *import_metric_id(const struct import *c, pmID pmid);
struct import_indom *import_indom(const struct import *c, pmInDom indom);
/* A name without a space is that of an equal instance only; one with a space means each with
 * the same first word that has a space too. NULL if there is none. */
struct import_inst *import_inst(const struct import_indom *d, const char *name);
struct import_inst *import_inst_id(const struct import_indom *d, int inst);

int import_add_metric(struct import *c, const char *name, const pmDesc *desc);
int import_add_inst(struct import *c, pmInDom indom, const char *name, int inst);

/* Copies all metadata; 0 or -ENOMEM, after which the copy is incomplete but can be freed. */
int import_inherit(struct import *c, const struct import *from);
void import_free_metadata(struct import *c);

/*
 * ---- values.c ----
 */

int import_find(const struct import *c, const char *name, const char *instance,
		struct import_handle *ret_handle);
int import_put(struct import *c, const struct import_handle *handle, const char *value);
/* Forgets the values of the next record. */
void import_drop(struct import *c);

/*
 * ---- notes.c ----
 */

int import_put_text(struct import *c, const struct import_text *text);
/* set_of: the type, id and instance that the label is for. */
int import_put_label(struct import *c, const struct import_label *set_of, const char *name,
		     const char *value);
void import_drop_labels(struct import *c);
/* Copies of one element; 0 or -ENOMEM. */
int import_copy_text(struct import *c, const struct import_text *text);
int import_copy_label(struct import *c, const struct import_label *label);

/*
 * ---- write_meta.c; the archive has a writer ----
 */

/* Adds an index entry for a stamp and two places in the files. */
void import_write_entry(struct import *c, const struct timespec *stamp, uint64_t meta_at,
			uint64_t data_at);

/* Writes the descriptor and the domain of a metric, unless they are in the archive. 1 if something
 * was written; 0; a negative error. */
int import_write_metric(struct import *c, pmID pmid, const struct timespec *stamp);

/* Write the texts that are not in the archive yet, and the labels, which are then dropped. 0 or a
 * negative error. */
int import_write_texts(struct import *c, const struct timespec *stamp);
int import_write_labels(struct import *c, const struct timespec *stamp);

/*
 * ---- write.c ----
 */

/* Completes the archive, if there is one, and frees its writer. */
int import_end(struct import *c);

#endif

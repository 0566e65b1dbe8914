/*
 * writer_meta - the metadata of an archive being written: what is in it already, and what waits to
 * be written with the next record (docs/spec/archive.md 7.2, 7.5).
 */
#ifndef LIBSTORE_WRITER_META_H
#define LIBSTORE_WRITER_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/hash.h"
#include "libdisk/meta.h"

/* The newest observation of an instance domain. */
struct writer_domain {
	pmInDom indom;
	struct timespec stamp;
	size_t n;
	struct wire_inst *insts; /* owned, one block with the names */
};

struct writer_meta {
	int version;
	struct buffer queue; /* whole records, in order */
	bool indom_queued;   /* among those that no index entry covers yet */
	bool repeat;         /* an observation that says nothing new is written as well */
	bool repeat_labels;  /* and labels */
	struct hash known;   /* struct known */
	struct hash domains; /* struct writer_domain, owned */
	struct arena mem;
	struct buffer scratch;
};

void writer_meta_init(struct writer_meta *m, int version);
void writer_meta_done(struct writer_meta *m);

/* As archive_writer_meta. */
int writer_meta_add(struct writer_meta *m, enum meta_type type, const union meta_body *body);

/* True if a record of this kind is written or queued. */
bool writer_meta_has_desc(const struct writer_meta *m, pmID pmid);
bool writer_meta_has_labels(const struct writer_meta *m, int type, uint32_t ident);
bool writer_meta_has_text(const struct writer_meta *m, int type, uint32_t ident);
bool writer_meta_has_any_desc(const struct writer_meta *m);

/* NULL if there is none. */
const struct writer_domain *writer_meta_domain(const struct writer_meta *m, pmInDom indom);

#endif

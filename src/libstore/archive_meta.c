/* archive_meta - see archive_meta.h. Loading: records are indexed, one table row a kind of them. */
#include "libstore/archive_meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/endian_be.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/record.h"
#include "libdisk/stamp.h"
#include "libstore/archive_meta_inner.h"
#include "libstore/member.h"

/* ---- metrics and their names, decoded when they are loaded ---- */

struct meta_name {
	pmID pmid;
	uint32_t len;
	char text[]; /* followed by a NUL */
};

static bool names_name_equal(const void *entry, const void *key)
{
	const struct meta_name *name = entry;
	const struct wire_str *str = key;

	return name->len == str->len && memcmp(name->text, str->s, str->len) == 0;
}

static struct meta_name *name_find(const struct archive_meta *meta, struct wire_str str,
				   uint64_t hash)
{
	return hash_find(&meta->by_name, hash, names_name_equal, &str);
}

/* The first metric that has a name keeps it. Old writers put NULs after names. */
static int name_add(struct archive_meta *meta, struct meta_metric *metric, struct wire_str str)
{
	struct archive_metric *out = &metric->metric;
	struct meta_name *name;
	uint64_t hash;

	str.len = (uint32_t)strnlen(str.s, str.len);
	hash = hash_bytes(str.s, str.len);
	if (name_find(meta, str, hash) != NULL)
		return 0;
	if (out->nnames == metric->cap) {
		size_t cap = metric->cap > 0 ? metric->cap * 2 : 1;
		const char **names = arena_alloc(&meta->mem, cap * sizeof(*names));

		if (names == NULL)
			return -ENOMEM;
		if (out->nnames > 0)
			memcpy(names, metric->names, out->nnames * sizeof(*names));
		metric->names = names;
		metric->cap = cap;
		out->names = names;
	}
	name = arena_alloc(&meta->mem, sizeof(*name) + str.len + 1);
	if (name == NULL || hash_add(&meta->by_name, hash, name) < 0)
		return -ENOMEM;
	name->pmid = out->desc.pmid;
	name->len = str.len;
	memcpy(name->text, str.s, str.len);
	name->text[str.len] = '\0';
	metric->names[out->nnames++] = name->text;
	return 0;
}

/* The first way in which two descriptors differ, as an error. */
static int desc_conflict(const pmDesc *a, const pmDesc *b)
{
	if (a->type != b->type)
		return PM_ERR_LOGCHANGETYPE;
	if (a->sem != b->sem)
		return PM_ERR_LOGCHANGESEM;
	if (a->indom != b->indom)
		return PM_ERR_LOGCHANGEINDOM;
	if (memcmp(&a->units, &b->units, sizeof(a->units)) != 0)
		return PM_ERR_LOGCHANGEUNITS;
	return 0;
}

static int metric_new(struct archive_meta *meta, const pmDesc *desc,
		      struct meta_metric **ret_metric)
{
	struct meta_metric *metric = arena_calloc(&meta->mem, 1, sizeof(*metric));
	void *array = meta->metrics;
	int r = meta_grow(&array, meta->nmetrics, &meta->metrics_cap, sizeof(*meta->metrics));

	meta->metrics = array;
	if (r < 0 || metric == NULL || hash_add(&meta->by_pmid, hash_u64(desc->pmid), metric) < 0)
		return -ENOMEM;
	metric->metric.desc = *desc;
	meta->metrics[meta->nmetrics++] = &metric->metric;
	*ret_metric = metric;
	return 0;
}

static int meta_names_add(struct archive_meta *meta, const struct meta_desc *desc)
{
	struct meta_metric *metric =
	    hash_find(&meta->by_pmid, hash_u64(desc->desc.pmid), NULL, NULL);
	int r = metric != NULL ? desc_conflict(&metric->metric.desc, &desc->desc)
			       : metric_new(meta, &desc->desc, &metric);

	for (uint32_t i = 0; r == 0 && i < desc->numnames; i++)
		r = name_add(meta, metric, desc->names[i]);
	return r;
}

const struct archive_metric *archive_meta_metric(const struct archive_meta *meta, pmID pmid)
{
	return hash_find(&meta->by_pmid, hash_u64(pmid), NULL, NULL);
}

pmID archive_meta_pmid(const struct archive_meta *meta, const char *name)
{
	struct wire_str str = {name, (uint32_t)strlen(name)};
	const struct meta_name *found = name_find(meta, str, hash_bytes(name, str.len));

	return found != NULL ? found->pmid : PM_ID_NULL;
}

const struct archive_metric *const *archive_meta_metrics(const struct archive_meta *meta,
							 size_t *ret_n)
{
	*ret_n = meta->nmetrics;
	return meta->metrics;
}

/* ---- loading ---- */

enum {
	CHUNK = 1 << 20, /* bytes that are read at a time; a longer record has a chunk of its own */
	AT_TYPE = 4,     /* in a record */
	AT_BODY = 8,     /* the stamp, or what is first where there is none */
	WORD = 4,
};

/* The state of a load, from record to record. */
struct load {
	struct archive_meta *meta;
	struct member *m;
	int source;
	uint64_t offset; /* after the last whole record */
	bool metrics;    /* some came */
};

int archive_meta_new(struct archive_meta **ret_meta)
{
	struct archive_meta *meta = calloc(1, sizeof(*meta));

	if (meta == NULL)
		return -ENOMEM;
	meta->mem.limit = ARCHIVE_META_DECODED_MAX;
	*ret_meta = meta;
	return 0;
}

void archive_meta_free(struct archive_meta *meta)
{
	if (meta == NULL)
		return;
	meta_indoms_done(meta);
	meta_labels_done(meta);
	hash_done(&meta->by_pmid);
	hash_done(&meta->by_name);
	free(meta->metrics);
	while (meta->chunks != NULL) {
		struct meta_chunk *next = meta->chunks->next;

		free(meta->chunks);
		meta->chunks = next;
	}
	arena_done(&meta->mem);
	arena_done(&meta->scratch);
	free(meta);
}

/* Metrics are decoded at once. */
static int meta_add_desc(struct load *load, const struct meta_frame *frame, const uint8_t *body)
{
	struct archive_meta *meta = load->meta;
	union meta_body desc;
	enum meta_type type;
	int r;

	(void)body;
	arena_reset(&meta->scratch);
	r = meta_decode(frame->bytes, frame->len, &meta->scratch, &type, &desc);
	if (r == 0)
		r = meta_names_add(meta, &desc.desc);
	load->metrics = true;
	return r;
}

static int meta_add_indom(struct load *load, const struct meta_frame *frame, const uint8_t *body)
{
	return meta_indoms_add(load->meta, load_be32(body), frame);
}

static int add_label(struct load *load, const struct meta_frame *frame, const uint8_t *body)
{
	return meta_labels_add(load->meta, load_be32(body), load_be32(body + WORD), frame);
}

static int meta_add_text(struct load *load, const struct meta_frame *frame, const uint8_t *body)
{
	return meta_texts_add(load->meta, load_be32(body), load_be32(body + WORD), frame);
}

/* The action for a record; body follows its type and stamp. */
static int (*const adders[])(struct load *load, const struct meta_frame *frame,
			     const uint8_t *body) = {
    [META_DESC] = meta_add_desc,   [META_INDOM_V2] = meta_add_indom,
    [META_LABEL_V2] = add_label,   [META_TEXT] = meta_add_text,
    [META_INDOM] = meta_add_indom, [META_INDOM_DELTA] = meta_add_indom,
    [META_LABEL] = add_label,
};

static int record_add(struct load *load, const uint8_t *bytes, size_t len)
{
	struct meta_frame frame = {bytes, (uint32_t)len, load->source, {0, 0}};
	const struct meta_kind *kind;
	size_t stamp = 0;
	uint32_t type;

	if (len < AT_BODY + WORD)
		return PM_ERR_LOGREC;
	type = load_be32(bytes + AT_TYPE);
	kind = meta_kind(type);
	if (kind == NULL)
		return PM_ERR_RECTYPE;
	if (len < kind->min_len)
		return PM_ERR_LOGREC;
	if (kind->stamp != 0) {
		stamp = stamp_len(kind->stamp);
		frame.stamp = stamp_load(bytes + AT_BODY, kind->stamp);
	}
	return adders[type](load, &frame, bytes + AT_BODY + stamp);
}

/* Adds the whole records of a chunk. 1: there may be more; 0: what is at its end is not whole. */
static int chunk_add(struct load *load, const uint8_t *bytes, size_t n)
{
	size_t at = 0, len;
	int r;

	while ((r = record_frame(bytes + at, n - at, &len)) > 0) {
		r = record_add(load, bytes + at, len);
		if (r < 0)
			return r;
		at += len;
		load->offset += len;
	}
	return r < 0 ? r : at > 0;
}

/* How many bytes the next chunk has: at least one record. 0: there is none that is whole. */
static int64_t chunk_len(const struct load *load)
{
	uint64_t size = member_size(load->m);
	uint64_t left = size > load->offset ? size - load->offset : 0;
	uint64_t len = left < CHUNK ? left : CHUNK;
	uint8_t word[WORD];
	size_t record;
	int64_t n = member_read(load->m, load->offset, word, sizeof(word));
	int r;

	if (n < (int64_t)sizeof(word))
		return n < 0 ? n : 0;
	r = record_frame(word, sizeof(word), &record);
	if (r < 0)
		return r;
	if (record > left)
		return 0; /* it is being written, or never was to its end */
	return (int64_t)(record > len ? record : len);
}

/* Reads one chunk, and adds what is in it. 1: there may be more; 0: no; an error. */
static int chunk_load(struct load *load)
{
	struct archive_meta *meta = load->meta;
	struct meta_chunk *chunk;
	int64_t n = chunk_len(load);

	if (n <= 0)
		return (int)n;
	chunk = malloc(sizeof(*chunk) + (size_t)n);
	if (chunk == NULL)
		return -ENOMEM;
	n = member_read(load->m, load->offset, chunk->bytes, (size_t)n);
	if (n <= 0) {
		free(chunk);
		return (int)n;
	}
	chunk->next = meta->chunks;
	meta->chunks = chunk;
	return chunk_add(load, chunk->bytes, (size_t)n);
}

int archive_meta_load(struct archive_meta *meta, struct member *m, int version, int source,
		      uint64_t offset, uint64_t *ret_offset)
{
	struct load load = {meta, m, source, offset, false};
	bool first = offset == log_label_len(version);
	int r;

	do
		r = chunk_load(&load);
	while (r > 0);
	meta_indoms_sort(meta);
	if (r == 0 && first && !load.metrics)
		r = PM_ERR_LOGREC;
	if (r < 0)
		return r;
	*ret_offset = load.offset;
	return 0;
}

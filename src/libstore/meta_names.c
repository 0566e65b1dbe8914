/* meta_names - metrics of an archive and their names, decoded when they are loaded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libstore/archive_meta_inner.h"

struct meta_name {
	pmID pmid;
	uint32_t len;
	char text[]; /* followed by a NUL */
};

static bool name_equal(const void *entry, const void *key)
{
	const struct meta_name *name = entry;
	const struct wire_str *str = key;

	return name->len == str->len && memcmp(name->text, str->s, str->len) == 0;
}

static struct meta_name *name_find(const struct archive_meta *meta, struct wire_str str,
				   uint64_t hash)
{
	return hash_find(&meta->by_name, hash, name_equal, &str);
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
	if (r < 0 || metric == NULL ||
	    hash_add(&meta->by_pmid, hash_u64(desc->pmid), metric) < 0)
		return -ENOMEM;
	metric->metric.desc = *desc;
	meta->metrics[meta->nmetrics++] = &metric->metric;
	*ret_metric = metric;
	return 0;
}

int meta_names_add(struct archive_meta *meta, const struct meta_desc *desc)
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

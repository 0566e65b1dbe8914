/*
 * label_record - the label record of a subject, made of its labels, instance by instance, by name.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libdisk/limits.h"
#include "libdisk/meta.h"
#include "libstore/archive_writer.h"

static int by_inst_and_name(const void *a, const void *b)
{
	const struct label_item *x = *(const struct label_item *const *)a,
				*y = *(const struct label_item *const *)b;
	uint32_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int c;

	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	c = memcmp(x->name.s, y->name.s, len);
	if (c != 0)
		return c;
	if (x->name.len != y->name.len)
		return x->name.len < y->name.len ? -1 : 1;
	if (x->changed != y->changed)
		return x->changed ? 1 : -1;
	return (x > y) - (x < y);
}

/* The label sets of a record, each with its text in json. */
struct build {
	struct buffer *json;
	struct wire_labelset *sets;
	pmLabel *labels;
	size_t *begins; /* offsets of the texts */
	size_t nsets, nlabels;
};

/* Appends a label to a text. Returns -E2BIG if it is too long. */
static int put_label(struct buffer *json, size_t begin, const struct label_item *item, pmLabel *ret)
{
	size_t name = json->len - begin + 2, value = name + item->name.len + 2;

	if (value + item->value.len >= DISK_LABEL_JSON_MAX || item->name.len > UINT8_MAX)
		return -E2BIG;
	buffer_put_u8(json, json->len == begin ? '{' : ',');
	buffer_put_u8(json, '"');
	buffer_put(json, item->name.s, item->name.len);
	buffer_put(json, "\":", 2);
	buffer_put(json, item->value.s, item->value.len);
	*ret = (pmLabel){.name = (uint16_t)name,
			 .namelen = (uint8_t)item->name.len,
			 .flags = item->flags,
			 .value = (uint16_t)value,
			 .valuelen = (uint16_t)item->value.len};
	return json->err;
}

/* Makes the set of the instance of the first item. Returns the number of its items. */
static int put_set(struct build *b, struct label_item *const *list, size_t n)
{
	struct wire_labelset *set = &b->sets[b->nsets];
	size_t begin = b->json->len, i = 0;

	*set = (struct wire_labelset){.inst = list[0]->inst, .labels = &b->labels[b->nlabels]};
	for (; i < n && list[i]->inst == list[0]->inst; i++) {
		bool last = i + 1 == n || list[i + 1]->inst != list[i]->inst ||
			    list[i + 1]->name.len != list[i]->name.len ||
			    memcmp(list[i + 1]->name.s, list[i]->name.s, list[i]->name.len) != 0;
		int sts;

		if (!last || list[i]->name.len == 0)
			continue; /* the last one of each name is used */
		if (set->nlabels == DISK_LABELS_MAX)
			return -E2BIG;
		sts = put_label(b->json, begin, list[i], &b->labels[b->nlabels++]);
		if (sts < 0)
			return sts;
		set->nlabels++;
	}
	if (set->nlabels > 0)
		buffer_put_u8(b->json, '}');
	b->begins[b->nsets] = begin;
	set->json.len = (uint32_t)(b->json->len - begin);
	b->nsets++;
	return (int)i;
}

static int write_sets(const struct label_record *record, struct archive_writer *w, struct build *b)
{
	union meta_body body;

	if (b->json->err < 0)
		return b->json->err;
	for (size_t i = 0; i < b->nsets; i++)
		b->sets[i].json.s = (const char *)b->json->data + b->begins[i];
	if (b->nsets == 0) /* no labels are left: an empty set says so */
		b->sets[b->nsets++] = (struct wire_labelset){.inst = PM_IN_NULL, .json = {"", 0}};
	body.label = (struct meta_label){.stamp = *record->when,
					 .type = record->type,
					 .ident = record->ident,
					 .numset = (uint32_t)b->nsets,
					 .sets = b->sets};
	return archive_writer_meta(w, META_LABEL, &body);
}

/* The items in the order of their instances and names. The caller frees the list. */
static struct label_item **sorted(struct label_item *items, size_t n)
{
	struct label_item **list = calloc(n + 1, sizeof(*list));

	if (list == NULL)
		pmNoMem("labels", n, PM_FATAL_ERR);
	for (size_t i = 0; i < n; i++)
		list[i] = &items[i];
	qsort(list, n, sizeof(*list), by_inst_and_name);
	return list;
}

int label_record_write(const struct label_record *record, struct archive_writer *w,
		       struct label_item *items, size_t n, bool even_empty, struct buffer *json)
{
	struct build b = {
	    .json = json,
	    .sets = calloc(n + 1, sizeof(*b.sets)),
	    .labels = calloc(n + 1, sizeof(*b.labels)),
	    .begins = calloc(n + 1, sizeof(*b.begins)),
	};
	struct label_item **list = sorted(items, n);
	int sts = 0;

	if (b.sets == NULL || b.labels == NULL || b.begins == NULL)
		pmNoMem("labels", n, PM_FATAL_ERR);
	buffer_reset(json);
	for (size_t i = 0; i < n && sts >= 0; i += (size_t)sts)
		sts = put_set(&b, list + i, n - i);
	if (sts >= 0 && (b.nsets > 0 || even_empty)) {
		sts = write_sets(record, w, &b);
		sts = sts < 0 ? sts : 1;
	} else if (sts >= 0) {
		sts = 0;
	}
	free(b.sets);
	free(b.labels);
	free(b.begins);
	free(list);
	return sts;
}

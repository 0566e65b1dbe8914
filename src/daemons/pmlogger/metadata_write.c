/*
 * metadata_write - answers of the collector go into the archive as metadata (docs/spec/logger.md
 * A5, archive.md 7.5).
 *
 * Each kind of question has a function that makes the record. Metadata that the archive refuses is
 * left out, and does not end it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/metadata.h"
#include "libbase/arena.h"
#include "libstore/archive_writer.h"

struct writing {
	struct metadata *md;
	struct archive_writer *w;
	struct timespec stamp;
	struct arena mem;
};

static struct wire_str str_of(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

static int metadata_write_desc(struct writing *x, const pmDesc *desc, char *const *names, int n)
{
	struct wire_str *list = arena_calloc(&x->mem, (size_t)n + 1, sizeof(*list));
	union meta_body body = {.desc = {.desc = *desc, .numnames = (uint32_t)n, .names = list}};

	if (list == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		list[i] = str_of(names[i]);
	body.desc.desc.pmid = metadata_pmid(desc->pmid);
	return archive_writer_meta(x->w, META_DESC, &body);
}

static int write_known(struct writing *x, const struct meta_query_item *item)
{
	const struct logging_metric *m = item->known;

	return metadata_write_desc(x, &m->desc, m->names, m->nnames);
}

static int write_asked_desc(struct writing *x, const struct meta_query_item *item)
{
	return metadata_write_desc(x, &item->desc, item->names, item->n);
}

static int write_labels(struct writing *x, const struct meta_query_item *item)
{
	struct wire_labelset *sets = arena_calloc(&x->mem, (size_t)item->n + 1, sizeof(*sets));
	bool of_metric = item->type == PM_LABEL_ITEM || item->type == PM_LABEL_CLUSTER;
	union meta_body body = {
	    .label = {.stamp = x->stamp,
		      .type = item->type,
		      .ident = of_metric ? metadata_pmid(item->ident) : item->ident,
		      .sets = sets}};

	if (sets == NULL)
		return -ENOMEM;
	for (int i = 0; i < item->n; i++) {
		const pmLabelSet *set = &item->sets[i];

		sets[i] = (struct wire_labelset){(int32_t)set->inst,
						 set->nlabels,
						 {set->json, set->jsonlen > 0 ? set->jsonlen : 0},
						 set->labels};
	}
	body.label.numset = (uint32_t)item->n;
	metadata_answered(x->md, item);
	if (item->n == 0) {
		if (!archive_writer_has_labels(x->w, item->type, body.label.ident))
			return 0;
		sets[0] = (struct wire_labelset){.inst = PM_IN_NULL}; /* those of before are gone */
		body.label.numset = 1;
	}
	return archive_writer_meta(x->w, META_LABEL, &body);
}

static int write_text(struct writing *x, const struct meta_query_item *item)
{
	bool of_metric = (item->type & PM_TEXT_PMID) != 0;
	union meta_body body = {
	    .text = {.type = item->type,
		     .ident = of_metric ? metadata_pmid(item->ident) : item->ident,
		     .text = str_of(item->text)}};

	return archive_writer_meta(x->w, META_TEXT, &body);
}

static int compare_wire_inst(const void *a, const void *b)
{
	int x = ((const struct wire_inst *)a)->inst, y = ((const struct wire_inst *)b)->inst;

	return (x > y) - (x < y);
}

static int metadata_write_indom(struct writing *x, const struct meta_query_item *item)
{
	struct wire_inst *insts = arena_calloc(&x->mem, (size_t)item->n + 1, sizeof(*insts));
	struct metadata_domain *d = metadata_domain_of(x->md, item->ident);
	union meta_body body = {.indom = {.stamp = x->stamp, .indom = item->ident, .insts = insts}};
	uint32_t n = 0;
	int r;

	if (insts == NULL || d == NULL)
		return -ENOMEM;
	for (int i = 0; i < item->n; i++)
		insts[i] = (struct wire_inst){item->insts[i], str_of(item->names[i])};
	qsort(insts, (size_t)item->n, sizeof(*insts), compare_wire_inst);
	for (int i = 0; i < item->n; i++) { /* one of each number, and no negative ones */
		if (insts[i].inst >= 0 && (n == 0 || insts[n - 1].inst != insts[i].inst))
			insts[n++] = insts[i];
	}
	body.indom.numinst = n;
	r = archive_writer_meta(x->w, META_INDOM, &body);
	if (r > 0)
		d->version++;
	return r;
}

static int (*const writes[])(struct writing *x, const struct meta_query_item *item) = {
    [META_QUERY_LABELS] = write_labels,        [META_QUERY_TEXT] = write_text,
    [META_QUERY_INDOM] = metadata_write_indom, [META_QUERY_DESC] = write_asked_desc,
    [META_QUERY_KNOWN] = write_known,
};

static const char *const kind_names[] = {
    [META_QUERY_LABELS] = "labels",         [META_QUERY_TEXT] = "help text",
    [META_QUERY_INDOM] = "instance domain", [META_QUERY_DESC] = "descriptor",
    [META_QUERY_KNOWN] = "descriptor",
};

/* A text that an archive cannot hold (a name with a NUL, a text that is too long) must not end
 * it. */
static void metadata_complain(const struct meta_query_item *item, int err)
{
	static unsigned int said;

	if ((said & 1u << item->kind) == 0)
		pmNotifyErr(LOG_WARNING, "Cannot record: %s of 0x%x, error=%s",
			    kind_names[item->kind], item->ident, pmErrStr(err));
	said |= 1u << item->kind;
}

int metadata_write(struct metadata *md, struct archive_writer *w, const struct meta_query *list,
		   const struct timespec *stamp)
{
	struct writing x = {.md = md, .w = w, .stamp = *stamp, .mem = ARENA_INIT};
	int r = 0;

	for (size_t i = 0; i < list->n && r != -ENOMEM; i++) {
		const struct meta_query_item *item = &list->items[i];

		if (item->err < 0) {
			if (item->kind == META_QUERY_DESC) /* a parameter that may be known later */
				metadata_forget_item(md, item);
			continue;
		}
		r = writes[item->kind](&x, item);
		if (r < 0)
			metadata_complain(item, r);
	}
	arena_done(&x.mem);
	return r == -ENOMEM ? r : 0;
}

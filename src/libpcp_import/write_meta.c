/*
 * write_meta - descriptors, domains, texts and labels go into the archive, and its index entries
 * (docs/spec/import.md 5).
 *
 * The context knows which of its metadata are written, so none is written twice. A descriptor or a
 * domain that a text or a label needs, and that is not in the archive, is written before it; an
 * index entry after them then refers to the place where the next record begins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libpcp_import/import.h"
#include "libstore/archive_writer.h"

/* ---- index ---- */

void import_write_entry(struct import *c, const struct timespec *stamp, uint64_t meta_at,
			uint64_t data_at)
{
	struct archive_writer_state s = archive_writer_state(c->writer);
	struct index_entry entry = {*stamp, s.volume, (int64_t)meta_at, (int64_t)data_at};

	archive_writer_entry(c->writer, &entry);
}

/* After texts or labels that brought descriptors or domains. */
static void add_entry_here(struct import *c, const struct timespec *stamp)
{
	struct archive_writer_state s = archive_writer_state(c->writer);
	uint64_t data_end = s.records > 0 ? s.volume_size : log_label_len(c->opened_version);

	import_write_entry(c, stamp, s.meta_end, data_end);
}

/* ---- metadata ---- */

static int write_indom(struct import *c, pmInDom indom, const struct timespec *stamp)
{
	struct import_indom *d = import_indom(c, indom);
	union meta_body body = {.indom = {.stamp = *stamp, .indom = indom}};
	struct wire_inst *insts;
	int r;

	if (d == NULL || d->written)
		return 0;
	insts = calloc(d->n > 0 ? d->n : 1, sizeof(*insts));
	if (insts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		const char *name = d->insts[i]->name;

		insts[i] = (struct wire_inst){d->insts[i]->inst, {name, (uint32_t)strlen(name)}};
	}
	body.indom.numinst = (uint32_t)d->n;
	body.indom.insts = insts;
	r = archive_writer_meta(c->writer, META_INDOM, &body);
	free(insts);
	if (r >= 0)
		d->written = true;
	return r;
}

/* 1 if something was written; 0; a negative error. */
static int write_metric(struct import *c, struct import_metric *m, const struct timespec *stamp)
{
	struct wire_str name = {m->name, (uint32_t)strlen(m->name)};
	union meta_body body = {.desc = {.desc = m->desc, .numnames = 1, .names = &name}};
	bool written = m->written;
	int r = 0;

	if (!written)
		r = archive_writer_meta(c->writer, META_DESC, &body);
	if (r < 0)
		return r;
	m->written = true;
	if (m->desc.indom != PM_INDOM_NULL)
		r = write_indom(c, m->desc.indom, stamp);
	return r < 0 ? r : !written || r > 0;
}

int import_write_metric(struct import *c, pmID pmid, const struct timespec *stamp)
{
	struct import_metric *m = import_metric_id(c, pmid);

	return m != NULL ? write_metric(c, m, stamp) : 0;
}

static int write_text(struct import *c, struct import_text *t, const struct timespec *stamp)
{
	union meta_body body = {.text = {.type = (int32_t)(t->type | t->class),
					 .ident = t->id,
					 .text = {t->content, (uint32_t)strlen(t->content)}}};
	int brought = t->type == PM_TEXT_PMID ? import_write_metric(c, t->id, stamp)
					      : write_indom(c, t->id, stamp);
	int r;

	if (brought < 0)
		return brought;
	r = archive_writer_meta(c->writer, META_TEXT, &body);
	if (r < 0)
		return r;
	t->written = true;
	return brought;
}

int import_write_texts(struct import *c, const struct timespec *stamp)
{
	bool brought = false;

	for (size_t i = 0; i < c->ntexts; i++) {
		int r = c->texts[i].written ? 0 : write_text(c, &c->texts[i], stamp);

		if (r < 0)
			return r;
		brought |= r > 0;
	}
	if (brought)
		add_entry_here(c, stamp);
	return 0;
}

static int write_label(struct import *c, const struct import_label *l, const struct timespec *stamp)
{
	struct wire_labelset set = {
	    l->inst, l->set->nlabels, {l->set->json, (uint32_t)l->set->jsonlen}, l->set->labels};
	union meta_body body = {.label = {.stamp = *stamp,
					  .type = (int32_t)l->type,
					  .ident = l->id,
					  .numset = 1,
					  .sets = &set}};
	int brought = 0;
	int r;

	if (l->type == PM_LABEL_ITEM)
		brought = import_write_metric(c, l->id, stamp);
	else if (l->type == PM_LABEL_INDOM || l->type == PM_LABEL_INSTANCES)
		brought = write_indom(c, l->id, stamp);
	if (brought < 0)
		return brought;
	r = archive_writer_meta(c->writer, META_LABEL, &body);
	return r < 0 ? r : brought;
}

int import_write_labels(struct import *c, const struct timespec *stamp)
{
	bool brought = false;

	for (size_t i = 0; i < c->nlabels; i++) {
		int r = write_label(c, &c->labels[i], stamp);

		if (r < 0)
			return r;
		brought |= r > 0;
	}
	if (brought)
		add_entry_here(c, stamp);
	import_drop_labels(c);
	return 0;
}

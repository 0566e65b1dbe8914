/*
 * join - several archives as one: a temporary archive with a mark between the inputs.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"

enum { MARK_NS = 1000000 };

struct join {
	struct recording *parts;
	size_t n;
	struct archive_writer *writer;
	struct timespec last;
};

bool join_is_wanted(const char *names)
{
	struct stat st;

	return strchr(names, ',') != NULL || (stat(names, &st) == 0 && S_ISDIR(st.st_mode));
}

static int by_start(const void *a, const void *b)
{
	const struct recording *x = a, *y = b;

	return stamp_compare(&x->label->start, &y->label->start);
}

static int open_parts(struct join *j, const char *names)
{
	struct recording all;
	struct bases bases;
	int sts = recording_open_set(names, &all);

	if (sts < 0)
		return sts;
	recording_close(&all); /* they can be joined */
	sts = bases_find(names, &bases);
	j->parts = calloc(bases.n + 1, sizeof(*j->parts));
	if (j->parts == NULL)
		sts = -ENOMEM;
	for (size_t i = 0; i < bases.n && sts >= 0; i++) {
		sts = recording_open(bases.names[i], 0, &j->parts[j->n]);
		j->n += sts >= 0;
	}
	bases_done(&bases);
	if (sts >= 0)
		qsort(j->parts, j->n, sizeof(*j->parts), by_start);
	return sts;
}

/* Writes all descriptors, because those of event parameters are not found from the value sets. */
static int put_descs(struct join *j, const struct recording *part)
{
	const struct archive_metric *const *list;
	size_t n;
	int sts = 0;

	list = archive_meta_metrics(part->meta, &n);
	for (size_t i = 0; i < n && sts >= 0; i++) {
		AUTO_FREE struct wire_str *names = calloc(list[i]->nnames + 1, sizeof(*names));
		union meta_body body = {.desc = {.desc = list[i]->desc,
						 .numnames = (uint32_t)list[i]->nnames,
						 .names = names}};

		if (names == NULL)
			return -ENOMEM;
		for (size_t k = 0; k < list[i]->nnames; k++)
			names[k] = (struct wire_str){list[i]->names[k],
						     (uint32_t)strlen(list[i]->names[k])};
		sts = archive_writer_meta(j->writer, META_DESC, &body);
	}
	return sts;
}

static int join_put_record(struct join *j, struct metadata *m, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;
	int sts = metadata_begin(m, j->writer, &view->stamp), more;

	while (sts >= 0 && (more = result_walk_next(view, &walk, &set)) > 0)
		sts = metadata_metric(m, j->writer, &view->stamp, set.pmid);
	if (sts >= 0)
		sts = archive_writer_copy(j->writer, &view->stamp, view);
	return sts;
}

static int join_put_mark(struct join *j, const struct timespec *stamp)
{
	j->last = *stamp;
	return archive_writer_mark(j->writer, stamp);
}

static int put_mark_between(struct join *j)
{
	struct timespec stamp = j->last;

	stamp.tv_nsec += MARK_NS;
	stamp.tv_sec += stamp.tv_nsec / 1000000000;
	stamp.tv_nsec %= 1000000000;
	return join_put_mark(j, &stamp);
}

static int put_records(struct join *j, const struct recording *part, struct metadata *m)
{
	bool first = j->last.tv_sec == 0;
	struct result_view view;
	int sts;

	while ((sts = archive_next(part->archive, &view)) > 0) {
		if (result_view_check(&view) < 0)
			return PM_ERR_LOGREC;
		if (stamp_compare(&view.stamp, &j->last) < 0)
			return PM_ERR_LOGOVERLAP;
		if (result_view_is_mark(&view))
			sts = first ? 0 : join_put_mark(j, &view.stamp);
		else
			sts = join_put_record(j, m, &view);
		if (sts < 0)
			return sts;
		first = false;
		j->last = view.stamp;
	}
	return sts;
}

static int put_part(struct join *j, const struct recording *part)
{
	struct metadata *m;
	int sts = metadata_new(part, &m);

	if (sts < 0)
		return sts;
	sts = put_descs(j, part);
	if (sts >= 0 && j->last.tv_sec != 0)
		sts = put_mark_between(j);
	if (sts >= 0)
		sts = put_records(j, part, m);
	metadata_free(m);
	return sts;
}

static int put_all(struct join *j, const char *base)
{
	struct log_label label = *j->parts[0].label;
	int sts;

	for (size_t i = 1; i < j->n; i++)
		if (j->parts[i].label->version > label.version)
			label.version = j->parts[i].label->version;
	sts = archive_writer_new(base, &label, &j->writer);
	if (sts < 0)
		return sts;
	for (size_t i = 0; i < j->n && sts >= 0; i++)
		sts = put_part(j, &j->parts[i]);
	if (sts >= 0)
		return archive_writer_end(j->writer);
	product_drop(j->writer);
	return sts;
}

/* Makes ".NAME.rewrite-join" in the folder of the output. */
static char *join_beside(const char *output)
{
	const char *slash = strrchr(output, '/');
	int folder = slash != NULL ? (int)(slash + 1 - output) : 0;
	char *name;

	if (asprintf(&name, "%.*s.%s.rewrite-join", folder, output, output + folder) < 0)
		return NULL;
	return name;
}

int join_make(const char *names, const char *output, char **ret_base)
{
	AUTO_FREE char *base = join_beside(output);
	struct join j = {0};
	int sts = base != NULL ? open_parts(&j, names) : -ENOMEM;

	if (sts >= 0) {
		product_remove(base); /* the rest of a run that was killed */
		sts = put_all(&j, base);
	}
	for (size_t i = 0; i < j.n; i++)
		recording_close(&j.parts[i]);
	free(j.parts);
	if (sts >= 0)
		*ret_base = TAKE(base);
	return sts < 0 ? sts : 0;
}

void join_drop(char *base)
{
	if (base != NULL)
		product_remove(base);
	free(base);
}

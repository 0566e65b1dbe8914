#include "tools/pmlogextract/copy.h"

#include <inttypes.h>
#include <stdio.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libdisk/result_record.h"
#include "libstore/archive.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/stamp.h"
#include "tools/archive/window.h"
#include "tools/common/finding.h"
#include "tools/pmlogextract/chosen.h"
#include "tools/pmlogextract/inputs.h"
#include "tools/pmlogextract/merge.h"
#include "tools/pmlogextract/options.h"

enum { DAY_SEC = 24 * 60 * 60 };

struct copy {
	const struct options *o;
	const struct chosen *chosen;
	struct window window; /* with -w, the window of the current day */
	struct merge merge;
	struct archive_writer *writer;
	bool gap;         /* between the windows of two days */
	long written;     /* records, marks included */
	long in_volume;   /* records in the current volume */
	uint64_t refused; /* records whose time went backward */
	struct timespec last;
};

static void count(struct copy *c, const struct timespec *stamp)
{
	c->written++;
	c->in_volume++;
	c->last = *stamp;
}

/* A mark before the first record has no meaning and is not written. */
static int put_mark(struct copy *c, const struct timespec *stamp)
{
	int sts;

	if (c->written == 0 || stamp_compare(stamp, &c->last) < 0)
		return 0;
	sts = archive_writer_mark(c->writer, stamp);
	if (sts >= 0)
		count(c, stamp);
	return sts;
}

static int begin_volume(struct copy *c, const struct timespec *stamp)
{
	int sts;

	if (c->o->volsamples == 0 || c->in_volume < c->o->volsamples)
		return 0;
	sts = product_volume(c->writer, stamp);
	c->in_volume = 0;
	return sts;
}

/* Writes the metadata of the metrics that are in a record, before the record itself. */
static int put_metadata_of_view(struct copy *c, const struct merge_item *item)
{
	struct result_walk walk = result_walk_begin(item->view);
	struct metadata *m = item->input->metadata;
	struct vset_view set;
	int sts = metadata_begin(m, c->writer, &item->stamp);

	while (sts >= 0) {
		int more = result_walk_next(item->view, &walk, &set);

		if (more <= 0)
			return more;
		sts = metadata_metric(m, c->writer, &item->stamp, set.pmid);
	}
	return sts;
}

static int put_metadata_of_result(struct copy *c, const struct merge_item *item,
				  const pmHighResResult *result)
{
	struct metadata *m = item->input->metadata;
	int sts = metadata_begin(m, c->writer, &item->stamp);

	for (int i = 0; i < result->numpmid && sts >= 0; i++)
		sts = metadata_metric(m, c->writer, &item->stamp, result->vset[i]->pmid);
	return sts;
}

static int put_whole(struct copy *c, const struct merge_item *item)
{
	int sts = put_metadata_of_view(c, item);

	if (sts >= 0)
		sts = begin_volume(c, &item->stamp);
	if (sts >= 0)
		sts = archive_writer_copy(c->writer, &item->stamp, item->view);
	if (sts >= 0)
		count(c, &item->stamp);
	return sts;
}

/* Writes the chosen part of a record. */
static int put_reduced(struct copy *c, const struct merge_item *item)
{
	AUTO_FREE pmHighResResult *result = NULL;
	const struct archive *a = item->input->recording.archive;
	size_t len;
	const void *record = archive_record(a, &len);
	int sts =
	    result_record_to_host(item->input->recording.label->version, record, len, &result);

	if (sts < 0 || !chosen_reduce(c->chosen, result))
		return sts;
	sts = put_metadata_of_result(c, item, result);
	if (sts >= 0)
		sts = begin_volume(c, &item->stamp);
	if (sts >= 0)
		sts = archive_writer_result(c->writer, &item->stamp, result->vset,
					    (uint32_t)result->numpmid);
	if (sts >= 0)
		count(c, &item->stamp);
	return sts;
}

static int put_record(struct copy *c, const struct merge_item *item)
{
	struct timespec mark = merge_after(c->last);
	int sts = 0;

	if (c->written > 0 && stamp_compare(&item->stamp, &c->last) < 0) {
		c->refused++;
		return 0;
	}
	if (c->gap && stamp_compare(&mark, &item->stamp) <= 0)
		sts = put_mark(c, &mark);
	c->gap = false;
	if (sts < 0)
		return sts;
	return chosen_everything(c->chosen) ? put_whole(c, item) : put_reduced(c, item);
}

/* Moves the window to the day of a record that is after the current window. */
static void next_day(struct copy *c, const struct timespec *stamp)
{
	while (stamp_compare(stamp, &c->window.finish) > 0) {
		c->window.start.tv_sec += DAY_SEC;
		c->window.finish.tv_sec += DAY_SEC;
	}
	c->gap = c->written > 0;
}

static bool is_done(const struct copy *c, const struct timespec *stamp)
{
	if (c->o->samples > 0 && c->written >= c->o->samples)
		return true;
	return !c->o->daily && stamp_compare(stamp, &c->window.finish) > 0;
}

static int copy_records(struct copy *c)
{
	struct merge_item item;
	int sts = 0;

	while (sts >= 0 && merge_next(&c->merge, &item)) {
		if (is_done(c, &item.stamp))
			break;
		if (stamp_compare(&item.stamp, &c->window.finish) > 0)
			next_day(c, &item.stamp);
		if (stamp_compare(&item.stamp, &c->window.start) < 0)
			continue;
		if (item.input == NULL || result_view_is_mark(item.view))
			sts = put_mark(c, &item.stamp);
		else
			sts = put_record(c, &item);
	}
	return sts;
}

static bool open_output(struct copy *c, const struct log_label *label)
{
	if (!product_open(c->o->output, label, &c->writer))
		return false;
	archive_writer_repeat(c->writer);
	return true;
}

static void drop_output(struct copy *c)
{
	product_drop(c->writer);
	fprintf(stderr, "Archive \"%s\" not created.\n", c->o->output);
}

static bool close_output(struct copy *c, int sts)
{
	int end;

	if (sts >= 0 && c->written == 0)
		fprintf(finding(), "%s: Warning: no qualifying records found.\n", pmGetProgname());
	else if (sts < 0)
		product_report(c->o->output, sts);
	if (c->written == 0 || (sts < 0 && !c->o->desperate)) {
		drop_output(c);
		return false;
	}
	if (c->refused > 0)
		fprintf(finding(), "%s: Warning: %" PRIu64 " records left out whose time goes back\n",
			pmGetProgname(), c->refused);
	end = archive_writer_end(c->writer);
	if (end < 0)
		product_report(c->o->output, end);
	return sts >= 0 && end >= 0;
}

bool copy_run(const struct options *o, struct inputs *in, const struct chosen *chosen,
	      const struct window *window, const struct log_label *label)
{
	struct copy c = {.o = o, .chosen = chosen, .window = *window};

	if (!open_output(&c, label))
		return false;
	merge_begin(&c.merge, in, &window->start, o->always_mark);
	return close_output(&c, copy_records(&c));
}

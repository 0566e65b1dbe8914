/*
 * copy - the new archive: merged records of the window, and the metadata that they need.
 */
#include "tools/pmlogextract/pmlogextract.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libdisk/log_label.h"
#include "libdisk/result_record.h"
#include "libstore/archive.h"
#include "libstore/archive_writer.h"
#include "tools/archive/metadata.h"
#include "tools/archive/product.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * merge - the records of all inputs in the order of time, with a mark at the end of each input.
 */

struct merge {
	struct inputs *in;
	bool always_mark; /* also write a mark if the same collector goes on */
};

struct merge_item {
	struct timespec stamp;
	struct input *input;            /* NULL: a mark between inputs */
	const struct result_view *view; /* its record, valid until the next call; may be a mark */
};

enum { MARK_AFTER_NS = 1000000, NSEC_PER_SEC = 1000000000 };

enum { LOGGER_METRICS = 5 }; /* a metric of a prologue or an epilogue */

static struct timespec merge_after(struct timespec t)
{
	t.tv_nsec += MARK_AFTER_NS;
	if (t.tv_nsec >= NSEC_PER_SEC) {
		t.tv_sec++;
		t.tv_nsec -= NSEC_PER_SEC;
	}
	return t;
}

/* The value of a metric with a single number in the record. */
static bool find_number(const struct result_view *view, pmID pmid, int type, pmAtomValue *ret_atom)
{
	struct vset_view set;
	struct wire_value value;

	return result_view_find(view, pmid, &set) > 0 && set.numval == 1 &&
	       vset_view_value(view, &set, 0, &value) == 0 &&
	       wire_value_number(&value, type, ret_atom) == 0;
}

static void note_collector(struct input *input)
{
	pmAtomValue pid, seqnum;

	if (input->view.numpmid != LOGGER_METRICS ||
	    !find_number(&input->view, pmID_build(2, 0, 23), PM_TYPE_U64, &pid) ||
	    !find_number(&input->view, pmID_build(2, 0, 24), PM_TYPE_U32, &seqnum))
		return;
	input->collector = (struct collector){true, pid.ull, seqnum.ul};
}

static void end_input(struct input *input, int code)
{
	if (code < 0)
		damage_report(
		    input->recording.archive, input->name, code,
		    "The last record, and the remainder of this file will not be extracted.");
	input->ended = true;
}

/* Reads the next record of each input that has none read ahead. */
static void copy_hold(struct input *input)
{
	int sts;

	if (input->held || input->ended)
		return;
	sts = archive_next(input->recording.archive, &input->view);
	if (sts > 0 && result_view_check(&input->view) < 0)
		sts = PM_ERR_LOGREC;
	if (sts <= 0) {
		end_input(input, sts);
		return;
	}
	input->held = true;
	note_collector(input);
}

/*
 * Begins with the first records that are not before start. Damage is reported and ends its input.
 */
static void merge_begin(struct merge *m, struct inputs *in, const struct timespec *start,
			bool always_mark)
{
	*m = (struct merge){in, always_mark};
	for (size_t i = 0; i < in->n; i++) {
		int sts = archive_seek_forward(in->list[i].recording.archive, start);

		if (sts < 0)
			end_input(&in->list[i], sts);
	}
}

static struct input *earliest(const struct merge *m)
{
	struct input *first = NULL;

	for (size_t i = 0; i < m->in->n; i++) {
		struct input *input = &m->in->list[i];

		copy_hold(input);
		if (input->held &&
		    (first == NULL || stamp_compare(&input->view.stamp, &first->view.stamp) < 0))
			first = input;
	}
	return first;
}

static bool same_collector(const struct collector *a, const struct collector *b)
{
	return a->known && b->known && a->pid == b->pid && a->seqnum == b->seqnum;
}

/* An input that has ended, and whose mark comes before the next record of the others. */
static struct input *find_mark(const struct merge *m, const struct input *next)
{
	struct input *first = NULL;

	for (size_t i = 0; i < m->in->n; i++) {
		struct input *input = &m->in->list[i];

		if (!input->ended || !input->given)
			continue;
		if (!m->always_mark && same_collector(&input->collector, &next->collector))
			input->given = false;
		else if (first == NULL || stamp_compare(&input->last, &first->last) < 0)
			first = input;
	}
	return first;
}

/* Returns the next item; false after the last one. */
static bool merge_next(struct merge *m, struct merge_item *ret_item)
{
	struct input *next = earliest(m), *mark;
	struct timespec when;

	if (next == NULL)
		return false;
	mark = find_mark(m, next);
	if (mark != NULL) {
		when = merge_after(mark->last);
		if (stamp_compare(&when, &next->view.stamp) <= 0) {
			mark->given = false;
			*ret_item = (struct merge_item){.stamp = when};
			return true;
		}
	}
	next->held = false;
	next->given = true;
	next->last = next->view.stamp;
	*ret_item = (struct merge_item){next->view.stamp, next, &next->view};
	return true;
}

/*
 * Copy
 */

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

static void copy_count(struct copy *c, const struct timespec *stamp)
{
	c->written++;
	c->in_volume++;
	c->last = *stamp;
}

/* A mark before the first record has no meaning and is not written. */
static int copy_put_mark(struct copy *c, const struct timespec *stamp)
{
	int sts;

	if (c->written == 0 || stamp_compare(stamp, &c->last) < 0)
		return 0;
	sts = archive_writer_mark(c->writer, stamp);
	if (sts >= 0)
		copy_count(c, stamp);
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
		copy_count(c, &item->stamp);
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
		copy_count(c, &item->stamp);
	return sts;
}

static int copy_put_record(struct copy *c, const struct merge_item *item)
{
	struct timespec mark = merge_after(c->last);
	int sts = 0;

	if (c->written > 0 && stamp_compare(&item->stamp, &c->last) < 0) {
		c->refused++;
		return 0;
	}
	if (c->gap && stamp_compare(&mark, &item->stamp) <= 0)
		sts = copy_put_mark(c, &mark);
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
			sts = copy_put_mark(c, &item.stamp);
		else
			sts = copy_put_record(c, &item);
	}
	return sts;
}

static bool copy_open_output(struct copy *c, const struct log_label *label)
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

static bool copy_close_output(struct copy *c, int sts)
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
		fprintf(finding(),
			"%s: Warning: %" PRIu64 " records left out whose time goes back\n",
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

	if (!copy_open_output(&c, label))
		return false;
	merge_begin(&c.merge, in, &window->start, o->always_mark);
	return copy_close_output(&c, copy_records(&c));
}

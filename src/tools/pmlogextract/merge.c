#include "tools/pmlogextract/merge.h"

#include <pcp/pmapi.h>

#include "libstore/archive.h"
#include "tools/archive/damage.h"
#include "tools/archive/stamp.h"

enum { MARK_AFTER_NS = 1000000, NSEC_PER_SEC = 1000000000 };

enum { LOGGER_METRICS = 5 }; /* a metric of a prologue or an epilogue */

struct timespec merge_after(struct timespec t)
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
static void hold(struct input *input)
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

void merge_begin(struct merge *m, struct inputs *in, const struct timespec *start, bool always_mark)
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

		hold(input);
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

bool merge_next(struct merge *m, struct merge_item *ret_item)
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

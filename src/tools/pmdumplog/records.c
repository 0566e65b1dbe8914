/*
 * records - section -m: the data records of the window, with names, forward or backward.
 */
#include "tools/pmdumplog/pmdumplog.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libdisk/stamp.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "tools/archive/window.h"

/*
 * Records
 */

/* The record that is printed. */
struct page {
	const struct dump *dump;
	const struct chosen *chosen;
	struct result_view view;
	const struct archive_indom
	    *indom;             /* the instance domain at that time, of the current set; or NULL */
	struct vset_view *sets; /* owned: the sets of the chosen metrics; room for all of them */
};

static void records_print_instance(const struct page *p, int inst)
{
	const struct wire_inst *known =
	    p->indom != NULL ? archive_indom_inst(p->indom, inst) : NULL;

	putchar_unlocked('[');
	value_print_int(inst);
	if (known != NULL) {
		fwrite_unlocked(" or \"", 1, 5, stdout);
		fwrite_unlocked(known->name.s, 1, known->name.len, stdout);
		fwrite_unlocked("\"]", 1, 2, stdout);
	} else {
		fwrite_unlocked(" or ???]", 1, 8, stdout);
	}
}

/* Each value of an event metric has a line of its own that repeats the name. */
static void print_event_value(const struct page *p, const struct metric *m,
			      const struct wire_value *value)
{
	printf("    %.*s", (int)m->text_len - 1, m->text);
	if (m->desc.indom != PM_INDOM_NULL)
		records_print_instance(p, value->inst);
	printf("):");
	event_print(p->dump, m->desc.type == PM_TYPE_HIGHRES_EVENT, value);
}

static void records_print_value(const struct page *p, const struct metric *m, bool alone,
				const struct wire_value *value)
{
	fwrite_unlocked("        ", 1, alone ? 1 : 8, stdout);
	if (m->desc.indom != PM_INDOM_NULL) {
		fwrite_unlocked("inst ", 1, 5, stdout);
		records_print_instance(p, value->inst);
		putchar_unlocked(' ');
	}
	fwrite_unlocked("value ", 1, 6, stdout);
	value_print(m->desc.type, value);
	putchar_unlocked('\n');
}

static int print_values(const struct page *p, const struct metric *m, const struct vset_view *set)
{
	bool events = value_type_is_event((uint32_t)m->desc.type) && set->valfmt != PM_VAL_INSITU;
	struct wire_value value;

	if (!events)
		printf("    %s:%s", m->text, set->numval > 1 ? "\n" : "");
	for (int32_t i = 0; i < set->numval; i++) {
		int sts = vset_view_value(&p->view, set, i, &value);

		if (sts < 0)
			return sts;
		if (events)
			print_event_value(p, m, &value);
		else
			records_print_value(p, m, set->numval == 1, &value);
	}
	return 0;
}

static int records_print_set(struct page *p, const struct vset_view *set)
{
	const struct metric *m = metrics_get(p->dump->metrics, set->pmid);
	char text[PM_MAXERRMSGLEN];
	int sts;

	if (set->numval == 0) {
		printf("    %s: No values returned!\n", m->text);
		return 0;
	}
	if (set->numval < 0) {
		printf("    %s: %s\n", m->text, pmErrStr_r(set->numval, text, sizeof(text)));
		return 0;
	}
	p->indom = NULL;
	if (m->desc.indom != PM_INDOM_NULL) {
		sts = archive_meta_indom_at(p->dump->recording.meta, m->desc.indom, &p->view.stamp,
					    &p->indom);
		if (sts == PM_ERR_LOGREC || sts == -ENOMEM)
			return sts;
	}
	return print_values(p, m, set);
}

static void records_print_head(const struct page *p, uint32_t n, size_t bytes)
{
	putchar('\n');
	if (p->dump->options->sizes)
		printf("[%zu bytes]\n", bytes);
	when_print(p->dump, &p->view.stamp);
	if (result_view_is_mark(&p->view))
		puts("  <mark>");
	else
		printf(" %u metric%s\n", n, n == 1 ? "" : "s");
}

static int records_print_all(struct page *p)
{
	struct result_walk walk = result_walk_begin(&p->view);
	struct vset_view set;
	size_t bytes;
	int sts;

	archive_record(p->dump->recording.archive, &bytes);
	records_print_head(p, p->view.numpmid, bytes);
	while ((sts = result_walk_next(&p->view, &walk, &set)) > 0) {
		sts = records_print_set(p, &set);
		if (sts < 0)
			return sts;
	}
	return sts;
}

/* The size of a set in a record. */
static size_t set_bytes(const struct page *p, const struct vset_view *set)
{
	size_t bytes = VSET_HEAD;
	struct wire_value value;

	if (set->numval <= 0)
		return bytes;
	bytes = VSET_HEAD_VALUES + (size_t)set->numval * VSET_VALUE_LEN;
	for (int32_t i = 0; i < set->numval; i++)
		if (vset_view_value(&p->view, set, i, &value) == 0)
			bytes += ((size_t)value.block_len + 3) / 4 * 4;
	return bytes;
}

/* Length words, number of metrics, time: the size of a record without sets. */
static size_t head_bytes(const struct dump *d)
{
	return 12 + stamp_len(d->recording.label->version);
}

/* Prints the chosen metrics in the order of choice; records without any of them are skipped. */
static int print_chosen(struct page *p)
{
	size_t bytes = head_bytes(p->dump);
	uint32_t n = 0;
	int sts;

	if (result_view_is_mark(&p->view)) {
		if (p->dump->options->marks)
			records_print_head(p, 0, bytes);
		return 0;
	}
	for (size_t i = 0; i < p->chosen->n; i++) {
		sts = result_view_find(&p->view, p->chosen->pmids[i], &p->sets[n]);
		if (sts < 0)
			return sts;
		if (sts > 0)
			bytes += set_bytes(p, &p->sets[n++]);
	}
	if (n == 0)
		return 0;
	records_print_head(p, n, bytes);
	for (uint32_t i = 0; i < n; i++) {
		sts = records_print_set(p, &p->sets[i]);
		if (sts < 0)
			return sts;
	}
	return 0;
}

static bool outside(const struct dump *d, const struct timespec *when)
{
	if (d->options->reverse)
		return stamp_compare(when, &d->window.start) < 0;
	return stamp_compare(when, &d->window.finish) > 0;
}

static void print_reverse_heading(const struct timespec *last)
{
	char text[32];
	time_t second = last->tv_sec;

	printf("\nLog finished at %.24s - dump in reverse order\n", pmCtime(&second, text));
}

static int print_window(struct page *p)
{
	struct archive *a = p->dump->recording.archive;
	bool reverse = p->dump->options->reverse;
	bool first = true;
	int sts = reverse ? archive_seek_back(a, &p->dump->window.finish)
			  : archive_seek_forward(a, &p->dump->window.start);

	while (sts >= 0) {
		sts = reverse ? archive_prev(a, &p->view) : archive_next(a, &p->view);
		if (sts > 0 && first && reverse)
			print_reverse_heading(&p->view.stamp);
		first = false;
		if (sts <= 0 || outside(p->dump, &p->view.stamp))
			break;
		sts = p->chosen->all ? records_print_all(p) : print_chosen(p);
	}
	return sts < 0 ? sts : 0;
}

int records_print(const struct dump *d, const struct chosen *chosen)
{
	struct page page = {.dump = d, .chosen = chosen};
	int sts;

	page.sets = calloc(chosen->n + 1, sizeof(page.sets[0]));
	if (page.sets == NULL)
		pmNoMem("metrics", chosen->n * sizeof(page.sets[0]), PM_FATAL_ERR);
	sts = print_window(&page);
	free(page.sets);
	return sts;
}

/*
 * records - pass 3: the data records of the window, their order, encoding and counters.
 */
#include "tools/pmlogcheck/pmlogcheck.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "tools/archive/names.h"
#include "tools/archive/product.h"
#include "tools/archive/window.h"
#include "tools/common/cmdline.h"

/*
 * Observed values
 */

struct observed {
	struct hash table;
	struct arena mem;
	unsigned int epoch; /* number of marks so far */
};

static void no_memory(void)
{
	pmNoMem("observations", sizeof(struct observation), PM_FATAL_ERR);
}

struct observed *observed_new(void)
{
	struct observed *o = calloc(1, sizeof(*o));

	if (o == NULL)
		no_memory();
	return o;
}

void observed_free(struct observed *o)
{
	if (o == NULL)
		return;
	hash_done(&o->table);
	arena_done(&o->mem);
	free(o);
}

static bool same(const void *entry, const void *key)
{
	const struct observation *a = entry, *b = key;

	return a->pmid == b->pmid && a->inst == b->inst;
}

struct observation *observed_get(struct observed *o, pmID pmid, int inst)
{
	struct observation key = {.pmid = pmid, .inst = inst};
	uint64_t hash = hash_u64((uint64_t)pmid << 32 | (uint32_t)inst);
	struct observation *found = hash_find(&o->table, hash, same, &key);

	if (found == NULL) {
		found = arena_alloc(&o->mem, sizeof(*found));
		if (found == NULL || hash_add(&o->table, hash, found) < 0)
			no_memory();
		*found = key;
	}
	if (found->epoch != o->epoch)
		found->known = false;
	found->epoch = o->epoch;
	return found;
}

void observed_forget(struct observed *o)
{
	o->epoch++;
}

/*
 * Records
 */

enum { DAY_S = 86400 };

struct walk {
	const struct check *check;
	struct observed *observed;
	struct hash
	    unknown; /* metrics without descriptor, each reported once: the key is the PMID */
	bool dates;  /* print stamps with dates, because the window is long */
	struct result_view view;
	bool any; /* there was a record before */
	struct timespec before;
	uint64_t records, marks;
};

/* A metric whose values are checked. */
struct subject {
	const struct archive_metric *metric;
	pmID pmid;
};

static const char *when_text(const struct walk *w, const struct timespec *when, char *buf)
{
	if (w->dates)
		stamp_date(buf, when, STAMP_MILLI);
	else
		stamp_time(buf, when, STAMP_MILLI);
	return buf;
}

/* "BASE.VOL:[STAMP]" */
static void say_where(const struct walk *w)
{
	char text[STAMP_ROOM];

	progress_clear();
	fprintf(finding(), "%s.%d:[%s]", w->check->name,
		archive_place(w->check->recording.archive).volume,
		when_text(w, &w->view.stamp, text));
}

static const char *metric_name(const struct subject *s, char *buf, int size)
{
	if (s->metric != NULL && s->metric->nnames > 0)
		return s->metric->names[0];
	return pmIDStr_r(s->pmid, buf, size);
}

static void records_check_order(struct walk *w)
{
	const struct timespec *start = &w->check->recording.label->start;
	char text[STAMP_ROOM];

	if (stamp_compare(&w->view.stamp, start) < 0) {
		say_where(w);
		fprintf(stderr, ": timestamp before label timestamp: %s\n",
			when_text(w, start, text));
	}
	if (w->any && stamp_compare(&w->view.stamp, &w->before) < 0) {
		say_where(w);
		fprintf(stderr, ": timestamp went backwards, prior timestamp: %s\n",
			when_text(w, &w->before, text));
	}
	w->before = w->view.stamp;
	w->any = true;
}

static void say_instance(const struct walk *w, pmInDom indom, int inst)
{
	struct archive_meta *meta = w->check->recording.meta;
	const struct archive_indom *known = NULL;
	const struct wire_inst *named = NULL;

	if (archive_meta_indom_union(meta, indom, &known) >= 0 && known != NULL)
		named = archive_indom_inst(known, inst);
	if (named != NULL)
		fprintf(stderr, "[%.*s]", (int)named->name.len, named->name.s);
	else
		fprintf(stderr, "[%d]", inst);
}

/* The types of counters that wrap. */
static bool records_wraps(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_U64;
}

static void say_value(const struct walk *w, int type, const pmAtomValue *value,
		      const struct timespec *when)
{
	char text[STAMP_ROOM];

	fputs("\tvalue ", stderr);
	switch (type) {
	case PM_TYPE_32:
		fprintf(stderr, "%d", value->l);
		break;
	case PM_TYPE_U32:
		fprintf(stderr, "%u", value->ul);
		break;
	case PM_TYPE_64:
		fprintf(stderr, "%" PRId64, (int64_t)value->ll);
		break;
	default:
		fprintf(stderr, "%" PRIu64, (uint64_t)value->ull);
		break;
	}
	fprintf(stderr, " at %s\n", when_text(w, when, text));
}

static void say_wrap(const struct walk *w, const struct subject *s, const struct observation *last,
		     const pmAtomValue *now)
{
	static const char *const types[] = {"signed 32-bit", "unsigned 32-bit", "signed 64-bit",
					    "unsigned 64-bit"};
	const pmDesc *desc = &s->metric->desc;
	char id[32];

	say_where(w);
	fprintf(stderr, ": %s", metric_name(s, id, sizeof(id)));
	if (desc->indom != PM_INDOM_NULL)
		say_instance(w, desc->indom, last->inst);
	fprintf(stderr, ": %s wrap\n", types[desc->type]);
	say_value(w, desc->type, &last->value, &last->when);
	say_value(w, desc->type, now, &w->view.stamp);
}

static void check_counter(struct walk *w, const struct subject *s, const struct wire_value *value)
{
	int type = s->metric->desc.type;
	struct observation *last;
	pmAtomValue now;

	if (wire_value_number(value, type, &now) < 0)
		return;
	/* old loggers gave values without instance domain any instance number */
	last = observed_get(w->observed, s->pmid,
			    s->metric->desc.indom == PM_INDOM_NULL ? -1 : value->inst);
	if (last->known && number_less(type, &now, &last->value))
		say_wrap(w, s, last, &now);
	last->known = true;
	last->value = now;
	last->when = w->view.stamp;
}

/* Floats used to be stored in place; blocks are accepted as well. */
static void check_encoding(const struct walk *w, const struct subject *s, int valfmt)
{
	int type = s->metric->desc.type;
	int expected = type == PM_TYPE_32 || type == PM_TYPE_U32 ? PM_VAL_INSITU : PM_VAL_DPTR;
	char id[32];

	if (valfmt == expected || type == PM_TYPE_FLOAT)
		return;
	say_where(w);
	fprintf(stderr, " %s: encoding botch valfmt=%d not %d as expected\n",
		metric_name(s, id, sizeof(id)), valfmt, expected);
}

static void say_unknown(struct walk *w, pmID pmid)
{
	uint64_t hash = hash_u64(pmid);
	char text[PM_MAXERRMSGLEN], id[32];

	if (hash_find(&w->unknown, hash, NULL, NULL) != NULL)
		return;
	if (hash_add(&w->unknown, hash, w) < 0)
		pmNoMem("metrics", sizeof(hash), PM_FATAL_ERR);
	say_where(w);
	fprintf(stderr, " %s: pmLookupDesc failed: %s\n", pmIDStr_r(pmid, id, sizeof(id)),
		pmErrStr_r(PM_ERR_PMID_LOG, text, sizeof(text)));
}

static int check_set(struct walk *w, const struct vset_view *set)
{
	struct subject s = {archive_meta_metric(w->check->recording.meta, set->pmid), set->pmid};
	struct wire_value value;
	bool counter;

	if (s.metric == NULL) {
		say_unknown(w, set->pmid);
		return 0;
	}
	if (set->numval <= 0)
		return 0;
	check_encoding(w, &s, set->valfmt);
	counter = !w->check->options->no_wraps && s.metric->desc.sem == PM_SEM_COUNTER &&
		  records_wraps(s.metric->desc.type);
	for (int32_t i = 0; i < set->numval; i++) {
		int sts = vset_view_value(&w->view, set, i, &value);

		if (sts < 0)
			return sts;
		if (counter)
			check_counter(w, &s, &value);
	}
	return 0;
}

static void say_error(const struct walk *w, int sts)
{
	char text[PM_MAXERRMSGLEN], when[STAMP_ROOM];

	progress_clear();
	fprintf(finding(), "%s.%d:[after %s]: pmFetch: error: %s\n", w->check->name,
		archive_place(w->check->recording.archive).volume,
		when_text(w, w->any ? &w->before : &w->check->recording.label->start, when),
		pmErrStr_r(sts, text, sizeof(text)));
}

static void check_record(struct walk *w)
{
	struct result_walk sets = result_walk_begin(&w->view);
	struct vset_view set;
	int sts;

	records_check_order(w);
	w->records++;
	if (result_view_is_mark(&w->view)) {
		w->marks++;
		observed_forget(w->observed);
	}
	while ((sts = result_walk_next(&w->view, &sets, &set)) > 0) {
		sts = check_set(w, &set);
		if (sts < 0)
			break;
	}
	if (sts < 0)
		say_error(w, sts);
}

static void records_tick(const struct walk *w)
{
	const struct check *c = w->check;

	progress_tick((uint64_t)(w->view.stamp.tv_sec - c->window.start.tv_sec),
		      (uint64_t)(c->window.finish.tv_sec - c->window.start.tv_sec));
}

static void check_window(struct walk *w)
{
	struct archive *a = w->check->recording.archive;
	int sts = 0;

	/* Without -S also what is before the time of the label: that is a finding. */
	if (w->check->options->pm.start_optarg != NULL)
		sts = archive_seek_forward(a, &w->check->window.start);

	progress_begin(w->check->name, w->check->options->verbose);
	while (sts >= 0) {
		sts = archive_next(a, &w->view);
		if (sts <= 0 || stamp_compare(&w->view.stamp, &w->check->window.finish) > 0)
			break;
		check_record(w);
		records_tick(w);
	}
	progress_clear();
	if (sts < 0)
		say_error(w, sts);
}

void records_check(const struct check *c)
{
	struct walk w = {
	    .check = c,
	    .observed = observed_new(),
	    .dates = stamp_minus(&c->window.finish, &c->window.start) > DAY_S,
	};

	if (c->options->verbose)
		fprintf(stderr, "%s: start pass3\n", c->name);
	check_window(&w);
	if (c->options->verbose) {
		fprintf(stderr, "Processed %" PRIu64 " pmResult records\n", w.records);
		if (w.marks > 0)
			fprintf(stderr, "Processed %" PRIu64 " <mark> records\n", w.marks);
	}
	observed_free(w.observed);
	hash_done(&w.unknown);
}

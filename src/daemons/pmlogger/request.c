/*
 * request - what a control client asks (docs/spec/logger.md A3, B3). What only the collector knows
 * is asked in the link's thread: descriptors and names of metrics that were never logged, and the
 * instances of "all". Then the state changes, and the answer is made, in one go.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/logger_own.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"

/* Questions that are asked at a stretch: some milliseconds of the collector's time. */
enum { SLICE_DESCS = 4096, SLICE_NAMES = 128, SLICE_INDOMS = 16 };

struct request_set {
	pmID pmid;
	int numval; /* <= 0: all */
	int *insts;
	int err; /* of its descriptor, or of its domain */
	bool known;
	pmDesc desc;
	size_t desc_item;  /* its question; SIZE_MAX: none */
	size_t indom_item;
};

struct request {
	struct list in_list;
	struct link_job job;
	struct logger *l;
	const char *client;
	logger_answered answered;
	void *arg;
	int control;
	struct logging_request change;
	uint32_t n;
	struct request_set *sets;
	struct link_meta descs, indoms;
	struct hash asked; /* numbers of questions for descriptors, from 1, by pmid */
	bool descs_known;
	struct arena mem;
};

static void request_free(struct request *q)
{
	list_del(&q->in_list);
	link_meta_done(&q->descs);
	link_meta_done(&q->indoms);
	hash_done(&q->asked);
	arena_done(&q->mem);
	free(q);
}

/* True if the change makes metrics known that were not. */
static bool creates(const struct request *q)
{
	return q->control != LOGGING_ENQUIRE &&
	       (q->change.wish == LOGGING_ON ||
		(q->change.mandatory && q->change.wish == LOGGING_OFF));
}

/*
 * The log
 */

void logger_say_request(const char *client, const struct logging_request *r)
{
	char when[32];
	time_t now = time(NULL);
	char delta[32] = "";

	if (r->wish == LOGGING_ON && r->delta_ms == 0)
		snprintf(delta, sizeof(delta), " once");
	else if (r->wish == LOGGING_ON)
		snprintf(delta, sizeof(delta), " %.1f sec", r->delta_ms / 1000.0);
	fprintf(stderr, "\n%spmlc request from %s: %s %s%s\n", ctime_r(&now, when), client,
		r->mandatory ? "mandatory" : "advisory",
		r->wish == LOGGING_ON      ? "on"
		: r->wish == LOGGING_MAYBE ? "maybe"
					   : "off",
		delta);
}

void logger_say_metric(const struct logging_metric *m)
{
	for (int i = 0; i < m->nnames; i++)
		fprintf(stderr, "%s%s", i == 0 ? "  metric: " : " or ", m->names[i]);
}

static int compare_inst(const void *key, const void *entry)
{
	int a = *(const int *)key, b = ((const struct wire_inst *)entry)->inst;

	return (a > b) - (a < b);
}

static void say_inst(struct request *q, const struct logging_metric *m, int inst)
{
	const struct wire_inst *known = NULL;
	struct timespec stamp;
	size_t n = 0;

	if (q->l->recorder.w != NULL)
		known = archive_writer_indom(q->l->recorder.w, m->desc.indom, &n, &stamp);
	if (known != NULL)
		known = bsearch(&inst, known, n, sizeof(*known), compare_inst);
	if (known != NULL)
		fprintf(stderr, "    instance: %.*s", (int)known->name.len, known->name.s);
	else
		fprintf(stderr, "    instance: #%d", inst);
}

static void say_failed(const struct logging_metric *m, int inst, const struct logging_request *r)
{
	fputs(logging_agrees(m, inst, r) ? "\n" : " [request failed]\n", stderr);
}

static void say_change(struct request *q, const struct logging_metric *m,
		       const struct request_set *s)
{
	bool whole = m->desc.indom == PM_INDOM_NULL || s->numval <= 0;

	logger_say_metric(m);
	if (whole) {
		say_failed(m, PM_IN_NULL, &q->change);
		return;
	}
	fputc('\n', stderr);
	for (int i = 0; i < s->numval; i++) {
		say_inst(q, m, s->insts[i]);
		say_failed(m, s->insts[i], &q->change);
	}
}

/*
 * The answer
 */

static struct wire_value status_of(const struct logging_metric *m, int inst)
{
	return (struct wire_value){.inst = inst, .insitu = logging_status(m, inst)};
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Instances that a record once held and that are gone; at most room of them. */
static uint32_t put_gone(const struct logging_metric *m, const struct link_meta_item *now,
			 struct wire_value *values)
{
	const struct logging_seen *seen;
	size_t pos = 0;
	uint32_t n = 0;

	while (m != NULL && (seen = logging_seen_next(m, &pos)) != NULL) {
		if (bsearch(&seen->inst, now->insts, (size_t)now->n, sizeof(int), compare_ints) ==
		    NULL)
			values[n++] = status_of(m, seen->inst);
	}
	return n;
}

static int answer_all(struct request *q, const struct request_set *s,
		      const struct logging_metric *m, struct wire_vset *ret)
{
	const struct link_meta_item *now = &q->indoms.items[s->indom_item];
	size_t room = (size_t)now->n + (m != NULL ? m->seen.count : 0);
	struct wire_value *values = arena_calloc(&q->mem, room + 1, sizeof(*values));
	uint32_t n = 0;

	if (values == NULL)
		return -ENOMEM;
	for (int i = 0; i < now->n; i++)
		values[n++] = status_of(m, now->insts[i]);
	if (q->control == LOGGING_ENQUIRE && now->n > 0)
		qsort(now->insts, (size_t)now->n, sizeof(int), compare_ints);
	if (q->control == LOGGING_ENQUIRE)
		n += put_gone(m, now, values + n);
	ret->numval = now->err < 0 && n == 0 ? now->err : (int32_t)n;
	ret->values = values;
	return 0;
}

static int answer_insts(struct request *q, const struct request_set *s,
			const struct logging_metric *m, struct wire_vset *ret)
{
	int n = s->numval > 0 ? s->numval : 1;
	struct wire_value *values = arena_calloc(&q->mem, (size_t)n, sizeof(*values));

	if (values == NULL)
		return -ENOMEM;
	values[0] = status_of(m, PM_IN_NULL);
	for (int i = 0; i < s->numval; i++)
		values[i] = status_of(m, s->insts[i]);
	ret->numval = n;
	ret->values = values;
	return 0;
}

static int answer_set(struct request *q, const struct request_set *s, struct wire_vset *ret)
{
	const struct logging_metric *m = logging_find(&q->l->logging, s->pmid);
	*ret = (struct wire_vset){.pmid = s->pmid, .valfmt = PM_VAL_INSITU};
	if (s->err < 0 && (s->numval <= 0 || creates(q))) {
		ret->numval = s->err;
		return 0;
	}
	if (s->numval <= 0 && s->desc.indom != PM_INDOM_NULL)
		return answer_all(q, s, m, ret);
	return answer_insts(q, s, m, ret);
}

static void answer(struct request *q)
{
	struct wire_vset *sets = arena_calloc(&q->mem, q->n, sizeof(*sets));
	int r = sets == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; i < q->n && r == 0; i++)
		r = answer_set(q, &q->sets[i], &sets[i]);
	q->answered(q->arg, r, sets, r == 0 ? q->n : 0);
}

/*
 * The change
 */

static struct logging_metric *make_known(struct request *q, const struct request_set *s)
{
	struct logging_metric *m = logging_find(&q->l->logging, s->pmid);
	const struct link_meta_item *item;
	char number[16];
	char *one[] = {number};

	if (m != NULL || s->err < 0 || s->desc_item == SIZE_MAX)
		return m;
	item = &q->descs.items[s->desc_item];
	if (!creates(q))
		return NULL; /* it is as they want it */
	pmIDStr_r(s->pmid, number, sizeof(number));
	return logging_add(&q->l->logging, &s->desc, item->n > 0 ? item->n : 1,
			   item->n > 0 ? item->names : one);
}

static int change_set(struct request *q, const struct request_set *s)
{
	struct logging_metric *m;
	int err = 0;

	if (s->numval < 0)
		return 0;
	m = make_known(q, s);
	if (m == NULL)
		return 0;
	logging_change(&q->l->logging, m, &q->change, s->insts, (size_t)s->numval, &err);
	if (err == 0)
		say_change(q, m, s);
	return err;
}

static void finish(struct request *q)
{
	int r = 0;

	if (q->control != LOGGING_ENQUIRE) {
		logger_say_request(q->client, &q->change);
		for (uint32_t i = 0; i < q->n && r == 0; i++)
			r = change_set(q, &q->sets[i]);
		turn_sync(&q->l->turn, false);
	}
	if (r < 0)
		q->answered(q->arg, r, NULL, 0);
	else
		answer(q);
	request_free(q);
}

/*
 * The questions
 */

static void take_descs(struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		struct request_set *s = &q->sets[i];
		const struct link_meta_item *item;

		if (s->desc_item == SIZE_MAX)
			continue;
		item = &q->descs.items[s->desc_item];
		s->desc = item->desc;
		s->err = item->err;
	}
}

/* One question for each domain that somebody wants all of. */
static int ask_indoms(struct request *q)
{
	struct hash asked = HASH_INIT;
	int r = 0;

	for (uint32_t i = 0; i < q->n && r == 0; i++) {
		struct request_set *s = &q->sets[i];
		uint64_t hash = hash_u64(s->desc.indom);
		uintptr_t at;

		if (s->numval > 0 || s->err < 0 || s->desc.indom == PM_INDOM_NULL)
			continue;
		at = (uintptr_t)hash_find(&asked, hash, NULL, NULL);
		if (at == 0 && link_meta_add(&q->indoms, LINK_META_INDOM, 0, s->desc.indom) == NULL)
			r = -ENOMEM;
		if (at == 0 && r == 0) {
			at = q->indoms.n;
			r = hash_add(&asked, hash, (void *)at);
		}
		s->indom_item = at - 1;
	}
	hash_done(&asked);
	return r;
}

/* What the collector did not say, because it is gone. */
static void fail_rest(struct link_meta *meta, int err)
{
	for (size_t i = 0; i < meta->n; i++) {
		struct link_meta_item *item = &meta->items[i];
		bool has = item->kind == LINK_META_DESC ? item->desc.pmid == item->ident
							: item->insts != NULL;

		if (!has && item->err == 0)
			item->err = err;
	}
}

/* A slice of the questions: 1 while there are more, so that others get their turn in between. */
static int request_run(struct link_job *job, struct pmcd_link *link)
{
	struct request *q = CONTAINER_OF(job, struct request, job);
	int r = 0;

	if (!q->descs_known) {
		if (q->descs.next < q->descs.n)
			r = link_meta_some(&q->descs, link,
					   creates(q) ? SLICE_NAMES : SLICE_DESCS, creates(q));
		if (r > 0)
			return 1;
		if (r < 0)
			fail_rest(&q->descs, r);
		q->descs_known = true;
		take_descs(q);
		return ask_indoms(q) < 0 ? -ENOMEM : 1;
	}
	if (q->indoms.next < q->indoms.n)
		r = link_meta_some(&q->indoms, link, SLICE_INDOMS, false);
	if (r < 0)
		fail_rest(&q->indoms, r);
	return r > 0;
}

static void on_known(struct link_job *job)
{
	struct request *q = CONTAINER_OF(job, struct request, job);

	if (q->l->ending || job->err < 0) {
		q->answered(q->arg, q->l->ending ? -ESHUTDOWN : job->err, NULL, 0);
		request_free(q);
		return;
	}
	if (job->err > 0)
		pmcd_link_post(q->l->link, &q->job);
	else
		finish(q);
}

/* The number of the question for a descriptor: one for each metric, however often it is named. */
static int ask_desc(struct request *q, pmID pmid, size_t *ret_item)
{
	uint64_t hash = hash_u64(pmid);
	uintptr_t at = (uintptr_t)hash_find(&q->asked, hash, NULL, NULL);
	struct link_meta_item *item;

	if (at == 0) {
		item = link_meta_add(&q->descs, LINK_META_DESC, 0, pmid);
		at = q->descs.n;
		if (item == NULL || hash_add(&q->asked, hash, (void *)at) < 0)
			return -ENOMEM;
		item->desc = (pmDesc){.pmid = PM_ID_NULL, .type = PM_TYPE_NOSUPPORT,
				      .indom = PM_INDOM_NULL};
	}
	*ret_item = at - 1;
	return 0;
}

static int copy_set(struct request *q, const struct wire_control_set *from, struct request_set *s)
{
	const struct logging_metric *m = logging_find(&q->l->logging, from->pmid);

	*s = (struct request_set){.pmid = from->pmid, .numval = from->numval,
				  .desc_item = SIZE_MAX};
	if (from->numval > 0) {
		s->insts = arena_calloc(&q->mem, (size_t)from->numval, sizeof(*s->insts));
		if (s->insts == NULL)
			return -ENOMEM;
		for (int i = 0; i < from->numval; i++)
			s->insts[i] = from->insts[i].inst;
	}
	if (m != NULL) {
		s->desc = m->desc;
		return 0;
	}
	return ask_desc(q, from->pmid, &s->desc_item);
}

static int request_fill(struct request *q, const struct pdu_log_control *from)
{
	int r = 0;

	q->n = from->numpmid;
	q->sets = arena_calloc(&q->mem, q->n, sizeof(*q->sets));
	if (q->sets == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->n && r == 0; i++)
		r = copy_set(q, &from->sets[i], &q->sets[i]);
	return r;
}

/* True if nothing has to be asked. */
static bool is_known(const struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		const struct request_set *s = &q->sets[i];

		if (s->desc_item != SIZE_MAX ||
		    (s->numval <= 0 && s->desc.indom != PM_INDOM_NULL))
			return false;
	}
	return true;
}

static int check(const struct pdu_log_control *c)
{
	bool change = c->control == LOGGING_MANDATORY || c->control == LOGGING_ADVISORY;

	if ((!change && c->control != LOGGING_ENQUIRE) || c->numpmid == 0)
		return PM_ERR_IPC;
	if (change && (c->delta_ms < 0 || c->delta_ms > LOGGING_DELTA_MAX))
		return -EINVAL;
	return 0;
}

static struct request *request_new(struct logger *l, const struct pdu_log_control *c,
				   const char *client, logger_answered answered, void *arg)
{
	struct request *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return NULL;
	q->l = l;
	q->job = (struct link_job){.run = request_run, .done = on_known};
	q->client = arena_strndup(&q->mem, client, strlen(client));
	q->answered = answered;
	q->arg = arg;
	q->control = c->control;
	q->change = (struct logging_request){
	    .mandatory = c->control == LOGGING_MANDATORY,
	    .wish = c->state == LOGGING_ON      ? LOGGING_ON
		    : c->state == LOGGING_MAYBE ? LOGGING_MAYBE
						: LOGGING_OFF,
	    .delta_ms = c->state == LOGGING_ON ? (uint32_t)c->delta_ms : 0,
	};
	list_init(&q->in_list);
	list_add_tail(&l->requests, &q->in_list);
	if (q->client != NULL && request_fill(q, c) == 0)
		return q;
	request_free(q);
	return NULL;
}

void logger_control(struct logger *l, const struct pdu_log_control *request, const char *client,
		    logger_answered answered, void *arg)
{
	int r = l->ending ? -ESHUTDOWN : check(request);
	struct request *q;

	if (r < 0) {
		answered(arg, r, NULL, 0);
		return;
	}
	q = request_new(l, request, client, answered, arg);
	if (q == NULL)
		answered(arg, -ENOMEM, NULL, 0);
	else if (is_known(q))
		finish(q);
	else
		pmcd_link_post(l->link, &q->job);
}

void logger_drop_requests(struct logger *l, bool link_ended)
{
	LIST_FOR_EACH(node, &l->requests)
	{
		struct request *q = LIST_ENTRY(node, struct request, in_list);

		q->answered(q->arg, -ESHUTDOWN, NULL, 0);
		if (link_ended)
			request_free(q);
	}
}

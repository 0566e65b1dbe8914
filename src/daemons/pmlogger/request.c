/* request - see request.h. */
#include "daemons/pmlogger/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/turn.h"
#include "daemons/pmlogger/worker.h"
#include "libbase/cleanup.h"
#include "libwire/pdu.h"

static void request_free(struct request *q)
{
	list_del(&q->in_list);
	meta_query_done(&q->descs);
	meta_query_done(&q->indoms);
	hash_done(&q->asked);
	arena_done(&q->mem);
	free(q);
}

/*
 * Questions: what only the collector knows of a request, which are descriptors and names of metrics
 * that were never logged, and the instances of "all"
 */

/* Questions that are asked at a stretch: some milliseconds of the collector's time. */
enum { SLICE_DESCS = 4096, SLICE_NAMES = 512, SLICE_INDOMS = 16 };

/* The number of the question for a descriptor: one for each metric, however often it is named. 0 or
 * -ENOMEM. */
static int request_ask_desc(struct request *q, pmID pmid, size_t *ret_item)
{
	uint64_t hash = hash_u64(pmid);
	uintptr_t at = (uintptr_t)hash_find(&q->asked, hash, NULL, NULL);
	struct meta_query_item *item;

	if (at == 0) {
		item = meta_query_add(&q->descs, META_QUERY_DESC, 0, pmid);
		at = q->descs.n;
		if (item == NULL || hash_add(&q->asked, hash, (void *)at) < 0)
			return -ENOMEM;
		item->desc =
		    (pmDesc){.pmid = PM_ID_NULL, .type = PM_TYPE_NOSUPPORT, .indom = PM_INDOM_NULL};
	}
	*ret_item = at - 1;
	return 0;
}

/* True if nothing has to be asked. */
static bool request_is_known(const struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		const struct request_set *s = &q->sets[i];

		if (s->desc_item != SIZE_MAX ||
		    ((s->numval <= 0 || s->unnamed) && s->desc.indom != PM_INDOM_NULL))
			return false;
	}
	return true;
}

static void take_descs(struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		struct request_set *s = &q->sets[i];
		const struct meta_query_item *item;

		if (s->desc_item == SIZE_MAX)
			continue;
		item = &q->descs.items[s->desc_item];
		s->desc = item->desc;
		s->err = item->err;
	}
}

/* One question for each domain of which all instances, or names, are wanted. */
static int ask_indoms(struct request *q)
{
	struct hash asked = HASH_INIT;
	int r = 0;

	for (uint32_t i = 0; i < q->n && r == 0; i++) {
		struct request_set *s = &q->sets[i];
		uint64_t hash = hash_u64(s->desc.indom);
		uintptr_t at;

		if ((s->numval > 0 && !s->unnamed) || s->err < 0 || s->desc.indom == PM_INDOM_NULL)
			continue;
		at = (uintptr_t)hash_find(&asked, hash, NULL, NULL);
		if (at == 0 &&
		    meta_query_add(&q->indoms, META_QUERY_INDOM, 0, s->desc.indom) == NULL)
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

/* The parts that the collector did not answer, because it has ended. */
static void fail_rest(struct meta_query *meta, int err)
{
	for (size_t i = 0; i < meta->n; i++) {
		struct meta_query_item *item = &meta->items[i];
		bool has = item->kind == META_QUERY_DESC ? item->desc.pmid == item->ident
							 : item->insts != NULL;

		if (!has && item->err == 0)
			item->err = err;
	}
}

/* The job of the worker: a slice of the questions, so that others get their turn in between. 1
 * while there are more; 0; -ENOMEM. */
static int request_ask(struct worker_job *job, struct worker *worker)
{
	struct request *q = CONTAINER_OF(job, struct request, job);
	int r = 0;

	if (!q->descs_known) {
		bool names = q->control != LOGGING_ENQUIRE; /* for the log */

		if (q->descs.next < q->descs.n)
			r = meta_query_some(&q->descs, worker, names ? SLICE_NAMES : SLICE_DESCS,
					    names);
		if (r > 0)
			return 1;
		if (r < 0)
			fail_rest(&q->descs, r);
		q->descs_known = true;
		take_descs(q);
		return ask_indoms(q) < 0 ? -ENOMEM : 1;
	}
	if (q->indoms.next < q->indoms.n)
		r = meta_query_some(&q->indoms, worker, SLICE_INDOMS, false);
	if (r < 0)
		fail_rest(&q->indoms, r);
	return r > 0;
}

/*
 * The answer: states (docs/spec/logger.md B3)
 */

static struct wire_value request_status_of(const struct logging_metric *m, int inst)
{
	return (struct wire_value){.inst = inst, .insitu = logging_status(m, inst)};
}

static int request_compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Instances that a record once held and that are gone; at most room of them. */
static uint32_t put_gone(const struct logging_metric *m, const struct meta_query_item *now,
			 struct wire_value *values)
{
	const struct logging_seen *seen;
	size_t pos = 0;
	uint32_t n = 0;

	while (m != NULL && (seen = logging_seen_next(m, &pos)) != NULL) {
		if (bsearch(&seen->inst, now->insts, (size_t)now->n, sizeof(int),
			    request_compare_ints) == NULL)
			values[n++] = request_status_of(m, seen->inst);
	}
	return n;
}

static int answer_all(struct request *q, const struct request_set *s,
		      const struct logging_metric *m, struct wire_vset *ret)
{
	const struct meta_query_item *now = &q->indoms.items[s->indom_item];
	size_t room = (size_t)now->n + (m != NULL ? m->seen.count : 0);
	struct wire_value *values = arena_calloc(&q->mem, room + 1, sizeof(*values));
	uint32_t n = 0;

	if (values == NULL)
		return -ENOMEM;
	for (int i = 0; i < now->n; i++)
		values[n++] = request_status_of(m, now->insts[i]);
	if (q->control == LOGGING_ENQUIRE && now->n > 0)
		qsort(now->insts, (size_t)now->n, sizeof(int), request_compare_ints);
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
	values[0] = request_status_of(m, PM_IN_NULL);
	for (int i = 0; i < s->numval; i++)
		values[i] = request_status_of(m, s->insts[i]);
	ret->numval = n;
	ret->values = values;
	return 0;
}

static int answer_set(struct request *q, const struct request_set *s, struct wire_vset *ret)
{
	const struct logging_metric *m = logging_find(q->turn->logging, s->pmid);
	*ret = (struct wire_vset){.pmid = s->pmid, .valfmt = PM_VAL_INSITU};
	if (s->err < 0 && (s->numval <= 0 || request_creates(q))) {
		ret->numval = s->err;
		return 0;
	}
	if (s->numval <= 0 && s->desc.indom != PM_INDOM_NULL)
		return answer_all(q, s, m, ret);
	return answer_insts(q, s, m, ret);
}

static void request_answer(struct request *q)
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
	struct logging_metric *m = logging_find(q->turn->logging, s->pmid);
	const struct meta_query_item *item;
	char number[16];
	char *one[] = {number};

	if (m != NULL || s->err < 0 || s->desc_item == SIZE_MAX)
		return m;
	item = &q->descs.items[s->desc_item];
	if (!request_creates(q))
		return NULL; /* it is as they want it */
	pmIDStr_r(s->pmid, number, sizeof(number));
	return logging_add(q->turn->logging, &s->desc, item->n > 0 ? item->n : 1,
			   item->n > 0 ? item->names : one);
}

static int change_set(struct request *q, const struct request_set *s)
{
	struct logging_metric *m;
	int err = 0;

	if (s->numval < 0)
		return 0;
	m = make_known(q, s);
	if (m != NULL)
		logging_change(q->turn->logging, m, &q->change, s->insts, (size_t)s->numval, &err);
	if (err == 0)
		request_say(q, m, s);
	return err;
}

static void request_finish(struct request *q)
{
	int r = 0;

	if (q->control != LOGGING_ENQUIRE) {
		request_say_change(q->client, &q->change);
		for (uint32_t i = 0; i < q->n && r == 0; i++)
			r = change_set(q, &q->sets[i]);
		turn_sync(q->turn, false);
	}
	if (r < 0)
		q->answered(q->arg, r, NULL, 0);
	else
		request_answer(q);
	request_free(q);
}

static void on_known(struct worker_job *job)
{
	struct request *q = CONTAINER_OF(job, struct request, job);

	if (q->turn->bounds->ending || job->err < 0) {
		q->answered(q->arg, q->turn->bounds->ending ? -ESHUTDOWN : job->err, NULL, 0);
		request_free(q);
		return;
	}
	if (job->err > 0)
		worker_post(q->turn->worker, &q->job);
	else
		request_finish(q);
}

static int copy_set(struct request *q, const struct wire_control_set *from, struct request_set *s)
{
	const struct logging_metric *m = logging_find(q->turn->logging, from->pmid);

	*s = (struct request_set){.pmid = from->pmid,
				  .numval = from->numval,
				  .desc_item = SIZE_MAX,
				  .indom_item = SIZE_MAX};
	if (from->numval > 0) {
		s->insts = arena_calloc(&q->mem, (size_t)from->numval, sizeof(*s->insts));
		if (s->insts == NULL)
			return -ENOMEM;
		for (int i = 0; i < from->numval; i++)
			s->insts[i] = from->insts[i].inst;
	}
	if (m != NULL)
		s->desc = m->desc;
	for (int i = 0; i < from->numval && request_creates(q); i++)
		s->unnamed = s->unnamed || m == NULL ||
			     request_inst_name(q, m->desc.indom, s->insts[i]) == NULL;
	if (m != NULL)
		return 0;
	if (from->numval > 0 && q->control == LOGGING_ENQUIRE)
		return 0; /* nothing is known of it, and need be */
	return request_ask_desc(q, from->pmid, &s->desc_item);
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

static int request_check(const struct pdu_log_control *c)
{
	bool change = c->control == LOGGING_MANDATORY || c->control == LOGGING_ADVISORY;

	if ((!change && c->control != LOGGING_ENQUIRE) || c->numpmid == 0)
		return PM_ERR_IPC;
	if (change && (c->delta_ms < 0 || c->delta_ms > LOGGING_DELTA_MAX))
		return -EINVAL;
	return 0;
}

static struct request *request_new(struct requests *all, const struct pdu_log_control *c,
				   const char *client, control_answered answered, void *arg)
{
	struct request *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return NULL;
	q->turn = all->turn;
	q->job = (struct worker_job){.run = request_ask, .done = on_known};
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
	list_add_tail(&all->all, &q->in_list);
	if (q->client != NULL && request_fill(q, c) == 0)
		return q;
	request_free(q);
	return NULL;
}

void requests_init(struct requests *all, struct turn *turn)
{
	all->turn = turn;
	list_init(&all->all);
}

void requests_control(struct requests *all, const struct pdu_log_control *asked, const char *client,
		      control_answered answered, void *arg)
{
	int r = all->turn->bounds->ending ? -ESHUTDOWN : request_check(asked);
	struct request *q;

	if (r < 0) {
		answered(arg, r, NULL, 0);
		return;
	}
	q = request_new(all, asked, client, answered, arg);
	if (q == NULL)
		answered(arg, -ENOMEM, NULL, 0);
	else if (request_is_known(q))
		request_finish(q);
	else
		worker_post(q->turn->worker, &q->job);
}

void requests_drop(struct requests *all, bool worker_ended)
{
	LIST_FOR_EACH (node, &all->all) {
		struct request *q = LIST_ENTRY(node, struct request, in_list);

		q->answered(q->arg, -ESHUTDOWN, NULL, 0);
		if (worker_ended)
			request_free(q);
	}
}

/* request_answer - the states that a request is answered with (docs/spec/logger.md B3). */
#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/logger_own.h"
#include "daemons/pmlogger/request.h"

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
	if (s->err < 0 && (s->numval <= 0 || request_creates(q))) {
		ret->numval = s->err;
		return 0;
	}
	if (s->numval <= 0 && s->desc.indom != PM_INDOM_NULL)
		return answer_all(q, s, m, ret);
	return answer_insts(q, s, m, ret);
}

void request_answer(struct request *q)
{
	struct wire_vset *sets = arena_calloc(&q->mem, q->n, sizeof(*sets));
	int r = sets == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; i < q->n && r == 0; i++)
		r = answer_set(q, &q->sets[i], &sets[i]);
	q->answered(q->arg, r, sets, r == 0 ? q->n : 0);
}

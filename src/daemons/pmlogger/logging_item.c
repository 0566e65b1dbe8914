/* logging_item - see logging_item.h. */
#include "daemons/pmlogger/logging_item.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/logging_state.h"

static bool item_eq(const void *entry, const void *key)
{
	return ((const struct logging_item *)entry)->inst == *(const int *)key;
}

/*
 * Tasks
 */

static struct logging_task *task_new(struct logging *l, const struct logging_request *r)
{
	struct logging_task *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	list_init(&t->items);
	t->mandatory = r->mandatory;
	t->configured = r->configured;
	t->delta_ms = r->delta_ms;
	list_init(&t->in_tasks);
	list_add_tail(r->configured ? &l->tasks : l->tasks.next, &t->in_tasks);
	return t;
}

void logging_task_free(struct logging_task *task)
{
	list_del(&task->in_tasks);
	free(task);
}

struct logging_task *logging_task_for(struct logging *l, const struct logging_request *r)
{
	bool shared = r->delta_ms > 0 || r->configured;

	LIST_FOR_EACH (pos, &l->tasks) {
		struct logging_task *t = LIST_ENTRY(pos, struct logging_task, in_tasks);

		if (shared && t->mandatory == r->mandatory && t->delta_ms == r->delta_ms)
			return t;
	}
	return task_new(l, r);
}

/*
 * Items
 */

struct logging_item *logging_item_of(const struct logging_metric *m, int inst)
{
	if (m->all != NULL)
		return m->all;
	return hash_find(&m->insts, logging_hash_inst(inst), item_eq, &inst);
}

void logging_item_leave(struct logging_item *item)
{
	if (item->task == NULL)
		return;
	list_del(&item->in_task);
	item->task->nitem--;
	item->task->changed = true;
	item->task = NULL;
}

void logging_item_join(struct logging_item *item, struct logging_task *task)
{
	item->task = task;
	list_add_tail(&task->items, &item->in_task);
	task->nitem++;
	task->changed = true;
}

static void item_free(struct logging *l, struct logging_item *item)
{
	logging_item_leave(item);
	list_del(&item->in_also);
	l->nitem--;
	free(item);
}

struct logging_item *logging_item_new(struct logging *l, struct logging_metric *m, int inst,
				      bool whole, bool also)
{
	struct logging_item *item = calloc(1, sizeof(*item));

	if (item == NULL)
		return NULL;
	item->metric = m;
	item->inst = inst;
	item->whole = whole;
	list_init(&item->in_task);
	list_init(&item->in_also);
	if (also) {
		list_add_tail(&m->also, &item->in_also);
	} else if (whole) {
		m->all = item;
	} else if (hash_add(&m->insts, logging_hash_inst(inst), item) < 0) {
		free(item);
		return NULL;
	}
	l->nitem++;
	return item;
}

void logging_item_drop(struct logging *l, struct logging_item *item)
{
	struct logging_metric *m = item->metric;

	if (item == m->all)
		m->all = NULL;
	else
		hash_del(&m->insts, logging_hash_inst(item->inst), item);
	item_free(l, item);
}

void logging_insts_free(struct logging *l, struct logging_metric *m)
{
	struct logging_item *item;
	size_t pos = 0;

	while ((item = hash_next(&m->insts, &pos)) != NULL)
		item_free(l, item);
	hash_done(&m->insts);
	m->insts = HASH_INIT;
}

/*
 * Items of further statements
 */

/* True if an item of the list "also" is about this instance; NULL: any is. */
static bool also_is_of(const struct logging_item *item, const int *inst)
{
	return inst == NULL || (!item->whole && item->inst == *inst);
}

void logging_also_drop(struct logging *l, struct logging_metric *m, const int *inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (also_is_of(item, inst))
			item_free(l, item);
	}
}

bool logging_also_mandatory(const struct logging_metric *m, const int *inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		const struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (item->task->mandatory && also_is_of(item, inst))
			return true;
	}
	return false;
}

const struct logging_item *logging_also_of(const struct logging_metric *m, int inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		const struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (!item->whole && item->inst == inst)
			return item;
	}
	return NULL;
}

int logging_also_add(struct logging *l, struct logging_metric *m, int inst, bool whole,
		     struct logging_task *task)
{
	struct logging_item *item;

	LIST_FOR_EACH (pos, &m->also) {
		item = LIST_ENTRY(pos, struct logging_item, in_also);
		if (item->task == task && item->whole == whole && item->inst == inst)
			return 0;
	}
	item = logging_item_new(l, m, inst, whole, true);
	if (item == NULL)
		return -ENOMEM;
	logging_item_join(item, task);
	return 0;
}

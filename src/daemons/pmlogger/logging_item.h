/*
 * logging_item - the items of a metric, and the tasks that they are in (logging_state.h has the
 * structs).
 *
 * An item is in one task or in none, and counts in its task and in the whole state. It belongs to
 * its metric, as "all", as one of insts, or in the list "also". These functions keep the three in
 * agreement; logging_change.c decides which item changes.
 */
#ifndef PMLOGGER_LOGGING_ITEM_H
#define PMLOGGER_LOGGING_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/hash.h"

struct logging;
struct logging_item;
struct logging_metric;
struct logging_request;
struct logging_task;

static inline uint64_t logging_hash_inst(int inst)
{
	return hash_u64((uint32_t)inst);
}

/* The task of the request: an existing one that it shares, else a new one. NULL when out of memory.
 */
struct logging_task *logging_task_for(struct logging *l, const struct logging_request *r);

/* The item of the metric's "all", else that of the instance; NULL if there is none. */
struct logging_item *logging_item_of(const struct logging_metric *m, int inst);

/*
 * A new item without a task. whole: of all instances; also: of a further statement. The metric owns
 * it. NULL when out of memory.
 */
struct logging_item *logging_item_new(struct logging *l, struct logging_metric *m, int inst,
				      bool whole, bool also);

/* Moves an item out of its task, if it has one, and into a task. */
void logging_item_leave(struct logging_item *item);
void logging_item_join(struct logging_item *item, struct logging_task *task);

/* Frees an item that is the metric's "all" or one of its insts. */
void logging_item_drop(struct logging *l, struct logging_item *item);

/* Frees all items of insts. */
void logging_insts_free(struct logging *l, struct logging_metric *m);

/* Frees the items of further statements about an instance; inst NULL: all of them. */
void logging_also_drop(struct logging *l, struct logging_metric *m, const int *inst);

/* True if a further statement about the instance (NULL: any) is mandatory. */
bool logging_also_mandatory(const struct logging_metric *m, const int *inst);

/* The first item of a further statement that names the instance; NULL if there is none. */
const struct logging_item *logging_also_of(const struct logging_metric *m, int inst);

/* Makes the task log these instances, too. 0 or -ENOMEM. */
int logging_also_add(struct logging *l, struct logging_metric *m, int inst, bool whole,
		     struct logging_task *task);

#endif

/*
 * prepare - metrics that are new to the archive: labels, texts and descriptors are found and
 * written before they are fetched for the first time, while all others are recorded as before.
 *
 *     new --> waiting: a batch asks for it, in slices, among other jobs of the worker --> described
 *                |                                                                       ^
 *                +-- connection lost, or another archive begun: new again                |
 *     a few, and all of a new archive: their first record asks for what it needs --------+
 *
 * A batch is independent of tasks, which may come and go meanwhile. Its metadata count as known
 * only when the answers are written: a record that needs the same asks by itself (metadata.h), so
 * that metadata are before the data that need them in any case. A batch's labels have the time of
 * the last record: they were true before the first that needs them.
 */
#ifndef PMLOGGER_PREPARE_H
#define PMLOGGER_PREPARE_H

#include <stdbool.h>

#include "libbase/list.h"

struct logging_task;
struct worker;
struct recorder;

struct prepare {
	struct worker *worker;
	struct recorder *recorder;
	struct list batches;
	/* Some metrics do not wait any more; lost: they are as new as before. */
	void (*done)(struct prepare *p, bool lost);
};

void prepare_init(struct prepare *p, struct worker *worker, struct recorder *recorder,
		  void (*done)(struct prepare *p, bool lost));

/* Begins a batch for the task's metrics that are new, if they are more than a few, alone or with
 * those of other tasks that have changed. 1 if any of its metrics waits, 0 if none does; -ENOMEM.
 */
int prepare_task(struct prepare *p, const struct list *tasks, const struct logging_task *task);

/* Called after the worker thread has ended. */
void prepare_done(struct prepare *p);

#endif

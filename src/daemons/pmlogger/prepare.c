/* prepare - see prepare.h. */
#include "daemons/pmlogger/prepare.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/recorder.h"
#include "daemons/pmlogger/worker.h"
#include "libbase/cleanup.h"

/* So few are not worth another fetch: their first record asks for what it needs, at a stretch. */
enum { FEW = 8 };

struct batch {
	struct list in_list;
	struct prepare *p;
	struct meta_query meta;
	unsigned int epoch; /* of the archive */
	size_t n;
	struct logging_metric *metrics[];
};

static void batch_free(struct batch *b)
{
	list_del(&b->in_list);
	meta_query_done(&b->meta);
	free(b);
}

/* Nobody waits for it any more: it is described, or as new as before. */
static void prepare_release(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->metrics[i]->waiting = false;
}

static void prepare_on_answers(struct worker_job *job)
{
	struct batch *b = CONTAINER_OF(job, struct batch, meta.job);
	struct prepare *p = b->p;
	bool lost = b->meta.lost;
	bool same = b->epoch == p->recorder->metadata.epoch;

	if (!lost && job->err > 0 && same) {
		worker_post(p->worker, job);
		return;
	}
	if (same && lost)
		metadata_forget(&p->recorder->metadata, &b->meta);
	if (same && !lost && recorder_describe(p->recorder, &b->meta) == 0) {
		for (size_t i = 0; i < b->n; i++)
			b->metrics[i]->described = b->epoch;
	}
	prepare_release(b);
	batch_free(b);
	p->done(p, lost);
}

/* Metrics of a task, each once: those that are new, into b if that is not NULL. */
static size_t prepare_gather(const struct logging_task *task, unsigned int epoch, struct batch *b)
{
	size_t n = 0;

	LIST_FOR_EACH (node, &task->items) {
		struct logging_metric *m = LIST_ENTRY(node, struct logging_item, in_task)->metric;

		if (m->waiting || m->described == epoch)
			continue;
		n++;
		if (b != NULL) {
			m->waiting = true;
			b->metrics[b->n++] = m;
		}
	}
	return n;
}

/* Tasks that came together, with a few each: what they come to, into b if that is not NULL. */
static size_t gather_small(const struct list *tasks, unsigned int epoch, struct batch *b)
{
	size_t total = 0;

	LIST_FOR_EACH (node, tasks) {
		const struct logging_task *task = LIST_ENTRY(node, struct logging_task, in_tasks);
		size_t n = task->changed ? prepare_gather(task, epoch, NULL) : 0;

		if (n == 0 || n > FEW)
			continue;
		total += n;
		if (b != NULL)
			prepare_gather(task, epoch, b);
	}
	return total;
}

/* Of one task; NULL: of all small ones. */
static int prepare_begin(struct prepare *p, const struct list *tasks,
			 const struct logging_task *task, size_t room)
{
	struct recorder *r = p->recorder;
	struct batch *b = calloc(1, sizeof(*b) + room * sizeof(struct logging_metric *));
	int err;

	if (b == NULL)
		return -ENOMEM;
	b->p = p;
	b->epoch = r->metadata.epoch;
	b->meta.job = (struct worker_job){.run = meta_query_run, .done = prepare_on_answers};
	list_add_tail(&p->batches, &b->in_list);
	if (task != NULL)
		prepare_gather(task, b->epoch, b);
	else
		gather_small(tasks, b->epoch, b);
	err = metadata_ahead(&r->metadata, r->w, b->metrics, b->n, &b->meta);
	if (err == 0) {
		worker_post(p->worker, &b->meta.job);
		return 0;
	}
	metadata_forget(&r->metadata, &b->meta);
	prepare_release(b);
	batch_free(b);
	return err;
}

static bool any_waits(const struct logging_task *task)
{
	LIST_FOR_EACH (node, &task->items) {
		if (LIST_ENTRY(node, struct logging_item, in_task)->metric->waiting)
			return true;
	}
	return false;
}

int prepare_task(struct prepare *p, const struct list *tasks, const struct logging_task *task)
{
	unsigned int epoch = p->recorder->metadata.epoch;
	size_t room;
	int r = 0;

	if (p->recorder->w == NULL)
		return 0; /* the first record of the next archive asks */
	room = prepare_gather(task, epoch, NULL);
	if (room > FEW)
		r = prepare_begin(p, tasks, task, room);
	else if (room > 0 && (room = gather_small(tasks, epoch, NULL)) > FEW)
		r = prepare_begin(p, tasks, NULL, room);
	return r < 0 ? r : any_waits(task);
}

void prepare_init(struct prepare *p, struct worker *worker, struct recorder *recorder,
		  void (*done)(struct prepare *p, bool lost))
{
	*p = (struct prepare){.worker = worker, .recorder = recorder, .done = done};
	list_init(&p->batches);
}

void prepare_done(struct prepare *p)
{
	if (p->worker == NULL)
		return;
	LIST_FOR_EACH (node, &p->batches) {
		batch_free(LIST_ENTRY(node, struct batch, in_list));
	}
}

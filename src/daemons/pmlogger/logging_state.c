/* logging_state - see logging_state.h. */
#include "daemons/pmlogger/logging_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmlogger/logging_item.h"

static bool seen_eq(const void *entry, const void *key)
{
	return ((const struct logging_seen *)entry)->inst == *(const int *)key;
}

static bool metric_eq(const void *entry, const void *key)
{
	return ((const struct logging_metric *)entry)->desc.pmid == *(const pmID *)key;
}

/*
 * Metrics
 */

static void names_free(char **names, int n)
{
	for (int i = 0; names != NULL && i < n; i++)
		free(names[i]);
	free(names);
}

static char **names_copy(char *const *names, int n)
{
	char **copy = calloc((size_t)n + 1, sizeof(*copy));

	for (int i = 0; copy != NULL && i < n; i++) {
		copy[i] = strdup(names[i]);
		if (copy[i] == NULL) {
			names_free(copy, i);
			return NULL;
		}
	}
	return copy;
}

static void metric_free(struct logging *l, struct logging_metric *m)
{
	struct logging_seen *seen;
	size_t pos = 0;

	logging_also_drop(l, m, NULL);
	if (m->all != NULL)
		logging_item_drop(l, m->all);
	logging_insts_free(l, m);
	while ((seen = hash_next(&m->seen, &pos)) != NULL)
		free(seen);
	hash_done(&m->seen);
	names_free(m->names, m->nnames);
	free(m);
}

struct logging_metric *logging_find(const struct logging *l, pmID pmid)
{
	return hash_find(&l->metrics, hash_u64(pmid), metric_eq, &pmid);
}

struct logging_metric *logging_add(struct logging *l, const pmDesc *desc, int nnames,
				   char *const *names)
{
	struct logging_metric *m = logging_find(l, desc->pmid);

	if (m != NULL)
		return m;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return NULL;
	list_init(&m->also);
	m->desc = *desc;
	m->nnames = nnames;
	m->names = names_copy(names, nnames);
	if (m->names == NULL || hash_add(&l->metrics, hash_u64(desc->pmid), m) < 0) {
		metric_free(l, m);
		return NULL;
	}
	return m;
}

int logging_add_name(struct logging_metric *m, const char *name)
{
	char **more;

	for (int i = 0; i < m->nnames; i++) {
		if (strcmp(m->names[i], name) == 0)
			return 0;
	}
	more = realloc(m->names, ((size_t)m->nnames + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	m->names = more;
	more[m->nnames] = strdup(name);
	if (more[m->nnames] == NULL)
		return -ENOMEM;
	m->nnames++;
	return 0;
}

void logging_init(struct logging *l)
{
	l->metrics = HASH_INIT;
	list_init(&l->tasks);
	l->nitem = 0;
}

void logging_done(struct logging *l)
{
	struct logging_metric *m;
	size_t pos = 0;

	while ((m = hash_next(&l->metrics, &pos)) != NULL)
		metric_free(l, m);
	hash_done(&l->metrics);
	LIST_FOR_EACH (node, &l->tasks)
		logging_task_free(LIST_ENTRY(node, struct logging_task, in_tasks));
}

/*
 * Status
 */

uint32_t logging_bits(const struct logging_metric *m, int inst)
{
	const struct logging_item *item = m != NULL ? logging_item_of(m, inst) : NULL;
	const struct logging_item *named =
	    item != NULL && item->whole ? logging_also_of(m, inst) : NULL;
	uint32_t bits = 0;

	if (item == NULL)
		return 0;
	if (named != NULL)
		item = named;
	if (item->task == NULL)
		return LOGGING_BIT_MANDATORY;
	bits = LOGGING_BIT_ON | (item->task->mandatory ? LOGGING_BIT_MANDATORY : 0);
	return bits | item->task->delta_ms << LOGGING_DELTA_SHIFT;
}

uint32_t logging_status(const struct logging_metric *m, int inst)
{
	const struct logging_seen *seen;

	if (m == NULL)
		return 0;
	seen = hash_find(&m->seen, logging_hash_inst(inst), seen_eq, &inst);
	return logging_bits(m, inst) | (seen != NULL ? LOGGING_BIT_INLOG : 0) |
	       (seen != NULL && seen->avail ? LOGGING_BIT_AVAIL : 0);
}

/*
 * History
 */

/* True if a task is to log an instance: only then its absence from a record says anything. */
static bool is_logged_by(const struct logging_metric *m, int inst, const struct logging_task *task)
{
	const struct logging_item *item = logging_item_of(m, inst);

	if (item != NULL && item->task == task)
		return true;
	LIST_FOR_EACH (pos, &m->also) {
		item = LIST_ENTRY(pos, struct logging_item, in_also);
		if (item->task == task && (item->whole || item->inst == inst))
			return true;
	}
	return false;
}

int logging_saw(struct logging_metric *m, const struct logging_task *task, const int *insts,
		size_t n)
{
	struct logging_seen *seen;
	size_t pos = 0;

	while ((seen = hash_next(&m->seen, &pos)) != NULL) {
		if (seen->task == task && is_logged_by(m, seen->inst, task))
			seen->avail = false;
	}
	for (size_t i = 0; i < n; i++) {
		seen = hash_find(&m->seen, logging_hash_inst(insts[i]), seen_eq, &insts[i]);
		if (seen == NULL) {
			seen = calloc(1, sizeof(*seen));
			if (seen == NULL ||
			    hash_add(&m->seen, logging_hash_inst(insts[i]), seen) < 0) {
				free(seen);
				return -ENOMEM;
			}
			seen->inst = insts[i];
		}
		seen->avail = true;
		seen->task = task;
	}
	return 0;
}

const struct logging_seen *logging_seen_next(const struct logging_metric *m, size_t *pos)
{
	return hash_next(&m->seen, pos);
}

bool logging_primed(struct logging_metric *m, int inst)
{
	struct logging_seen *seen =
	    m->primes ? hash_find(&m->seen, logging_hash_inst(inst), seen_eq, &inst) : NULL;
	bool primed = seen != NULL && seen->prime;

	if (primed)
		seen->prime = false;
	return primed;
}

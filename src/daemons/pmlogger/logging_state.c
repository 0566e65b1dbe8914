/* logging_state - see logging_state.h. */
#include "daemons/pmlogger/logging_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_inst(int inst)
{
	return hash_u64((uint32_t)inst);
}

static bool item_eq(const void *entry, const void *key)
{
	return ((const struct logging_item *)entry)->inst == *(const int *)key;
}

static bool seen_eq(const void *entry, const void *key)
{
	return ((const struct logging_seen *)entry)->inst == *(const int *)key;
}

static bool metric_eq(const void *entry, const void *key)
{
	return ((const struct logging_metric *)entry)->desc.pmid == *(const pmID *)key;
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

/* The task of the request: one that is there, else a new one. */
static struct logging_task *task_for(struct logging *l, const struct logging_request *r)
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

static struct logging_item *item_of(const struct logging_metric *m, int inst)
{
	if (m->all != NULL)
		return m->all;
	return hash_find(&m->insts, hash_inst(inst), item_eq, &inst);
}

static void item_leave_task(struct logging_item *item)
{
	if (item->task == NULL)
		return;
	list_del(&item->in_task);
	item->task->nitem--;
	item->task->changed = true;
	item->task = NULL;
}

static void item_join_task(struct logging_item *item, struct logging_task *task)
{
	item->task = task;
	list_add_tail(&task->items, &item->in_task);
	task->nitem++;
	task->changed = true;
}

static void item_free(struct logging *l, struct logging_item *item)
{
	item_leave_task(item);
	list_del(&item->in_also);
	l->nitem--;
	free(item);
}

static struct logging_item *item_new(struct logging *l, struct logging_metric *m, int inst,
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
	} else if (hash_add(&m->insts, hash_inst(inst), item) < 0) {
		free(item);
		return NULL;
	}
	l->nitem++;
	return item;
}

static void item_drop(struct logging *l, struct logging_item *item)
{
	struct logging_metric *m = item->metric;

	if (item == m->all)
		m->all = NULL;
	else
		hash_del(&m->insts, hash_inst(item->inst), item);
	item_free(l, item);
}

/*
 * Items of further statements
 */

/* True if an item of the list "also" is about this instance; NULL: any is. */
static bool also_is_of(const struct logging_item *item, const int *inst)
{
	return inst == NULL || (!item->whole && item->inst == *inst);
}

static void also_drop(struct logging *l, struct logging_metric *m, const int *inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (also_is_of(item, inst))
			item_free(l, item);
	}
}

static bool also_mandatory(const struct logging_metric *m, const int *inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		const struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (item->task->mandatory && also_is_of(item, inst))
			return true;
	}
	return false;
}

/* The first of an instance; NULL if there is none. */
static const struct logging_item *also_of(const struct logging_metric *m, int inst)
{
	LIST_FOR_EACH (pos, &m->also) {
		const struct logging_item *item = LIST_ENTRY(pos, struct logging_item, in_also);

		if (!item->whole && item->inst == inst)
			return item;
	}
	return NULL;
}

/* The task logs these instances, too. 0 or -ENOMEM. */
static int also_add(struct logging *l, struct logging_metric *m, int inst, bool whole,
		    struct logging_task *task)
{
	struct logging_item *item;

	LIST_FOR_EACH (pos, &m->also) {
		item = LIST_ENTRY(pos, struct logging_item, in_also);
		if (item->task == task && item->whole == whole && item->inst == inst)
			return 0;
	}
	item = item_new(l, m, inst, whole, true);
	if (item == NULL)
		return -ENOMEM;
	item_join_task(item, task);
	return 0;
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

static void insts_free(struct logging *l, struct logging_metric *m)
{
	struct logging_item *item;
	size_t pos = 0;

	while ((item = hash_next(&m->insts, &pos)) != NULL)
		item_free(l, item);
	hash_done(&m->insts);
	m->insts = HASH_INIT;
}

static void metric_free(struct logging *l, struct logging_metric *m)
{
	struct logging_seen *seen;
	size_t pos = 0;

	also_drop(l, m, NULL);
	if (m->all != NULL)
		item_drop(l, m->all);
	insts_free(l, m);
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
 * The table
 */

enum current { ADV_OFF, ADV_ON, MAND_ON, MAND_OFF, CURRENTS };
enum request { TO_MAND_ON, TO_MAND_OFF, TO_MAND_MAYBE, TO_ADV_ON, TO_ADV_OFF, REQUESTS };
enum verdict { SET, CLEAR, KEEP, REFUSE }; /* KEEP: as it is, which is what was asked for */

/* clang-format off */
static const enum verdict table[CURRENTS][REQUESTS] = {
	/*            mandatory on  off  maybe  advisory on  off */
	[ADV_OFF]  = { SET,         SET, CLEAR, SET,         CLEAR },
	[ADV_ON]   = { SET,         SET, KEEP,  SET,         CLEAR },
	[MAND_ON]  = { SET,         SET, CLEAR, REFUSE,      REFUSE },
	[MAND_OFF] = { SET,         SET, CLEAR, REFUSE,      REFUSE },
};
/* clang-format on */

static enum current current_of(const struct logging_item *item)
{
	if (item == NULL)
		return ADV_OFF;
	if (item->task == NULL)
		return MAND_OFF;
	return item->task->mandatory ? MAND_ON : ADV_ON;
}

/* An advisory MAYBE, which no client of ours sends, is OFF. */
static enum request logging_request_of(const struct logging_request *r)
{
	if (r->wish == LOGGING_ON)
		return r->mandatory ? TO_MAND_ON : TO_ADV_ON;
	if (!r->mandatory)
		return TO_ADV_OFF;
	return r->wish == LOGGING_MAYBE ? TO_MAND_MAYBE : TO_MAND_OFF;
}

static enum verdict logging_judge(enum current now, const struct logging_request *r)
{
	enum verdict v = table[now][logging_request_of(r)];

	return v == KEEP && r->configured ? CLEAR : v; /* in a file the later one wins (A2.5) */
}

/* The change in progress. */
struct change {
	struct logging *l;
	struct logging_metric *m;
	const struct logging_request *r;
	struct logging_task *task; /* of all that this request turns on */
	bool refused;
	int err;
};

static void change_task(struct change *c)
{
	if (c->task == NULL && c->r->wish == LOGGING_ON)
		c->task = task_for(c->l, c->r);
	if (c->task == NULL && c->r->wish == LOGGING_ON)
		c->err = -ENOMEM;
}

static void set_item(struct change *c, struct logging_item *item, int inst, bool whole)
{
	change_task(c);
	if (c->err == 0 && item == NULL)
		item = item_new(c->l, c->m, inst, whole, false);
	if (item == NULL)
		c->err = -ENOMEM;
	if (c->err < 0 || item->task == c->task)
		return;
	item_leave_task(item);
	if (c->task != NULL)
		item_join_task(item, c->task);
}

/* True if a statement of the configuration about a whole metric meets an earlier one that turned it
 * on: both are logged. Of two about the same explicit instances the later one wins. */
static bool is_second(const struct change *c, const struct logging_item *item)
{
	return c->r->configured && item != NULL && item->whole && item->task != NULL;
}

/*
 * Both statements keep their tasks, and one that turns off has no effect. The state that clients
 * see is that of the first, or of the first mandatory one.
 */
static void change_second(struct change *c, struct logging_item *item)
{
	struct logging_task *first = item->task;

	if (c->r->wish != LOGGING_ON)
		return;
	change_task(c);
	if (c->err < 0 || c->task == first)
		return;
	if (first->mandatory || !c->task->mandatory) {
		c->err = also_add(c->l, c->m, item->inst, item->whole, c->task);
		return;
	}
	c->err = also_add(c->l, c->m, item->inst, item->whole, first);
	if (c->err == 0)
		set_item(c, item, item->inst, item->whole);
}

/* A request of a control client replaces the statements for these instances. */
static void forget_statements(struct change *c, int inst, bool whole)
{
	if (!c->r->configured)
		also_drop(c->l, c->m, whole ? NULL : &inst);
}

static void change_item(struct change *c, struct logging_item *item, int inst, bool whole)
{
	enum current now = current_of(item);
	enum verdict v;

	if (now == ADV_ON && also_mandatory(c->m, whole ? NULL : &inst))
		now = MAND_ON;
	v = logging_judge(now, c->r);
	if (v != REFUSE && is_second(c, item)) {
		change_second(c, item);
		return;
	}
	switch (v) {
	case SET:
		forget_statements(c, inst, whole);
		set_item(c, item, inst, whole);
		break;
	case CLEAR:
		forget_statements(c, inst, whole);
		if (item != NULL)
			item_drop(c->l, item);
		break;
	case REFUSE:
		c->refused = true;
		break;
	case KEEP:
		break;
	}
}

static bool any_mandatory(const struct logging_metric *m)
{
	const struct logging_item *item;
	size_t pos = 0;

	while ((item = hash_next(&m->insts, &pos)) != NULL) {
		if (current_of(item) != ADV_ON)
			return true;
	}
	return false;
}

static bool any_on(const struct logging_metric *m)
{
	const struct logging_item *item;
	size_t pos = 0;

	while ((item = hash_next(&m->insts, &pos)) != NULL) {
		if (item->task != NULL)
			return true;
	}
	return false;
}

/* The instances that earlier statements named are logged as these say, beside all. */
static void logging_keep_insts(struct change *c)
{
	struct logging_item *item;
	size_t pos = 0;

	while ((item = hash_next(&c->m->insts, &pos)) != NULL && c->err == 0) {
		if (item->task != NULL && item->task != c->task)
			c->err = also_add(c->l, c->m, item->inst, false, item->task);
	}
}

static void widen_to_all(struct change *c)
{
	change_task(c);
	if (c->err == 0 && c->r->configured)
		logging_keep_insts(c);
	if (c->err < 0)
		return;
	insts_free(c->l, c->m);
	set_item(c, NULL, PM_IN_NULL, true);
}

/* All instances, where some were named before: they count as one. */
static void widen(struct change *c)
{
	enum current now = any_mandatory(c->m) || also_mandatory(c->m, NULL) ? MAND_ON : ADV_ON;
	enum verdict v = logging_judge(now, c->r);

	if (v != REFUSE && c->r->configured && c->r->wish != LOGGING_ON && any_on(c->m))
		return;
	switch (v) {
	case SET:
		forget_statements(c, PM_IN_NULL, true);
		widen_to_all(c);
		break;
	case CLEAR:
		forget_statements(c, PM_IN_NULL, true);
		insts_free(c->l, c->m);
		break;
	case REFUSE:
		c->refused = true;
		break;
	case KEEP:
		break;
	}
}

static void change_all(struct change *c)
{
	if (c->m->insts.count > 0)
		widen(c);
	else
		change_item(c, c->m->all, PM_IN_NULL, true);
}

/* A statement for instances of a metric that an earlier one logs as "all". */
static void change_beside_all(struct change *c, const int *insts, size_t n)
{
	if (logging_judge(current_of(c->m->all), c->r) == REFUSE) {
		c->refused = true;
		return;
	}
	if (c->r->wish != LOGGING_ON)
		return;
	change_task(c);
	for (size_t i = 0; i < n && c->err == 0 && c->task != c->m->all->task; i++)
		c->err = also_add(c->l, c->m, insts[i], false, c->task);
}

/* A control client takes nothing out of "all instances" (A3): first they must be off. */
static void change_insts(struct change *c, const int *insts, size_t n)
{
	if (c->m->all != NULL && c->r->configured) {
		change_beside_all(c, insts, n);
		return;
	}
	if (c->m->all != NULL) {
		c->refused = !logging_agrees(c->m, PM_IN_NULL, c->r);
		return;
	}
	for (size_t i = 0; i < n && c->err == 0; i++)
		change_item(c, item_of(c->m, insts[i]), insts[i], false);
}

static bool is_on(const struct logging_metric *m, int inst)
{
	return (logging_bits(m, inst) & LOGGING_BIT_ON) != 0;
}

/* Events of the time in which they were not recorded: instances that are off now ... */
static void note_off(struct logging_metric *m)
{
	struct logging_seen *seen;
	size_t pos = 0;

	while ((seen = hash_next(&m->seen, &pos)) != NULL)
		seen->was_off = !is_on(m, seen->inst);
}

/* ... and on then. */
static void prime(struct logging_metric *m)
{
	struct logging_seen *seen;
	size_t pos = 0;

	while ((seen = hash_next(&m->seen, &pos)) != NULL) {
		seen->prime = is_on(m, seen->inst) && (seen->prime || seen->was_off);
		m->primes = m->primes || seen->prime;
	}
}

bool logging_primed(struct logging_metric *m, int inst)
{
	struct logging_seen *seen =
	    m->primes ? hash_find(&m->seen, hash_inst(inst), seen_eq, &inst) : NULL;
	bool primed = seen != NULL && seen->prime;

	if (primed)
		seen->prime = false;
	return primed;
}

bool logging_change(struct logging *l, struct logging_metric *m, const struct logging_request *r,
		    const int *insts, size_t n, int *ret_err)
{
	struct logging_request request = *r;
	struct change c = {.l = l, .m = m, .r = &request};
	bool events = m->desc.type == PM_TYPE_EVENT || m->desc.type == PM_TYPE_HIGHRES_EVENT;
	bool primes = events && !r->configured && r->wish == LOGGING_ON && r->delta_ms > 0;

	if (primes)
		note_off(m);
	if (r->wish != LOGGING_ON)
		request.delta_ms = 0;
	if (m->desc.indom == PM_INDOM_NULL || n == 0)
		change_all(&c);
	else
		change_insts(&c, insts, n);
	if (primes)
		prime(m);
	*ret_err = c.err;
	return !c.refused;
}

/*
 * Status
 */

uint32_t logging_bits(const struct logging_metric *m, int inst)
{
	const struct logging_item *item = m != NULL ? item_of(m, inst) : NULL;
	const struct logging_item *named = item != NULL && item->whole ? also_of(m, inst) : NULL;
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

bool logging_agrees(const struct logging_metric *m, int inst, const struct logging_request *r)
{
	uint32_t bits = logging_bits(m, inst), want;

	switch (logging_request_of(r)) {
	case TO_MAND_ON:
	case TO_ADV_ON:
		want = LOGGING_BIT_ON | (r->mandatory ? LOGGING_BIT_MANDATORY : 0);
		return bits == (want | r->delta_ms << LOGGING_DELTA_SHIFT);
	case TO_MAND_OFF:
		return bits == LOGGING_BIT_MANDATORY;
	case TO_MAND_MAYBE:
		return (bits & ~(uint32_t)LOGGING_BIT_ON) == 0; /* as pmlc judges */
	default:
		return bits == 0;
	}
}

uint32_t logging_status(const struct logging_metric *m, int inst)
{
	const struct logging_seen *seen;

	if (m == NULL)
		return 0;
	seen = hash_find(&m->seen, hash_inst(inst), seen_eq, &inst);
	return logging_bits(m, inst) | (seen != NULL ? LOGGING_BIT_INLOG : 0) |
	       (seen != NULL && seen->avail ? LOGGING_BIT_AVAIL : 0);
}

/*
 * History
 */

/* True if a task is to log an instance: only then its absence from a record says anything. */
static bool is_logged_by(const struct logging_metric *m, int inst, const struct logging_task *task)
{
	const struct logging_item *item = item_of(m, inst);

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
		seen = hash_find(&m->seen, hash_inst(insts[i]), seen_eq, &insts[i]);
		if (seen == NULL) {
			seen = calloc(1, sizeof(*seen));
			if (seen == NULL || hash_add(&m->seen, hash_inst(insts[i]), seen) < 0) {
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

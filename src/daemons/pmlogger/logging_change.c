/*
 * logging_change - the states that a request gives to instances (logging_state.h;
 * docs/spec/logger.md A2.5, A3).
 *
 * The table decides: it has a row for each present state and a column for each request. The rest
 * follows from two differences. A statement of the configuration does not replace an earlier one
 * about a whole metric: both are logged. A request of a control client replaces all statements for
 * its instances.
 */
#include <errno.h>

#include "daemons/pmlogger/logging_item.h"
#include "daemons/pmlogger/logging_state.h"

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
		c->task = logging_task_for(c->l, c->r);
	if (c->task == NULL && c->r->wish == LOGGING_ON)
		c->err = -ENOMEM;
}

static void set_item(struct change *c, struct logging_item *item, int inst, bool whole)
{
	change_task(c);
	if (c->err == 0 && item == NULL)
		item = logging_item_new(c->l, c->m, inst, whole, false);
	if (item == NULL)
		c->err = -ENOMEM;
	if (c->err < 0 || item->task == c->task)
		return;
	logging_item_leave(item);
	if (c->task != NULL)
		logging_item_join(item, c->task);
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
		c->err = logging_also_add(c->l, c->m, item->inst, item->whole, c->task);
		return;
	}
	c->err = logging_also_add(c->l, c->m, item->inst, item->whole, first);
	if (c->err == 0)
		set_item(c, item, item->inst, item->whole);
}

/* A request of a control client replaces the statements for these instances. */
static void forget_statements(struct change *c, int inst, bool whole)
{
	if (!c->r->configured)
		logging_also_drop(c->l, c->m, whole ? NULL : &inst);
}

static void change_item(struct change *c, struct logging_item *item, int inst, bool whole)
{
	enum current now = current_of(item);
	enum verdict v;

	if (now == ADV_ON && logging_also_mandatory(c->m, whole ? NULL : &inst))
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
			logging_item_drop(c->l, item);
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
			c->err = logging_also_add(c->l, c->m, item->inst, false, item->task);
	}
}

static void widen_to_all(struct change *c)
{
	change_task(c);
	if (c->err == 0 && c->r->configured)
		logging_keep_insts(c);
	if (c->err < 0)
		return;
	logging_insts_free(c->l, c->m);
	set_item(c, NULL, PM_IN_NULL, true);
}

/* All instances, where some were named before: they count as one. */
static void widen(struct change *c)
{
	enum current now =
	    any_mandatory(c->m) || logging_also_mandatory(c->m, NULL) ? MAND_ON : ADV_ON;
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
		logging_insts_free(c->l, c->m);
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
		c->err = logging_also_add(c->l, c->m, insts[i], false, c->task);
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
		change_item(c, logging_item_of(c->m, insts[i]), insts[i], false);
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

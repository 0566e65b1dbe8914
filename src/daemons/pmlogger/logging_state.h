/*
 * logging_state - what is logged, and how: the states of metrics and instances, the tasks that they
 * make, and the history that control clients ask for (docs/spec/logger.md A1, A3, B3.1).
 *
 *     metric --- items: one for all instances, or one each of those that were named
 *       |          |
 *       |          +--> task: all items of one state and interval that are fetched together
 *       |
 *       +--- also: items of further statements of the configuration; each is logged, too
 *       +--- seen: instances that a record held
 *
 * logging_change.c has the changes of state, logging_item.c the items and tasks, logging_state.c
 * the rest.
 *
 * Pure: no clock, no collector, no files. Requests cost what they name: a metric, an instance and a
 * task are found in constant time.
 */
#ifndef PMLOGGER_LOGGING_STATE_H
#define PMLOGGER_LOGGING_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"
#include "libbase/list.h"

enum { LOGGING_DELTA_MAX = 0x0fffffff }; /* ms */

/* Values of docs/spec/logger.md B3. */
enum logging_control { LOGGING_MANDATORY = 11, LOGGING_ADVISORY = 12, LOGGING_ENQUIRE = 13 };
enum logging_wish { LOGGING_OFF = 0, LOGGING_MAYBE = 1, LOGGING_ON = 2 };

/* Bits of a status word; from bit 4 on it holds the interval. */
enum logging_bit {
	LOGGING_BIT_ON = 1u << 0,
	LOGGING_BIT_MANDATORY = 1u << 1,
	LOGGING_BIT_AVAIL = 1u << 2,
	LOGGING_BIT_INLOG = 1u << 3,
	LOGGING_DELTA_SHIFT = 4,
};

struct logging_task {
	struct list in_tasks;
	struct list items;
	size_t nitem;
	bool mandatory;
	bool configured;   /* it began in the configuration */
	uint32_t delta_ms; /* 0: once */
	bool changed;      /* items came or went since the owner of this flag cleared it */
	void *owned;       /* the scheduler's; NULL: it does not know the task yet */
};

struct logging_metric;

struct logging_item {
	struct list in_task; /* a list of its own if there is no task */
	struct logging_metric *metric;
	struct logging_task *task; /* NULL: mandatory off */
	int inst;                  /* PM_IN_NULL: all instances, or a metric without a domain */
	bool whole;                /* all instances, those that come later too */
	struct list in_also; /* a list of its own if it is the metric's all, or one of insts */
};

struct logging_seen {
	int inst;
	bool avail;   /* in the newest record of its task */
	bool was_off; /* before the request in hand */
	bool prime;   /* see logging_primed */
	const struct logging_task *task;
};

struct logging_metric {
	pmDesc desc;
	char **names; /* owned; at least one */
	int nnames;
	struct logging_item *all; /* NULL: see insts */
	struct hash insts;        /* struct logging_item by instance */
	struct list also;
	struct hash seen;       /* struct logging_seen by instance */
	void *mark;             /* scratch of a walk over items */
	bool primes;            /* some of seen do */
	unsigned int described; /* number of the newest archive that has its metadata; 0: none */
	bool waiting;           /* for its metadata: not to be fetched yet */
};

struct logging {
	struct hash metrics;
	struct list tasks; /* in the order in which they are served */
	size_t nitem;
};

void logging_init(struct logging *l);
/* Tasks must not be owned any more. */
void logging_done(struct logging *l);

/* The metric, or NULL if it was never spoken of. */
struct logging_metric *logging_find(const struct logging *l, pmID pmid);

/*
 * Makes a metric known; one that is known already is returned as it is. names are copied. NULL when
 * out of memory.
 */
struct logging_metric *logging_add(struct logging *l, const pmDesc *desc, int nnames,
				   char *const *names);

/* Adds the name by which a metric was asked for, where its agent does not list it with the others.
 * 0; -ENOMEM. */
int logging_add_name(struct logging_metric *m, const char *name);

struct logging_request {
	bool mandatory;
	enum logging_wish wish;
	uint32_t delta_ms; /* of ON */
	/*
	 * It is from a configuration: statements of one state and interval share a task, also
	 * "once" ones, and MAYBE clears. Otherwise it comes from a control client: new tasks are
	 * served first, and each "once" is one.
	 */
	bool configured;
};

/*
 * Changes the state of some instances of a metric (n 0: all; a metric without a domain has one), as
 * the table of A3 has it. Instances that the table refuses stay as they are. True: none was
 * refused; else logging_agrees finds the refused ones. *ret_err is -ENOMEM if that ended it, or 0.
 */
bool logging_change(struct logging *l, struct logging_metric *m, const struct logging_request *r,
		    const int *insts, size_t n, int *ret_err);

/* True if the state of an instance (PM_IN_NULL: all) is now what the request asks for. */
bool logging_agrees(const struct logging_metric *m, int inst, const struct logging_request *r);

/* The status word of an instance; metric NULL: 0. */
uint32_t logging_status(const struct logging_metric *m, int inst);

/* ON and MANDATORY as they apply to an instance: bits of the status word, and the interval. */
uint32_t logging_bits(const struct logging_metric *m, int inst);

/*
 * A record of a task holds these instances of a metric (n 0: none). 0 or -ENOMEM.
 */
int logging_saw(struct logging_metric *m, const struct logging_task *task, const int *insts,
		size_t n);

/*
 * True once for an instance of an event metric that a control client has turned on again: events
 * that its agent kept for us while it was off are in the next values, and are not to be recorded.
 * Not for "once".
 */
bool logging_primed(struct logging_metric *m, int inst);

/* Instances that were seen: start with *pos = 0; NULL at the end. */
const struct logging_seen *logging_seen_next(const struct logging_metric *m, size_t *pos);

/* Frees a task without items. */
void logging_task_free(struct logging_task *task);

#endif

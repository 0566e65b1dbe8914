/*
 * apply - a configuration becomes the first state of what is logged (docs/spec/logger.md A2.4,
 * A2.5). In the worker thread, while the loop waits; and later for names that were nothing before.
 */
#ifndef PMLOGGER_APPLY_H
#define PMLOGGER_APPLY_H

#include "libbase/list.h"

struct config;
struct dynamic_root;
struct worker;
struct turn;

struct apply {
	struct config *config;
	struct turn *turn; /* its state of what is logged, and its tasks */
	struct worker *worker;
	struct dynamic_root *roots; /* names that are not metrics yet; in config->mem */
	struct list looks;          /* at these, that wait for the collector */
};

void apply_init(struct apply *a, struct config *config, struct turn *turn);

/* Looks at the configuration's names, and says what is wrong with it, in the worker thread while
 * the loop waits. 0; -EINVAL; -errno. */
int apply_config(struct apply *a, struct worker *worker);

/* Names that were nothing before are looked at again. */
void apply_look(struct apply *a);

/* Drops what is still under way. Called after the worker thread has ended. */
void apply_drop(struct apply *a);

#endif

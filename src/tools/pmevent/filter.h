/* filter - which events are wanted: by name, process and fields. */
#ifndef PMEVENT_FILTER_H
#define PMEVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/common/wordlist.h"

struct condition;
struct record;

/* All zero wants everything. */
struct filter {
	struct wordlist events;       /* patterns; one must fit */
	struct wordlist processes;    /* numbers, or patterns of commands; one must fit */
	struct condition *conditions; /* all must hold */
	size_t n_conditions;
};

/* 0, or the error of condition_parse. */
int filter_add_condition(struct filter *f, const char *text);

/*
 * An instance "4711 worker" or "4711.2 worker" is of process 4711 and command "worker"; any other
 * has its name as command. NULL, no instance, is of no process.
 */
bool filter_wants_instance(const struct filter *f, const char *instance);

/* Of a wanted instance. Of missed records nobody knows: they are always wanted. */
bool filter_wants(const struct filter *f, const struct record *r);

void filter_done(struct filter *f);

#endif

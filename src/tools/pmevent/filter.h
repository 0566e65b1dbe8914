/* filter - which events are wanted: by name, process and fields. */
#ifndef PMEVENT_FILTER_H
#define PMEVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/common/wordlist.h"

struct condition;
struct record;

/* An all-zero filter lets every event pass. */
struct filter {
	struct wordlist events;       /* patterns; one must match */
	struct wordlist processes;    /* process ids, or patterns of commands; one must match */
	struct condition *conditions; /* all must be true */
	size_t n_conditions;
};

/* Returns 0, or the error of condition_parse. */
int filter_add_condition(struct filter *f, const char *text);

/*
 * True if events of the instance are wanted. An instance "4711 worker" or "4711.2 worker" belongs
 * to process 4711 and command "worker"; the name of any other is its command. NULL: no instance, no
 * process.
 */
bool filter_wants_instance(const struct filter *f, const char *instance);

/*
 * True if the record, of a wanted instance, is wanted. Records about missed events always pass,
 * because their names are unknown.
 */
bool filter_wants(const struct filter *f, const struct record *r);

void filter_done(struct filter *f);

#endif

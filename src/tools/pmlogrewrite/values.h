/*
 * values - the values of a record as a plan wants them.
 */
#ifndef PMLOGREWRITE_VALUES_H
#define PMLOGREWRITE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

struct plan;
struct plan_metric;
struct result_view;

struct values {
	const struct plan *plan;
	struct arena mem; /* of the record that was rewritten last */
	bool any;         /* some metric's values change */
	bool doubled;     /* two metrics that became one were in one record */
	/* After an error: which value could not become what. */
	const struct plan_metric *metric;
	int from, to;
};

void values_begin(struct values *v, const struct plan *plan);
void values_end(struct values *v);

/* True if something in a record is to be changed. */
bool values_touch(const struct values *v, const struct result_view *view);

/*
 * The sets of a record as they are to be: *ret_sets, valid until the next call and as long as the
 * result. How many; an error of a conversion, and what it was about stands in v; -ENOMEM.
 */
int values_rewrite(struct values *v, const pmHighResResult *in, pmValueSet ***ret_sets);

/* A number of a metric, scaled and converted as its plan says. 0; as values_rewrite. */
int values_number(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
		  pmAtomValue *ret);

#endif

/*
 * values - rewrites the values of a record according to a plan.
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
	struct arena mem; /* memory of the record that was rewritten last */
	bool any;         /* the values of some metric change */
	bool doubled;     /* a record had two metrics that became one */
	/* After an error: the value that could not be converted. */
	const struct plan_metric *metric;
	int from, to;
};

void values_begin(struct values *v, const struct plan *plan);
void values_end(struct values *v);

/* True if a record has anything to be changed. */
bool values_touch(const struct values *v, const struct result_view *view);

/*
 * Rewrites the sets of a record: *ret_sets, valid until the next call and no longer than the
 * result. Returns their number; the error of a conversion, with details in v; -ENOMEM.
 */
int values_rewrite(struct values *v, const pmHighResResult *in, pmValueSet ***ret_sets);

/*
 * Scales and converts a number of a metric according to its plan. Returns 0 or an error as
 * values_rewrite does.
 */
int values_number(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
		  pmAtomValue *ret);

#endif

/*
 * eval - the values of a derived metric, from those of its operands (docs/spec/pmapi.md 18.6).
 *
 * Each node keeps the memory of its values from fetch to fetch, so that a fetch of as many values
 * as before allocates nothing.
 */
#ifndef LIBPCP_DERIVE_EVAL_H
#define LIBPCP_DERIVE_EVAL_H

#include <time.h>

#include "libpcp/derive/bound.h"

/*
 * Evaluates a good metric, whose operands have their values; eval_values has the outcome. The
 * context answers which names instances have. 0 or -ENOMEM.
 */
int eval_run(struct bound *b, struct context *ctx, const struct timespec *stamp);

const struct values *eval_values(const struct bound *b);

#endif

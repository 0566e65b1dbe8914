/*
 * plan - a fetch with derived metrics: what the source is asked for, and the result that is made of
 * its answer (docs/spec/pmapi.md 7, 18.6).
 *
 * The list for the source has the caller's other metrics and each operand once. It is kept, so that
 * the same fetch again makes no list. The result is one block, as that of any source.
 */
#ifndef LIBPCP_DERIVE_PLAN_H
#define LIBPCP_DERIVE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct context;
struct plan;

void plan_free(struct plan *plan);

/* True if one of the ids is that of a derived metric. */
bool plan_needed(size_t n, const pmID *pmids);

/* As the operation fetch of a context, whose lock is held. */
int plan_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result);

#endif

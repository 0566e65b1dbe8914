/*
 * derive_source - a source of metrics in memory, for tests of derived metrics.
 *
 *     t.i32 t.u32 t.i64 t.u64 t.float t.double   instances 1 "one", 2 "two", 3 "three men" of 1.1
 *     t.few    32, instances 1 and 3 of 1.1      t.other  32, instances 1 "a", 2 "b" of 1.2
 *     t.ctr    U32 counter, bytes                t.time   64 counter, milliseconds
 *     t.one    32                                t.text   string
 *     t.none   32, without a value               t.wrong  32, the error PM_ERR_AGAIN
 *
 * In fetch n (from 1) instance i has the value 10 * i + n; t.ctr and t.time have 1000 * n, t.one 1.
 * Fetches are two seconds apart.
 */
#ifndef TESTS_LIBPCP_DERIVE_SOURCE_H
#define TESTS_LIBPCP_DERIVE_SOURCE_H

#include "libpcp/context.h"

/* Counts of the questions to the source. */
extern unsigned int source_fetches;
extern size_t source_asked; /* metrics in the last fetch */

/* A context on it, to be released by source_done. */
void source_init(struct context *ctx);
void source_done(struct context *ctx);

#endif

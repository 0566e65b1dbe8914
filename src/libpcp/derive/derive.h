/*
 * derive - the derived metrics of a context: those for all contexts, and its own
 * (docs/spec/pmapi.md 18).
 *
 * The calls about names, descriptors, text and values ask here for what the source does not have.
 * ctx is held by the caller in all of them; NULL: there is no context, and so there are only names.
 * A metric of the context hides a global one of the same name.
 *
 * Locks          The global list has one mutex, in registry.c. It is held for a look-up in memory
 * or for one addition, and nothing is called with it but hash tables and malloc. Definitions of
 * this list are never released, so a pointer to one is used without the mutex. Texts of a
 * definition are set once, and read with the mutex held. All that a context has is guarded by the
 * lock of the context: its own definitions, bound metrics, operands, values and the plan. Order the
 * lock of a context, then the mutex; never the other way round. Waiting        While a metric is
 * bound or evaluated, the source is asked with the context's lock held, as in every other operation
 * of a context. The mutex is not held then, so that a slow source stops no other context. Start The
 * initial configuration is loaded under pthread_once. It reads files; it uses neither contexts nor
 * the network, so that no thread waits for a peer there. Per thread     the reason of the last
 * failure, see register.h. Memory         A fetch allocates the result, and the source its answer.
 * Lists, values and verdicts about instances are kept, and grow when there are more values than
 * before. Tests          tests/libpcp/test_derive*.c, tests/e2e/test_derived.py, fuzz/fuzz_derive.c
 */
#ifndef LIBPCP_DERIVE_DERIVE_H
#define LIBPCP_DERIVE_DERIVE_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpcp/derive/bound.h"
#include "libpcp/event.h"

struct context;
struct plan;

struct derive {
	struct deflist own; /* definitions of this context alone */
	struct bound_set global_bounds;
	struct bound_set own_bounds;
	struct plan *plan; /* of the fetch before; see plan.h */
};

/* Releases what a context has; NULL allowed. */
void derive_free(struct derive *d);

/* The derived metrics of the context, made when they are first needed. NULL: no memory. */
struct derive *derive_of(struct context *ctx);

/* The source is another one now: global metrics are bound again, those of the context are lost. */
void derive_reset(struct context *ctx);

/* True for an id that is a derived metric's, known or not. */
static inline bool derive_is_pmid(pmID pmid)
{
	return (pmid >> 22 & 511) == DYNAMIC_PMID && IS_DERIVED(pmid) &&
	       special_by_pmid(pmid) == NULL;
}

/* The definition, or NULL. */
const struct definition *derive_by_name(struct context *ctx, const char *name);
const struct definition *derive_by_pmid(struct context *ctx, pmID pmid);

/* The metric of an id, bound or new: 0; PM_ERR_PMID; -ENOMEM. */
int derive_find(struct context *ctx, pmID pmid, struct bound **ret_bound);

/* Binds n metrics of the context; see bound_bind. */
int derive_bind(struct context *ctx, struct bound *const *bounds, size_t n);

/* Binds the derived metrics among n ids, all at once: for questions about each of them. 0 or an
 * error, as bound_bind. */
int derive_prepare(struct context *ctx, size_t n, const pmID *pmids);

/* 0; PM_ERR_BADDERIVE; PM_ERR_PMID: there is no such metric; or an error of the source. */
int derive_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc);

/*
 * The names of all metrics, without those that are known to be bad: how many, in an array for the
 * caller; the names are borrowed. With bind all are bound first. Or -ENOMEM, or an error of the
 * source.
 */
int derive_names(struct context *ctx, bool bind, const char ***ret_names);

/* Text for the caller. 0; PM_ERR_TEXT; PM_ERR_PMID: the source may have it; -ENOMEM. */
int derive_text(struct context *ctx, pmID pmid, int level, char **ret_text);

#endif

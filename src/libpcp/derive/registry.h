/*
 * registry - definitions of derived metrics: one list for all contexts, and one a context
 * (docs/spec/pmapi.md 18.1).
 *
 * A definition never changes and lives as long as its list. The list for all contexts is never
 * released, so that its definitions can be used without a lock.
 *
 * Locking: the global list has a lock of its own, held for one look-up or one addition and never
 * across a call of anything else; parsing is done before it is taken. The list of a context is
 * guarded by the context's lock.
 */
#ifndef LIBPCP_DERIVE_REGISTRY_H
#define LIBPCP_DERIVE_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"
#include "libpcp/derive/expr.h"

struct definition {
	pmID pmid;
	char *name;
	struct expr expr;
	/* Attributes of the global ones, set once; see registry_text. */
	char *oneline;
	char *help;
};

/* A zeroed one is empty; released by deflist_done. */
struct deflist {
	struct definition **defs; /* in the order of registration */
	size_t n;
	size_t cap;
	struct hash by_name;
};

void deflist_done(struct deflist *list);

/* NULL: not there. */
struct definition *deflist_find(const struct deflist *list, const char *name);

/* An expression without a place yet, or one that failed. */
struct definition *definition_new(const char *name);
void definition_free(struct definition *def);

/* Adds a definition, which the list owns from now on. 0 or -ENOMEM: it is still the caller's. */
int deflist_add(struct deflist *list, struct definition *def);

/* ---- The global list ------------------------------------------------------------------------ */

/* NULL: there is none. */
const struct definition *registry_by_name(const char *name);
const struct definition *registry_by_pmid(pmID pmid);

/* How many there are, and the one at an index below that. */
size_t registry_count(void);
const struct definition *registry_at(size_t index);
size_t registry_index(pmID pmid);

/* Why a definition is not added. */
enum registry_refusal {
	REGISTRY_DUPLICATE = 1,
	REGISTRY_LIMIT,
	REGISTRY_FULL,
};

/* Adds a definition and gives it an id. 0, a refusal, or -ENOMEM: it is still the caller's. */
int registry_add(struct definition *def);

/* The limits, -1 for none: of the global list, and of each context. */
int registry_limit(bool global);
void registry_set_limit(bool global, int limit);

/* Sets an attribute: 0, -EEXIST for one that is set, -ENOMEM. */
int registry_set_text(const char *name, bool oneline, const char *text);

/* The one-line or help text of a global metric, or NULL. */
const char *registry_text(const struct definition *def, bool oneline);

/* The id of a context's definition number n, and the number of an id; -1: it is none of these. */
pmID registry_own_pmid(size_t n);
long registry_own_number(pmID pmid);

#endif

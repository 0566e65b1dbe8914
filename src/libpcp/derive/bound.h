/*
 * bound - derived metrics of one context: their operands are known there, and their descriptors are
 * made (docs/spec/pmapi.md 18.5).
 *
 * A metric is bound when it is first needed, with all others that are needed at the same time:
 * their names are one question to the source, and their descriptors another. An operand is one
 * object however many metrics use it, so that it is fetched and decoded once.
 *
 * Everything here is guarded by the context's lock.
 */
#ifndef LIBPCP_DERIVE_BOUND_H
#define LIBPCP_DERIVE_BOUND_H

#include "libpcp/derive/registry.h"
#include "libpcp/derive/rules.h"
#include "libpcp/derive/values.h"

struct context;

/* A metric of the source that expressions use. */
struct operand {
	pmDesc desc;
	struct values vals; /* of the fetch under way */
	unsigned int fetch; /* the number of the plan that the next are of */
	size_t place;       /* in the list that the source is asked for */
	bool used;          /* its values are needed */
};

/* Which instances are meant, by id: once found out they are kept. */
struct verdict {
	int inst;
	bool wanted;
};

struct bound_node {
	struct operand *metric; /* of a name */
	struct values vals;
	struct values last; /* delta(), rate(): of the operand in the fetch before */
	struct timespec last_stamp;
	bool has_last;
	struct verdict *verdicts; /* ascending */
	int nverdicts;
	int cap_verdicts;
};

enum bound_state {
	BOUND_NEW = 0,
	BOUND_GOOD,
	BOUND_BAD,
};

struct bound {
	const struct definition *def;
	enum bound_state state;
	const char *reason; /* why the rules refuse it, or NULL: an operand is missing */
	int wrong;          /* the node that they refuse */
	struct rule *rules; /* one a node, as the next */
	struct bound_node *nodes;
	unsigned int fetch; /* the number of the fetch that it was evaluated for */
};

/* Those of a context. A zeroed one is empty; released by bound_set_done. */
struct bound_set {
	struct bound **bounds; /* by the index of the definition */
	size_t cap;
	struct hash operands; /* by pmid */
	unsigned int plans;   /* counts the plans that were made, and the fetches */
	unsigned int fetches;
};

void bound_set_done(struct bound_set *set);

/* The metric of a definition with an index. NULL: no memory. */
struct bound *bound_get(struct bound_set *set, size_t index, const struct definition *def);

/* Forgets the metric at an index, whose definition is going to be released. */
void bound_drop(struct bound_set *set, size_t index);

/*
 * Binds those of n metrics that are new. A metric that cannot be bound is BOUND_BAD; one that the
 * rules refuse is reported if report is set. 0; -ENOMEM, or an error of the connection: the metrics
 * stay new.
 */
int bound_bind(struct bound_set *set, struct context *ctx, struct bound *const *bounds, size_t n,
	       bool report);

/* The operand with an id, or NULL. */
struct operand *bound_operand(const struct bound_set *set, pmID pmid);

/* The descriptor of a good one. */
pmDesc bound_desc(const struct bound *b);

#endif

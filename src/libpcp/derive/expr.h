/*
 * expr - an expression of a derived metric, as the grammar reads it
 * (docs/spec/pmapi.md 18.3, 18.4).
 *
 * The nodes are in one array in the order of evaluation: operands come before the node that uses
 * them, and the last node is the whole expression. Binding and evaluation are loops over the array,
 * so that no expression is too deep. An expression that is parsed never changes, and threads and
 * contexts share it.
 */
#ifndef LIBPCP_DERIVE_EXPR_H
#define LIBPCP_DERIVE_EXPR_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

enum expr_op {
	EXPR_CONST,
	EXPR_NAME,
	EXPR_ANON,
	/* Operators with two operands. */
	EXPR_PLUS,
	EXPR_MINUS,
	EXPR_STAR,
	EXPR_SLASH,
	EXPR_LT,
	EXPR_LEQ,
	EXPR_EQ,
	EXPR_GEQ,
	EXPR_GT,
	EXPR_NEQ,
	EXPR_AND,
	EXPR_OR,
	/* One operand. */
	EXPR_NOT,
	EXPR_NEG,
	EXPR_INSTANCE, /* x[instance] */
	EXPR_MATCHINST,
	EXPR_RESCALE,
	EXPR_SCALAR,
	/* Functions of a metric. */
	EXPR_AVG,
	EXPR_COUNT,
	EXPR_DELTA,
	EXPR_MAX,
	EXPR_MIN,
	EXPR_SUM,
	EXPR_RATE,
	EXPR_INSTANT,
	EXPR_DEFINED,
	/* Three: guard, value if true, value if false. */
	EXPR_TERNARY,
};

enum { EXPR_ARGS = 3, EXPR_NONE = -1 };

struct expr_node {
	enum expr_op op;
	int arg[EXPR_ARGS];     /* indexes of the operands; EXPR_NONE */
	const char *text;       /* of a name or number as written, the instance, or the pattern */
	size_t len;             /* of the text */
	bool negate;            /* matchinst: the instances that do not match */
	int type;               /* of a constant or anon(): PM_TYPE_* */
	int sem;                /* of a constant */
	pmUnits units;          /* of a constant, or what rescale() changes to */
	double scale;           /* the number that comes before the units of rescale() */
	pmAtomValue value;      /* of a constant */
	const regex_t *pattern; /* of matchinst() */
};

/* A pattern of matchinst(), which is released with the expression. */
struct expr_pattern {
	struct expr_pattern *next;
	const char *text;
	regex_t re;
};

/* Contents are released by expr_done; a zeroed struct is empty. */
struct expr {
	struct arena mem;
	struct expr_node *nodes;
	int n;
	int cap;
	struct expr_pattern *patterns;
};

void expr_done(struct expr *e);

/* The attributes of mkconst(), as far as they are given. */
struct expr_spec {
	bool has_type;
	bool has_sem;
	bool has_units;
	int type;
	int sem;
	pmUnits units;
};

/* Copies bytes of the source into the expression. NULL: no memory. */
char *expr_text(struct expr *e, const char *text, size_t len);

/*
 * Adds a node. Its index, or -ENOMEM. Texts are borrowed from expr_text; an operand that is
 * EXPR_NONE is not there.
 */
int expr_add(struct expr *e, enum expr_op op, int a, int b, int c);
int expr_add_text(struct expr *e, enum expr_op op, const char *text, int operand);

/* A number as it is written; a whole number fits 32 bits. */
int expr_add_number(struct expr *e, const char *text, bool whole);

/* The constant at the index gets these attributes. 0, or -EINVAL: the type has no fractions. */
int expr_set_spec(struct expr *e, int index, const struct expr_spec *spec);

/* Compiles a pattern. 0, -ENOMEM, or -EINVAL with the reason in buf. */
int expr_compile(struct expr *e, const char *pattern, struct expr_pattern **ret_pattern, char *buf,
		 size_t size);

/* matchinst(); see expr_add_text. */
int expr_add_match(struct expr *e, const struct expr_pattern *pattern, bool negate, int operand);

/* The node with a name, number or function as messages show it. */
const char *expr_op_name(enum expr_op op);

/* PM_TYPE_* or -1; PM_SEM_* or -1. In any case, without the prefix of the macro. */
int expr_type_of(const char *word);
int expr_sem_of(const char *word);

static inline bool expr_is_function(enum expr_op op)
{
	return op >= EXPR_AVG && op <= EXPR_DEFINED;
}

#endif

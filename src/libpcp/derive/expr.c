/* expr - see expr.h. */
#include "libpcp/derive/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libbase/cleanup.h"

enum { FIRST_CAP = 8 };

/* clang-format off */
static const char *const op_names[] = {
	[EXPR_PLUS] = "+",	[EXPR_MINUS] = "-",	[EXPR_STAR] = "*",	[EXPR_SLASH] = "/",
	[EXPR_LT] = "<",	[EXPR_LEQ] = "<=",	[EXPR_EQ] = "==",	[EXPR_GEQ] = ">=",
	[EXPR_GT] = ">",	[EXPR_NEQ] = "!=",	[EXPR_AND] = "&&",	[EXPR_OR] = "||",
	[EXPR_NOT] = "!",	[EXPR_NEG] = "-",	[EXPR_RESCALE] = "RESCALE",
	[EXPR_AVG] = "AVG",	[EXPR_COUNT] = "COUNT",	[EXPR_DELTA] = "DELTA",
	[EXPR_MAX] = "MAX",	[EXPR_MIN] = "MIN",	[EXPR_SUM] = "SUM",
	[EXPR_RATE] = "RATE",	[EXPR_INSTANT] = "INSTANT", [EXPR_DEFINED] = "DEFINED",
	[EXPR_TERNARY] = "?",
};

static const char *const type_names[] = {
	[PM_TYPE_32] = "32",		[PM_TYPE_U32] = "U32",	[PM_TYPE_64] = "64",
	[PM_TYPE_U64] = "U64",		[PM_TYPE_FLOAT] = "FLOAT", [PM_TYPE_DOUBLE] = "DOUBLE",
};
/* clang-format on */

const char *expr_op_name(enum expr_op op)
{
	return (size_t)op < ARRAY_SIZE(op_names) && op_names[op] != NULL ? op_names[op] : "";
}

int expr_type_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++) {
		if (strcasecmp(word, type_names[i]) == 0)
			return (int)i;
	}
	return -1;
}

int expr_sem_of(const char *word)
{
	if (strcasecmp(word, "counter") == 0)
		return PM_SEM_COUNTER;
	if (strcasecmp(word, "instant") == 0)
		return PM_SEM_INSTANT;
	return strcasecmp(word, "discrete") == 0 ? PM_SEM_DISCRETE : -1;
}

void expr_done(struct expr *e)
{
	for (struct expr_pattern *p = e->patterns; p != NULL; p = p->next)
		regfree(&p->re);
	free(e->nodes);
	arena_done(&e->mem);
	*e = (struct expr){0};
}

char *expr_text(struct expr *e, const char *text, size_t len)
{
	return arena_strndup(&e->mem, text, len);
}

int expr_add(struct expr *e, enum expr_op op, int a, int b, int c)
{
	if (e->n == e->cap) {
		int cap = e->cap == 0 ? FIRST_CAP : e->cap * 2;
		struct expr_node *nodes = reallocarray(e->nodes, (size_t)cap, sizeof(nodes[0]));

		if (nodes == NULL)
			return -ENOMEM;
		e->nodes = nodes;
		e->cap = cap;
	}
	e->nodes[e->n] = (struct expr_node){.op = op, .arg = {a, b, c}};
	return e->n++;
}

int expr_add_text(struct expr *e, enum expr_op op, const char *text, int operand)
{
	int i = expr_add(e, op, operand, EXPR_NONE, EXPR_NONE);

	if (i >= 0) {
		e->nodes[i].text = text;
		e->nodes[i].len = strlen(text);
	}
	return i;
}

int expr_add_number(struct expr *e, const char *text, bool whole)
{
	int i = expr_add_text(e, EXPR_CONST, text, EXPR_NONE);
	struct expr_node *node;

	if (i < 0)
		return i;
	node = &e->nodes[i];
	node->sem = PM_SEM_DISCRETE;
	node->type = whole ? PM_TYPE_U32 : PM_TYPE_DOUBLE;
	if (whole)
		node->value.ul = (uint32_t)strtoul(text, NULL, 10);
	else
		node->value.d = strtod(text, NULL);
	return i;
}

static pmAtomValue whole_as(uint32_t v, int type)
{
	switch (type) {
	case PM_TYPE_64:
		return (pmAtomValue){.ll = v};
	case PM_TYPE_U64:
		return (pmAtomValue){.ull = v};
	case PM_TYPE_FLOAT:
		return (pmAtomValue){.f = (float)v};
	case PM_TYPE_DOUBLE:
		return (pmAtomValue){.d = v};
	default:
		return (pmAtomValue){.ul = v}; /* as many bits as PM_TYPE_32 has */
	}
}

int expr_set_spec(struct expr *e, int index, const struct expr_spec *spec)
{
	struct expr_node *node = &e->nodes[index];
	bool whole = node->type == PM_TYPE_U32;

	node->sem = spec->sem;
	node->units = spec->units;
	if (!spec->has_type)
		return 0;
	if (whole)
		node->value = whole_as(node->value.ul, spec->type);
	else if (spec->type == PM_TYPE_FLOAT)
		node->value = (pmAtomValue){.f = (float)node->value.d};
	else if (spec->type != PM_TYPE_DOUBLE)
		return -EINVAL;
	node->type = spec->type;
	return 0;
}

int expr_compile(struct expr *e, const char *pattern, struct expr_pattern **ret_pattern, char *buf,
		 size_t size)
{
	struct expr_pattern *p = arena_alloc(&e->mem, sizeof(*p));
	int r;

	if (p == NULL)
		return -ENOMEM;
	r = regcomp(&p->re, pattern, REG_EXTENDED | REG_NOSUB);
	if (r != 0) {
		regerror(r, &p->re, buf, size);
		return r == REG_ESPACE ? -ENOMEM : -EINVAL;
	}
	p->text = pattern;
	p->next = e->patterns;
	e->patterns = p;
	*ret_pattern = p;
	return 0;
}

int expr_add_match(struct expr *e, const struct expr_pattern *pattern, bool negate, int operand)
{
	int i = expr_add_text(e, EXPR_MATCHINST, pattern->text, operand);

	if (i >= 0) {
		e->nodes[i].negate = negate;
		e->nodes[i].pattern = &pattern->re;
	}
	return i;
}

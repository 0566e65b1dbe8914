%{
/* grammar - an expression (docs/spec/pmapi.md 18.4). The rules with "error" tell mistakes apart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/derive/parse.h"

#include "grammar.tab.h"

int derive_yylex(DERIVE_YYSTYPE *lval, void *scanner);

static void derive_yyerror(void *scanner, struct parse *p, const char *text);
static int binary(struct parse *p, enum expr_op op, int a, int b);
static int unary(struct parse *p, enum expr_op op, int a);
static int name(struct parse *p, enum expr_op op, const char *text);
static int match(struct parse *p, const struct filter *filter, int operand);
static int rescale(struct parse *p, int operand, const char *units);
static int anonymous(struct parse *p, const char *type);
static int constant(struct parse *p, int number, const struct expr_spec *spec);
static int type_of(struct parse *p, const char *word, struct expr_spec *ret_spec);
static int sem_of(struct parse *p, const char *word, struct expr_spec *ret_spec);
static int units_of(struct parse *p, const char *word, struct expr_spec *ret_spec);
static void spec_merge(struct expr_spec *spec, const struct expr_spec *more);

/* The value of a rule that makes a node; without it the parse ends. */
#define MAKE(result, node)                                                                         \
	do {                                                                                       \
		(result) = (node);                                                                 \
		if ((result) < 0 && p->err == 0)                                                   \
			parse_nomem(p);                                                            \
		if (p->err != 0)                                                                   \
			YYABORT;                                                                   \
	} while (0)
#define FAIL(...)                                                                                  \
	do {                                                                                       \
		parse_fail(p, __VA_ARGS__);                                                        \
		YYABORT;                                                                           \
	} while (0)
#define AFTER(what)                                                                                \
	FAIL("Arithmetic or relational or boolean operator expected to follow %s", what)
#define ARITHMETIC(op) FAIL("Arithmetic expression expected to follow %s", op)
#define BOOLEAN(op)    FAIL("Boolean expression expected to follow %s", op)
%}

%define api.pure full
%define api.prefix {derive_yy}
%param {void *scanner}
%parse-param {struct parse *p}

%code requires {
#include "libpcp/derive/expr.h"

struct filter {
	const struct expr_pattern *pattern;
	bool negate;
};
}

%union {
	char *text;
	int node;
	struct expr_pattern *pattern;
	struct {
		const char *word;
		enum expr_op op;
	} call;
	struct expr_spec spec;
	struct filter filter;
}

%token WRONG "what is no word of the language"
%token LPAREN RPAREN COMMA ASSIGN
%token <text> NAME INTEGER DOUBLE STRING INSTANCE
%token <pattern> PATTERN
%token <call> FUNCTION DEFINED ANON MATCHINST MKCONST RESCALE SCALAR
%token TYPE SEMANTICS UNITS

%type <node> expr number function
%type <spec> spec specs
%type <filter> filter
%type <text> word

%left QUEST COLON
%left AND OR
%precedence NOT
%left LT LEQ EQ GEQ GT NEQ
%left PLUS MINUS
%left STAR SLASH

%%

definition:
	expr
	| expr LPAREN error		{ FAIL("Unexpected '('"); }
	| expr RPAREN error		{ FAIL("Unexpected ')'"); }
	| LPAREN error			{ FAIL("Unexpected initial '('"); }
	| RPAREN error			{ FAIL("Unexpected initial ')'"); }
	| PLUS error			{ FAIL("Unexpected initial '+'"); }
	| STAR error			{ FAIL("Unexpected initial '*'"); }
	| SLASH error			{ FAIL("Unexpected initial '/'"); }
	| LT error			{ FAIL("Unexpected initial '<'"); }
	| LEQ error			{ FAIL("Unexpected initial '<='"); }
	| EQ error			{ FAIL("Unexpected initial '=='"); }
	| GEQ error			{ FAIL("Unexpected initial '>='"); }
	| GT error			{ FAIL("Unexpected initial '>'"); }
	| NEQ error			{ FAIL("Unexpected initial '!='"); }
	| AND error			{ FAIL("Unexpected initial '&&'"); }
	| OR error			{ FAIL("Unexpected initial '||'"); }
	| QUEST error			{ FAIL("Unexpected initial '?'"); }
	| COLON error			{ FAIL("Unexpected initial ':'"); }
	;

expr:
	LPAREN expr RPAREN		{ $$ = $2; }
	| LPAREN expr RPAREN INSTANCE	{ MAKE($$, expr_add_text(p->e, EXPR_INSTANCE, $4, $2)); }
	| NAME				{ MAKE($$, name(p, EXPR_NAME, $1)); }
	| NAME INSTANCE			{ MAKE($$, name(p, EXPR_NAME, $1)); MAKE($$, expr_add_text(p->e, EXPR_INSTANCE, $2, $$)); }
	| NAME error			{ AFTER("NAME"); }
	| number
	| MKCONST LPAREN number COMMA specs RPAREN { MAKE($$, constant(p, $3, &$5)); }
	| function
	| expr PLUS expr		{ MAKE($$, binary(p, EXPR_PLUS, $1, $3)); }
	| expr PLUS error		{ ARITHMETIC("PLUS"); }
	| expr MINUS expr		{ MAKE($$, binary(p, EXPR_MINUS, $1, $3)); }
	| expr MINUS error		{ ARITHMETIC("MINUS"); }
	| expr STAR expr		{ MAKE($$, binary(p, EXPR_STAR, $1, $3)); }
	| expr STAR error		{ ARITHMETIC("STAR"); }
	| expr SLASH expr		{ MAKE($$, binary(p, EXPR_SLASH, $1, $3)); }
	| expr SLASH error		{ ARITHMETIC("SLASH"); }
	| expr LT expr			{ MAKE($$, binary(p, EXPR_LT, $1, $3)); }
	| expr LT error			{ ARITHMETIC("LT"); }
	| expr LEQ expr			{ MAKE($$, binary(p, EXPR_LEQ, $1, $3)); }
	| expr LEQ error		{ ARITHMETIC("LEQ"); }
	| expr EQ expr			{ MAKE($$, binary(p, EXPR_EQ, $1, $3)); }
	| expr EQ error			{ ARITHMETIC("EQ"); }
	| expr GEQ expr			{ MAKE($$, binary(p, EXPR_GEQ, $1, $3)); }
	| expr GEQ error		{ ARITHMETIC("GEQ"); }
	| expr GT expr			{ MAKE($$, binary(p, EXPR_GT, $1, $3)); }
	| expr GT error			{ ARITHMETIC("GT"); }
	| expr NEQ expr			{ MAKE($$, binary(p, EXPR_NEQ, $1, $3)); }
	| expr NEQ error		{ ARITHMETIC("NEQ"); }
	| expr AND expr			{ MAKE($$, binary(p, EXPR_AND, $1, $3)); }
	| expr AND error		{ BOOLEAN("AND"); }
	| expr OR expr			{ MAKE($$, binary(p, EXPR_OR, $1, $3)); }
	| expr OR error			{ BOOLEAN("OR"); }
	| expr QUEST expr COLON expr	{ MAKE($$, expr_add(p->e, EXPR_TERNARY, $1, $3, $5)); }
	| expr QUEST error		{ ARITHMETIC("QUEST"); }
	| expr QUEST expr COLON error	{ ARITHMETIC("COLON"); }
	| NOT expr			{ MAKE($$, unary(p, EXPR_NOT, $2)); }
	| NOT error			{ BOOLEAN("NOT"); }
	| MINUS expr			{ MAKE($$, unary(p, EXPR_NEG, $2)); }
	| MINUS error			{ ARITHMETIC("NEG"); }
	;

number: INTEGER				{ MAKE($$, expr_add_number(p->e, $1, true)); }
	| DOUBLE			{ MAKE($$, expr_add_number(p->e, $1, false)); }
	;

specs:
	spec				{ $$ = (struct expr_spec){.sem = PM_SEM_DISCRETE}; spec_merge(&$$, &$1); }
	| specs COMMA spec		{ $$ = $1; spec_merge(&$$, &$3); }
	;

spec:
	TYPE ASSIGN word		{ if (type_of(p, $3, &$$) < 0) YYABORT; }
	| SEMANTICS ASSIGN word		{ if (sem_of(p, $3, &$$) < 0) YYABORT; }
	| UNITS ASSIGN word		{ if (units_of(p, $3, &$$) < 0) YYABORT; }
	;

word:	NAME
	| STRING
	| INTEGER
	;

function:
	FUNCTION LPAREN NAME RPAREN	{ MAKE($$, unary(p, $1.op, name(p, EXPR_NAME, $3))); }
	| FUNCTION LPAREN error		{ FAIL("Metric name expected to follow %s(", $1.word); }
	| DEFINED LPAREN NAME RPAREN	{ MAKE($$, name(p, EXPR_DEFINED, $3)); }
	| ANON LPAREN NAME RPAREN	{ MAKE($$, anonymous(p, $3)); }
	| ANON LPAREN error		{ FAIL("Metric name expected to follow %s(", $1.word); }
	| RESCALE LPAREN expr COMMA STRING RPAREN { MAKE($$, rescale(p, $3, $5)); }
	| RESCALE LPAREN error		{ AFTER("rescale("); }
	| RESCALE LPAREN expr COMMA error { FAIL("Units string expected to follow rescale(<expr>,"); }
	| MATCHINST LPAREN filter COMMA expr RPAREN { MAKE($$, match(p, &$3, $5)); }
	| MATCHINST LPAREN error	{ FAIL("<filter>, <expr>) expected to follow matchinst("); }
	| MATCHINST LPAREN filter error	{ FAIL(", <expr>) expected to follow matchinst(<filter>"); }
	| MATCHINST LPAREN filter COMMA error { FAIL("<expr>) expected to follow matchinst(<filter>,"); }
	| SCALAR LPAREN expr RPAREN	{ MAKE($$, unary(p, EXPR_SCALAR, $3)); }
	| SCALAR LPAREN error		{ FAIL("<expr> expected to follow scalar("); }
	;

filter:
	PATTERN				{ $$.pattern = $1; $$.negate = false; }
	| NOT PATTERN			{ $$.pattern = $2; $$.negate = true; }
	;

%%

/* The scanner has moved on to the token that is wrong. */
static void derive_yyerror(void *scanner, struct parse *p, const char *text)
{
	if (p->err == 0)
		p->err = PM_ERR_BADDERIVE;
}

static int binary(struct parse *p, enum expr_op op, int a, int b)
{
	return expr_add(p->e, op, a, b, EXPR_NONE);
}

static int unary(struct parse *p, enum expr_op op, int a)
{
	return a < 0 ? a : expr_add(p->e, op, a, EXPR_NONE, EXPR_NONE);
}

static int name(struct parse *p, enum expr_op op, const char *text)
{
	return expr_add_text(p->e, op, text, EXPR_NONE);
}

static int match(struct parse *p, const struct filter *filter, int operand)
{
	p->matching = false;
	return expr_add_match(p->e, filter->pattern, filter->negate, operand);
}

static int parse_units(struct parse *p, const char *text, pmUnits *ret_units, double *ret_scale)
{
	char *why;
	int r = pmParseUnitsStr(text, ret_units, ret_scale, &why);

	if (r >= 0)
		return 0;
	if (why == NULL)
		return parse_nomem(p);
	parse_fail(p, "Illegal units: '%s'", why);
	free(why);
	return r;
}

static int rescale(struct parse *p, int operand, const char *text)
{
	pmUnits units;
	double scale;
	int i = parse_units(p, text, &units, &scale);

	if (i < 0)
		return i;
	i = unary(p, EXPR_RESCALE, operand);
	if (i >= 0) {
		p->e->nodes[i].units = units;
		p->e->nodes[i].scale = scale;
	}
	return i;
}

static int anonymous(struct parse *p, const char *word)
{
	int type = strncmp(word, "PM_TYPE_", 8) == 0 ? expr_type_of(word + 8) : -1;
	int i;

	if (type < 0) {
		parse_fail(p, "type=%s not allowed for anon()", word);
		return PM_ERR_BADDERIVE;
	}
	i = name(p, EXPR_ANON, word);
	if (i >= 0)
		p->e->nodes[i].type = type;
	return i;
}

static int constant(struct parse *p, int number, const struct expr_spec *spec)
{
	if (expr_set_spec(p->e, number, spec) < 0) {
		parse_fail(p, "Incompatible floating point constant and type '%s'",
			   pmTypeStr(spec->type));
		return PM_ERR_BADDERIVE;
	}
	return number;
}

static int type_of(struct parse *p, const char *word, struct expr_spec *ret_spec)
{
	int type = expr_type_of(word);

	if (type < 0) {
		parse_fail(p, "Unrecognized value for type '%s'", word);
		return PM_ERR_BADDERIVE;
	}
	*ret_spec = (struct expr_spec){.has_type = true, .type = type};
	return 0;
}

static int sem_of(struct parse *p, const char *word, struct expr_spec *ret_spec)
{
	int sem = expr_sem_of(word);

	if (sem < 0) {
		parse_fail(p, "Unrecognized value for semantics '%s'", word);
		return PM_ERR_BADDERIVE;
	}
	*ret_spec = (struct expr_spec){.has_sem = true, .sem = sem};
	return 0;
}

static int units_of(struct parse *p, const char *word, struct expr_spec *ret_spec)
{
	double scale;

	*ret_spec = (struct expr_spec){.has_units = true};
	return parse_units(p, word, &ret_spec->units, &scale);
}

/* A later attribute takes the place of an earlier one. */
static void spec_merge(struct expr_spec *spec, const struct expr_spec *more)
{
	if (more->has_type) {
		spec->has_type = true;
		spec->type = more->type;
	}
	if (more->has_sem)
		spec->sem = more->sem;
	if (more->has_units)
		spec->units = more->units;
}

/* parse - the grammar of a name space (docs/spec/pmcd.md 10.1). Its actions are in build.c. */

%define api.pure full
%define api.prefix {pmns_yy}
%define api.value.type {struct token}
%define parse.error custom
/* The message depends on what may follow, so nothing is reduced on a word that may not. */
%define lr.default-reduction consistent
%param {struct build *b}

%code requires {
#include "libpmns/build.h"
}

%code {
#include <errno.h>

static int pmns_yylex(struct token *lval, struct build *b);
static void pmns_yyerror(struct build *b, const char *what);
}

%token NAME PATH PMID OPEN CLOSE
%token WORD /* none of these */
%token SAID /* an error that was said already */

%%

/* The last node may lack its brace, as in 6.0.3. */
pmns:           nodes
        |       nodes open entries
        ;

nodes:          %empty
        |       nodes open entries CLOSE
        ;

open:           path OPEN               { if (build_open(b, $1) < 0) YYABORT; }
        ;

path:           NAME
        |       PATH
        ;

entries:        %empty
        |       entries entry
        ;

entry:          NAME                    { if (build_nonleaf(b, $1) < 0) YYABORT; }
        |       NAME PMID               { if (build_leaf(b, $1, $2) < 0) YYABORT; }
        ;

%%

static const int tokens[] = {
	[LEX_END] = PMNS_YYEOF, [LEX_NAME] = NAME,   [LEX_PATH] = PATH, [LEX_PMID] = PMID,
	[LEX_OPEN] = OPEN,      [LEX_CLOSE] = CLOSE, [LEX_WORD] = WORD,
	[LEX_LONG] = SAID,      [LEX_MARKER] = SAID,
};

static int pmns_yylex(struct token *lval, struct build *b)
{
	enum lex_kind kind = lex_next(&b->lex, lval);

	while (kind == LEX_MARKER && build_marker(b, *lval) == 0)
		kind = lex_next(&b->lex, lval);
	if (kind == LEX_LONG)
		build_error(b, *lval, "Absurdly long line, cannot recover");
	b->word = *lval;
	return tokens[kind];
}

/* The expected words decide the message: the first row whose word is expected. */
static const struct {
	yysymbol_kind_t expected;
	const char *what;
} messages[] = {
	{ YYSYMBOL_OPEN, "{ expected" },
	{ YYSYMBOL_PMID, "Expected NAME, PMID or }" },
	{ YYSYMBOL_CLOSE, "Expected NAME or }" },
	{ YYSYMBOL_PATH, "Expected NAME or PATH" },
};

static int yyreport_syntax_error(const yypcontext_t *ctx, struct build *b)
{
	yysymbol_kind_t expected[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, expected, YYNTOKENS);

	for (size_t m = 0; m < sizeof(messages) / sizeof(messages[0]); m++) {
		for (int i = 0; i < n; i++) {
			if (expected[i] == messages[m].expected)
				return build_syntax_error(b, messages[m].what);
		}
	}
	return build_syntax_error(b, "Expected NAME or PATH");
}

/* Bison calls this when it is out of memory, and for nothing else. */
static void pmns_yyerror(struct build *b, const char *what)
{
	if (b->err == 0)
		b->err = -ENOMEM;
}

int build_run_grammar(struct build *b)
{
	lex_init(&b->lex, b->src.text, b->src.len);
	return pmns_yyparse(b);
}

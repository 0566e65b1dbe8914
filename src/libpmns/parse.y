/* parse - the grammar of a name space (docs/spec/pmcd.md 10.1). What it builds is in build.c. */

%define api.pure full
%define api.prefix {pmns_yy}
%define api.value.type {struct token}
%define parse.error custom
/* The message depends on what may follow, so nothing is reduced on a word that may not. */
%define lr.default-reduction consistent
%param {void *scanner}
%parse-param {struct build *b}

%code requires {
#include "libpmns/build.h"
}

%code {
#include <errno.h>

int pmns_yylex(struct token *lval, void *scanner);
static void pmns_yyerror(void *scanner, struct build *b, const char *what);
}

%token NAME PATH PMID OPEN CLOSE
%token WORD         /* none of these */
%token MARKER_ERROR /* said already */

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

/* What may come decides the message: the first row of which the word is expected. */
static const struct {
	yysymbol_kind_t expected;
	const char *what;
} messages[] = {
	{ YYSYMBOL_OPEN, "{ expected" },
	{ YYSYMBOL_PMID, "Expected NAME, PMID or }" },
	{ YYSYMBOL_CLOSE, "Expected NAME or }" },
	{ YYSYMBOL_PATH, "Expected NAME or PATH" },
};

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct build *b)
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
static void pmns_yyerror(void *scanner, struct build *b, const char *what)
{
	if (b->err == 0)
		b->err = -ENOMEM;
}

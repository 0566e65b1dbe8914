/*
 * config_parse - the grammar of pmcd.conf (docs/spec/pmcd.md 5, 6.1). Agent lines are taken as
 * lists of words: what they mean is in config_parser.c, as is all else that is done.
 */

%define api.pure full
%define api.prefix {config_yy}
%define api.value.type {const char *}
%define parse.error custom
/* Messages depend on what may follow, so nothing is reduced on a word that may not. */
%define lr.default-reduction consistent
%param {void *scanner}
%parse-param {struct config_parser *p}

%code requires {
#include "daemons/pmcd/config_parser.h"
}

%code {
int config_yylex(const char **lval, void *scanner);
static void config_yyerror(void *scanner, struct config_parser *p, const char *what);
}

%token BEGIN_CONFIG BEGIN_ACCESS /* which of the two files it is: not in the text */
%token WORD EOL
%token OPEN CLOSE COMMA COLON SEMICOLON
%token ACCESS_WORD ALLOW DISALLOW CLASS
%token FETCH STORE ALL EXCEPT MAXIMUM CONNECTIONS UNLIMITED
%token GIVE_UP                   /* reported already */

%%

file:           BEGIN_CONFIG agents
        |       BEGIN_CONFIG agents header statements
        |       begin_access statements
        ;

begin_access:   BEGIN_ACCESS            { p->c->has_access = p->in_access = true; }
        ;

agents:         %empty
        |       agents words EOL        { config_agent_line(p); }
        ;

words:          %empty
        |       words WORD              { config_agent_word(p, $2); }
        ;

header:         OPEN ACCESS_WORD CLOSE  {
                        p->c->has_access = p->in_access = true;
                        if (p->agent_failed)
                                YYACCEPT;
                }
        ;

statements:     %empty
        |       statements statement
        ;

statement:      verb names COLON perms SEMICOLON { config_rule_end(p); }
        |       error SEMICOLON               { yyerrok; }
        ;

verb:           ALLOW                   { config_rule_begin(p, true); }
        |       DISALLOW                { config_rule_begin(p, false); }
        ;

/* The first name without a class before it is not a class. */
names:          plain                   { if (config_rule_name(p, $1) < 0) YYABORT; }
        |       class name
        |       names COMMA name
        ;

class:          CLASS                   { config_rule_class(p, $1); }
        ;

name:           any                     { if (config_rule_name(p, $1) < 0) YYABORT; }
        ;

any:            plain
        |       CLASS
        ;

plain:          WORD
        |       ACCESS_WORD
        |       ALLOW
        |       DISALLOW
        |       FETCH
        |       STORE
        |       ALL
        |       EXCEPT
        |       MAXIMUM
        |       CONNECTIONS
        |       UNLIMITED
        ;

perms:          perm
        |       perms COMMA perm
        ;

perm:           FETCH                   { if (config_rule_perm(p, CONFIG_PERM_FETCH) < 0) YYERROR; }
        |       STORE                   { if (config_rule_perm(p, CONFIG_PERM_STORE) < 0) YYERROR; }
        |       all
        |       all except perm
        |       maximum any CONNECTIONS { if (config_rule_number(p, $2) < 0) YYERROR; }
        |       UNLIMITED               { config_rule_unlimited(p); YYERROR; }
        ;

all:            ALL                     { if (config_rule_perm(p, CONFIG_PERM_ALL) < 0) YYERROR; }
        ;

except:         EXCEPT                  { config_rule_perm(p, CONFIG_PERM_EXCEPT); }
        ;

maximum:        MAXIMUM                 { if (config_rule_maximum(p) < 0) YYERROR; }
        ;

%%

static bool expects(const yypcontext_t *ctx, yysymbol_kind_t kind)
{
	yysymbol_kind_t list[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, list, YYNTOKENS);

	for (int i = 0; i < n; i++) {
		if (list[i] == kind)
			return true;
	}
	return false;
}

static void name_expected(struct config_parser *p)
{
	if (p->before == MAXIMUM)
		config_error(p, p->line, "maximum connection limit must be a positive number");
	else if (p->before == COMMA)
		config_error(p, p->line, "%s expected after ','", config_rule_noun(p));
	else
		config_error(p, p->line, "no %ss in allow/disallow statement", config_rule_noun(p));
}

static void perm_expected(struct config_parser *p)
{
	if (p->token != SEMICOLON)
		config_error(p, p->line, "bad access specifier");
	else if (p->before == COMMA)
		config_error(p, p->line, "misplaced (trailing) ',' in permission list");
	else
		config_error(p, p->line, "empty or incomplete permissions list");
}

/* Where one thing alone may come. */
static const struct {
	yysymbol_kind_t kind;
	const char *what;
} messages[] = {
	{ YYSYMBOL_ACCESS_WORD, "\"access\" keyword expected" },
	{ YYSYMBOL_CLOSE, "']' expected" },
	{ YYSYMBOL_ALLOW, "allow or disallow statement expected" },
	{ YYSYMBOL_CONNECTIONS, "\"connections\" expected" },
	{ YYSYMBOL_SEMICOLON, "',' or ';' expected in permission list" },
};

/* What may come decides the message. */
static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct config_parser *p)
{
	if (p->token == GIVE_UP)
		return 0;
	if (expects(ctx, YYSYMBOL_WORD)) {
		name_expected(p);
	} else if (expects(ctx, YYSYMBOL_FETCH)) {
		perm_expected(p);
	} else if (expects(ctx, YYSYMBOL_COLON)) {
		config_error(p, p->line, "',' or ':' expected after \"%s\"",
			     p->rule.names[p->rule.nname - 1]);
	} else {
		for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
			if (expects(ctx, messages[i].kind)) {
				config_error(p, p->line, "%s", messages[i].what);
				break;
			}
		}
	}
	return 0;
}

/* Bison calls this when it is out of memory, and for nothing else. */
static void config_yyerror(void *scanner, struct config_parser *p, const char *what)
{
	p->nomem = true;
}

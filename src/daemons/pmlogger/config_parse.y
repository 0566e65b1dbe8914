/*
 * config_parse - the grammar of a configuration of pmlogger (docs/spec/logger.md A2.3). What is done
 * is in config.c.
 */

%define api.pure full
%define api.prefix {logger_config_yy}
%define api.value.type {const char *}
%param {void *scanner}
%parse-param {struct config_parser *p}
/* A bracket behind a metric without braces begins its instances, and not "[access]" (A2.3). */
%expect 1

%code requires {
#include "daemons/pmlogger/config_parser.h"
}

%code {
int logger_config_yylex(const char **lval, void *scanner);
static void logger_config_yyerror(void *scanner, struct config_parser *p, const char *what);

#define MUST(call)                                                                                 \
	do {                                                                                       \
		if ((call) < 0)                                                                    \
			YYABORT;                                                                   \
	} while (0)
}

%token NAME HOSTNAME STRING NUMBER IPSPEC URL
%token OPEN CLOSE COMMA BEGIN_LIST END_LIST COLON SEMICOLON
%token LOG MANDATORY ADVISORY ON OFF MAYBE EVERY ONCE DEFAULT
%token MSEC SECOND MINUTE HOUR
%token ACCESS ENQUIRE ALLOW DISALLOW ALL EXCEPT
%token GIVE_UP          /* said already */

%%

config:         statements
        |       statements access
        ;

statements:     %empty
        |       statements statement
        ;

statement:      log action metrics
        ;

log:            %empty
        |       LOG
        ;

action:         on frequency
        |       MANDATORY OFF           { config_begin_statement(p, true, CONFIG_OFF); }
        |       ADVISORY OFF            { config_begin_statement(p, false, CONFIG_OFF); }
        |       OFF                     { config_begin_statement(p, false, CONFIG_OFF); }
        |       MANDATORY MAYBE         { config_begin_statement(p, true, CONFIG_MAYBE); }
        ;

on:             MANDATORY ON            { config_begin_statement(p, true, CONFIG_ON); }
        |       ADVISORY ON             { config_begin_statement(p, false, CONFIG_ON); }
        |       ON                      { config_begin_statement(p, false, CONFIG_ON); }
        ;

frequency:      every NUMBER MSEC       { MUST(config_every(p, $2, 1)); }
        |       every NUMBER SECOND     { MUST(config_every(p, $2, 1000)); }
        |       every NUMBER MINUTE     { MUST(config_every(p, $2, 60000)); }
        |       every NUMBER HOUR       { MUST(config_every(p, $2, 3600000)); }
        |       ONCE
        |       DEFAULT                 { config_every_default(p); }
        ;

every:          %empty
        |       EVERY
        ;

metrics:        BEGIN_LIST specs END_LIST
        |       spec
        ;

specs:          spec
        |       specs spec
        |       specs COMMA spec
        ;

spec:           metric                          { config_end_metric(p); }
        |       metric OPEN insts CLOSE         { config_end_metric(p); }
        ;

metric:         NAME                    { config_begin_metric(p, $1); }
        ;

insts:          inst
        |       insts inst
        |       insts COMMA inst
        ;

inst:           NAME                    { config_add_inst(p, $1); }
        |       STRING                  { config_add_inst(p, $1); }
        |       NUMBER                  { MUST(config_add_inst_number(p, $1)); }
        ;

access:         OPEN ACCESS CLOSE       { p->c->has_access = true; }
                rules
        ;

rules:          rule
        |       rules rule
        ;

rule:           verb hosts COLON ops SEMICOLON
        ;

verb:           ALLOW                   { config_begin_rule(p, true); }
        |       DISALLOW                { config_begin_rule(p, false); }
        ;

hosts:          host
        |       hosts COMMA host
        ;

host:           IPSPEC                  { config_add_host(p, $1); }
        |       URL                     { config_add_host(p, $1); }
        |       HOSTNAME                { config_add_host(p, $1); }
        |       NAME                    { config_add_host(p, $1); }
        ;

ops:            op_list                 { config_end_rule(p, p->ops, false); }
        |       ALL                     { config_end_rule(p, CONFIG_OP_ALL, false); }
        |       ALL EXCEPT op_list      { config_end_rule(p, p->ops, true); }
        ;

op_list:        op
        |       op_list COMMA op
        ;

op:             ADVISORY                { p->ops |= CONFIG_OP_ADVISORY; }
        |       MANDATORY               { p->ops |= CONFIG_OP_MANDATORY; }
        |       ENQUIRE                 { p->ops |= CONFIG_OP_ENQUIRE; }
        ;

%%

static void logger_config_yyerror(void *scanner, struct config_parser *p, const char *what)
{
	if (!p->gave_up && !p->nomem)
		config_error(p, "%s", "syntax error");
}

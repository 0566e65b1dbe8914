%{
/* grammar - one command (docs/spec/logger.md C2). */
#include <stdint.h>

#include <pcp/impl.h>

#include "tools/pmlc/script.h"

#include "grammar.tab.h"

int pmlc_yylex(PMLC_YYSTYPE *lval, void *scanner);

static void pmlc_yyerror(void *scanner, struct script *s, const char *text)
{
	parse_error(s, "%s", text);
}

/* A command that has only a number. */
static void set(struct script *s, enum verb verb, uint32_t number)
{
	s->c->verb = verb;
	s->c->number = number;
}

static void set_target(struct script *s, enum target target, uint32_t number)
{
	set(s, VERB_CONNECT, number);
	s->c->target = number == 0 && target != TARGET_SOCKET ? TARGET_PRIMARY : target;
}

static void set_log(struct script *s, int control, int state, uint64_t delta_ms)
{
	s->c->verb = VERB_LOG;
	s->c->control = control;
	s->c->state = state;
	s->c->delta_ms = delta_ms;
}

static void set_zone(struct script *s, enum zone zone, const char *text)
{
	s->c->verb = VERB_TIMEZONE;
	s->c->zone = zone;
	s->c->text = text;
}

#define NEED_CONNECTION                                                                            \
	do {                                                                                       \
		if (parse_need_connection(s) < 0)                                                  \
			YYABORT;                                                                   \
	} while (0)
%}

%define api.pure full
%define api.prefix {pmlc_yy}
%param {void *scanner}
%parse-param {struct script *s}

%union {
	const char *text;
	uint32_t number;
	uint64_t delta;
	int control;
}

%token CONNECT DISCONNECT HELP LOG NEW QA QUERY QUIT SHOW SLEEP STATUS SYNC TIMEZONE VOLUME
%token ADVISORY MANDATORY ON OFF MAYBE EVERY ONCE LOCAL LOGGER LOGGERS PORT PRIMARY SOCKET
%token AT OPEN CLOSE OPEN_INSTS CLOSE_INSTS COMMA EOL END
%token OTHER "what is no word of the language"
%token <number> NUMBER UNIT
%token <text> NAME STRING

%type <control> class
%type <delta> freq
%type <text> at host

%%

line:
	END				{ s->c->verb = VERB_NONE; YYACCEPT; }
	| EOL				{ s->c->verb = VERB_NONE; YYACCEPT; }
	| command EOL			{ YYACCEPT; }
	;

command:
	SHOW loggers at			{ s->c->verb = VERB_SHOW; s->c->text = $at; }
	| CONNECT target at		{ s->c->text = $at; }
	| DISCONNECT			{ s->c->verb = VERB_DISCONNECT; }
	| HELP				{ s->c->verb = VERB_HELP; }
	| QUIT				{ s->c->verb = VERB_QUIT; }
	| SLEEP NUMBER			{ set(s, VERB_SLEEP, $NUMBER); }
	| timezone
	| STATUS EOL			{ NEED_CONNECTION; s->c->verb = VERB_STATUS; YYACCEPT; }
	| SYNC EOL			{ NEED_CONNECTION; s->c->verb = VERB_SYNC; YYACCEPT; }
	| NEW VOLUME EOL		{ NEED_CONNECTION; s->c->verb = VERB_NEW_VOLUME; YYACCEPT; }
	| QA NUMBER EOL			{ NEED_CONNECTION; set(s, VERB_QA, $NUMBER); YYACCEPT; }
	| QUERY { NEED_CONNECTION; s->c->verb = VERB_QUERY; parse_begin_list(s); } metrics
	| log action { NEED_CONNECTION; parse_begin_list(s); } metrics
	;

loggers:
	%empty
	| LOGGER
	| LOGGERS
	;

at:
	%empty				{ $$ = NULL; }
	| AT host			{ $$ = $host; }
	;

host:
	NAME
	| STRING
	;

target:
	PRIMARY				{ set_target(s, TARGET_PRIMARY, 0); }
	| NUMBER			{ set_target(s, TARGET_PID, $1); }
	| PORT NUMBER			{ set_target(s, TARGET_PORT, $2); }
	| SOCKET			{ set_target(s, TARGET_SOCKET, 0); }
	;

timezone:
	TIMEZONE LOCAL			{ set_zone(s, ZONE_LOCAL, NULL); }
	| TIMEZONE LOGGER		{ set_zone(s, ZONE_LOGGER, NULL); }
	| TIMEZONE STRING		{ set_zone(s, ZONE_GIVEN, $STRING); }
	;

log:
	%empty
	| LOG
	;

class:
	ADVISORY			{ $$ = PM_LOG_ADVISORY; }
	| MANDATORY			{ $$ = PM_LOG_MANDATORY; }
	;

action:
	class ON freq			{ set_log(s, $class, PM_LOG_ON, $freq); }
	| class OFF			{ set_log(s, $class, PM_LOG_OFF, 0); }
	| MANDATORY MAYBE		{ set_log(s, PM_LOG_MANDATORY, PM_LOG_MAYBE, 0); }
	;

freq:
	every NUMBER UNIT		{ $$ = (uint64_t)$NUMBER * $UNIT; }
	| ONCE				{ $$ = 0; }
	;

every:
	%empty
	| EVERY
	;

metrics:
	spec
	| OPEN specs CLOSE
	;

specs:
	spec
	| specs spec
	| specs COMMA spec
	;

spec:
	name
	| name OPEN_INSTS insts CLOSE_INSTS
	;

name:
	NAME				{ if (parse_metric(s, $1) < 0) YYNOMEM; }
	;

insts:
	inst
	| insts inst
	| insts COMMA inst
	;

inst:
	NAME				{ if (parse_inst(s, $1, 0) < 0) YYNOMEM; }
	| STRING			{ if (parse_inst(s, $1, 0) < 0) YYNOMEM; }
	| NUMBER			{ if (parse_inst(s, NULL, $1) < 0) YYNOMEM; }
	;

%%

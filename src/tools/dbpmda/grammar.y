/*
 * grammar - one line of dbpmda's language (docs/spec/pmda.md 19.4).
 */

%define api.pure full
%define api.prefix {dbpmda_yy}
%param {void *scanner}
%parse-param {struct parse *p}

%code requires {
#include "tools/dbpmda/command.h"
}

%union {
	const char *text;
	int number;
	unsigned int dotted[3];
}

%code {
int dbpmda_yylex(DBPMDA_YYSTYPE *lval, void *scanner);
static void dbpmda_yyerror(void *scanner, struct parse *p, const char *what);

static void begin(struct parse *p, enum verb verb, enum form form)
{
	p->c->verb = verb;
	p->c->form = form;
}

static void set_number(struct parse *p, int number)
{
	p->c->number = number;
	p->c->has_number = true;
}

static void set_dso(struct parse *p, const char *file, const char *entry, int domain)
{
	p->c->text = file;
	p->c->words[p->c->nword++] = entry;
	p->c->number = domain;
}
}

%token <text> NAME NEGNAME STRING PATHNAME ARGUMENT
%token <number> NUMBER NEGNUMBER
%token <dotted> NUMBER2D NUMBER3D
%token COMMA EQUAL PLUS
%token <text> ADD ALL ATTR CHILDREN CLOSE CLUSTER CONTEXT DEBUG DELETE DESC DOMAIN DSO FETCH GETDESC
%token <text> GETINAME HELP INDOM INET INSTANCE INSTANCES IPV6 ITEM LABEL NAMEWORD NAMESPACE NONE
%token <text> OFF ON OPEN PIPE PMIDWORD PROFILE QUIT SOCKET STATUS STORE TEXT TIMER TRAVERSE UNIX
%token <text> WAIT WATCH
%token GIVE_UP /* an error that has been reported */

%type <text> file debug_word
%type <number> indom on_off help_verb

%%

line:           %empty
        |       command
        ;

command:        OPEN                    { begin(p, VERB_OPEN, FORM_USAGE); }
        |       OPEN DSO file NAME      { begin(p, VERB_OPEN, FORM_DSO); set_dso(p, $3, $4, 0); }
        |       OPEN DSO file NAME NUMBER { begin(p, VERB_OPEN, FORM_DSO); set_dso(p, $3, $4, $5); }
        |       OPEN PIPE PATHNAME arguments { begin(p, VERB_OPEN, FORM_PIPE); p->c->text = $3; }
        |       OPEN SOCKET file        { begin(p, VERB_OPEN, FORM_UNIX); p->c->text = $3; }
        |       OPEN SOCKET UNIX file   { begin(p, VERB_OPEN, FORM_UNIX); p->c->text = $4; }
        |       OPEN SOCKET INET port   { begin(p, VERB_OPEN, FORM_INET); }
        |       OPEN SOCKET IPV6 port   { begin(p, VERB_OPEN, FORM_IPV6); }
        |       CLOSE                   { begin(p, VERB_CLOSE, FORM_NONE); }
        |       DESC                    { begin(p, VERB_DESC, FORM_USAGE); }
        |       DESC metric             { begin(p, VERB_DESC, FORM_METRIC); }
        |       FETCH                   { begin(p, VERB_FETCH, FORM_USAGE); }
        |       FETCH metrics           { begin(p, VERB_FETCH, FORM_METRIC); }
        |       STORE                   { begin(p, VERB_STORE, FORM_USAGE); }
        |       STORE metric STRING     { begin(p, VERB_STORE, FORM_METRIC); p->c->text = $3; }
        |       TEXT                    { begin(p, VERB_TEXT, FORM_USAGE); }
        |       TEXT metric             { begin(p, VERB_TEXT, FORM_METRIC); }
        |       TEXT INDOM indom        { begin(p, VERB_TEXT, FORM_INDOM); p->c->indom = $3; }
        |       INSTANCE                { begin(p, VERB_INSTANCE, FORM_USAGE); }
        |       INSTANCE indom          { begin(p, VERB_INSTANCE, FORM_INDOM); p->c->indom = $2; }
        |       INSTANCE indom NUMBER   {
                        begin(p, VERB_INSTANCE, FORM_INDOM);
                        p->c->indom = $2;
                        set_number(p, $3);
                }
        |       INSTANCE indom instance_name { begin(p, VERB_INSTANCE, FORM_INDOM); p->c->indom = $2; }
        |       PROFILE                 { begin(p, VERB_PROFILE, FORM_USAGE); }
        |       PROFILE indom ALL       { begin(p, VERB_PROFILE, FORM_ALL); p->c->indom = $2; }
        |       PROFILE indom NONE      { begin(p, VERB_PROFILE, FORM_NOTHING); p->c->indom = $2; }
        |       PROFILE indom ADD NUMBER {
                        begin(p, VERB_PROFILE, FORM_ADD);
                        p->c->indom = $2;
                        set_number(p, $4);
                }
        |       PROFILE indom DELETE NUMBER {
                        begin(p, VERB_PROFILE, FORM_DELETE);
                        p->c->indom = $2;
                        set_number(p, $4);
                }
        |       CHILDREN                { begin(p, VERB_CHILDREN, FORM_USAGE); }
        |       CHILDREN NAME           { begin(p, VERB_CHILDREN, FORM_NONE); p->c->text = $2; }
        |       TRAVERSE                { begin(p, VERB_TRAVERSE, FORM_USAGE); }
        |       TRAVERSE NAME           { begin(p, VERB_TRAVERSE, FORM_NONE); p->c->text = $2; }
        |       PMIDWORD                { begin(p, VERB_PMID, FORM_USAGE); }
        |       PMIDWORD NAME           { begin(p, VERB_PMID, FORM_NONE); p->c->text = $2; }
        |       NAMEWORD                { begin(p, VERB_NAME, FORM_USAGE); }
        |       NAMEWORD NUMBER3D       {
                        begin(p, VERB_NAME, FORM_NONE);
                        p->c->pmids[p->c->npmid++] = pmID_build($2[0], $2[1], $2[2]);
                }
        |       ATTR                    { begin(p, VERB_ATTR, FORM_USAGE); }
        |       ATTR attribute          { begin(p, VERB_ATTR, FORM_NONE); }
        |       ATTR attribute STRING   { begin(p, VERB_ATTR, FORM_NONE); p->c->text = $3; }
        |       LABEL                   { begin(p, VERB_LABEL, FORM_USAGE); }
        |       LABEL CONTEXT           { begin(p, VERB_LABEL, FORM_CONTEXT); }
        |       LABEL DOMAIN            { begin(p, VERB_LABEL, FORM_DOMAIN); }
        |       LABEL INDOM indom       { begin(p, VERB_LABEL, FORM_INDOM); p->c->indom = $3; }
        |       LABEL CLUSTER NUMBER    { begin(p, VERB_LABEL, FORM_CLUSTER); set_number(p, (int)pmID_build(0, (unsigned int)$3, 0)); }
        |       LABEL CLUSTER NUMBER2D  { begin(p, VERB_LABEL, FORM_CLUSTER); set_number(p, (int)pmID_build($3[0], $3[1], 0)); }
        |       LABEL ITEM metric       { begin(p, VERB_LABEL, FORM_ITEM); }
        |       LABEL INSTANCES indom   { begin(p, VERB_LABEL, FORM_INSTANCES); p->c->indom = $3; }
        |       NAMESPACE file          { begin(p, VERB_NAMESPACE, FORM_NONE); p->c->text = $2; }
        |       DEBUG                   { begin(p, VERB_DEBUG, FORM_USAGE); }
        |       DEBUG ALL               { begin(p, VERB_DEBUG, FORM_ALL); }
        |       DEBUG NONE              { begin(p, VERB_DEBUG, FORM_NOTHING); }
        |       DEBUG debug_words       { begin(p, VERB_DEBUG, FORM_NONE); }
        |       TIMER                   { begin(p, VERB_TIMER, FORM_USAGE); }
        |       TIMER on_off            { begin(p, VERB_TIMER, (enum form)$2); }
        |       GETDESC                 { begin(p, VERB_GETDESC, FORM_USAGE); }
        |       GETDESC on_off          { begin(p, VERB_GETDESC, (enum form)$2); }
        |       GETINAME                { begin(p, VERB_GETINAME, FORM_USAGE); }
        |       GETINAME on_off         { begin(p, VERB_GETINAME, (enum form)$2); }
        |       WAIT                    { begin(p, VERB_WAIT, FORM_USAGE); }
        |       WAIT NUMBER             { begin(p, VERB_WAIT, FORM_NONE); set_number(p, $2); }
        |       WATCH                   { begin(p, VERB_WATCH, FORM_USAGE); }
        |       WATCH file              { begin(p, VERB_WATCH, FORM_NONE); p->c->text = $2; }
        |       STATUS                  { begin(p, VERB_STATUS, FORM_NONE); }
        |       QUIT                    { begin(p, VERB_QUIT, FORM_NONE); }
        |       HELP                    { begin(p, VERB_HELP, FORM_NONE); }
        |       HELP help_verb          { begin(p, VERB_HELP, FORM_NONE); p->c->about = (enum verb)$2; }
        ;

file:           NAME                    { if (($$ = parse_path(p, $1)) == NULL) YYABORT; }
        |       PATHNAME
        |       STRING
        ;

arguments:      %empty
        |       arguments ARGUMENT      { if (parse_word(p, $2) < 0) YYABORT; }
        ;

port:           NUMBER                  { set_number(p, $1); }
        |       STRING                  { if (parse_service(p, $1) < 0) YYABORT; }
        ;

metrics:        metric
        |       metrics metric
        |       metrics COMMA metric
        ;

metric:         NUMBER                  { if (parse_metric_pmid(p, (pmID)$1) < 0) YYABORT; }
        |       NUMBER2D                { if (parse_metric_pmid(p, pmID_build(0, $1[0], $1[1])) < 0) YYABORT; }
        |       NUMBER3D                { if (parse_metric_pmid(p, pmID_build($1[0], $1[1], $1[2])) < 0) YYABORT; }
        |       NAME                    { if (parse_metric_name(p, $1) < 0) YYABORT; }
        ;

indom:          NUMBER
        |       NEGNUMBER
        |       NUMBER2D                { $$ = (int)pmInDom_build($1[0], $1[1]); }
        ;

instance_name:  NAME                    { p->c->text = $1; }
        |       STRING                  { p->c->text = $1; }
        ;

attribute:      NUMBER                  { if (parse_attribute_key(p, $1) < 0) YYABORT; }
        |       STRING                  { if (parse_attribute(p, $1) < 0) YYABORT; }
        ;

debug_words:    debug_one
        |       debug_words debug_one
        |       debug_words COMMA debug_one
        ;

debug_one:      debug_word              { if (parse_debug(p, $1) < 0) YYABORT; }
        |       NUMBER                  { if (parse_debug_number(p, $1) < 0) YYABORT; }
        ;

/* Options that are also words of the language. */
debug_word:     NAME
        |       NEGNAME
        |       FETCH
        |       PROFILE
        |       CONTEXT
        |       INDOM
        |       ATTR
        |       DESC
        |       LABEL
        ;

on_off:         ON                      { $$ = FORM_ON; }
        |       OFF                     { $$ = FORM_OFF; }
        ;

help_verb:      ATTR                    { $$ = VERB_ATTR; }
        |       CHILDREN                { $$ = VERB_CHILDREN; }
        |       CLOSE                   { $$ = VERB_CLOSE; }
        |       DEBUG                   { $$ = VERB_DEBUG; }
        |       DESC                    { $$ = VERB_DESC; }
        |       FETCH                   { $$ = VERB_FETCH; }
        |       GETDESC                 { $$ = VERB_GETDESC; }
        |       GETINAME                { $$ = VERB_GETINAME; }
        |       INSTANCE                { $$ = VERB_INSTANCE; }
        |       LABEL                   { $$ = VERB_LABEL; }
        |       NAMEWORD                { $$ = VERB_NAME; }
        |       NAMESPACE               { $$ = VERB_NAMESPACE; }
        |       OPEN                    { $$ = VERB_OPEN; }
        |       PMIDWORD                { $$ = VERB_PMID; }
        |       PROFILE                 { $$ = VERB_PROFILE; }
        |       QUIT                    { $$ = VERB_QUIT; }
        |       STATUS                  { $$ = VERB_STATUS; }
        |       STORE                   { $$ = VERB_STORE; }
        |       TEXT                    { $$ = VERB_TEXT; }
        |       TIMER                   { $$ = VERB_TIMER; }
        |       TRAVERSE                { $$ = VERB_TRAVERSE; }
        |       WAIT                    { $$ = VERB_WAIT; }
        |       WATCH                   { $$ = VERB_WATCH; }
        ;

%%

static void dbpmda_yyerror(void *scanner, struct parse *p, const char *what)
{
	parse_fail(p, "%s", p->ntoken == 1 ? "Unrecognized command" : what);
}

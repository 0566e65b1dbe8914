/*
 * grammar - the language of pmlogrewrite (docs/spec/logger.md D6). The result is a list of
 * steps; the alternatives with "error" exist for their messages, and end the parsing.
 */

%define api.pure full
%define api.prefix {rules_yy}
%define api.value.type {struct rule_word}
%param {void *scanner}
%parse-param {struct rules_parser *p}

%code requires {
#include "tools/pmlogrewrite/rules.h"
}

%code {
int rules_yylex(struct rule_word *lval, void *scanner);

static void rules_yyerror(void *scanner, struct rules_parser *p, const char *text)
{
	if (p->r->error[0] == '\0')
		p->bad = p->place;
	rules_error(p, "%s", "syntax error");
}

#define MUST(ok)                                                                                   \
	do {                                                                                       \
		if (!(ok))                                                                         \
			YYABORT;                                                                   \
	} while (0)
#define STEP(kind) MUST(rules_step(p, (kind)) == 0)
#define EXPECT(word, n, what)                                                                      \
	do {                                                                                       \
		rules_expect(p, &(word), (n), (what));                                             \
		YYABORT;                                                                           \
	} while (0)
#define ONE_METRIC                                                                                 \
	"Expecting metric name or <domain>.<cluster>.<item> or <domain>.<cluster>.* or "           \
	"<domain>.*.* in metric rule"
#define NEW_PMID                                                                                   \
	"Expecting <domain>.<cluster>.<item> or <domain>.<cluster>.* or <domain>.*.* in pmid "     \
	"clause"
#define PICKS                                                                                      \
	"Expecting FIRST or LAST or INST or INAME or MIN or MAX or AVG for OUTPUT instance option"
#define SCALE(word) "Expecting 0 or " word " field of units"
}

%token GLOBAL METRIC INDOM TEXT LABEL
%token HOSTNAME TIME TIMEZONE ZONEINFO FEATURES BITS
%token INAME INST DELETE DUPLICATE
%token NAME PMID SEM TYPE UNITS IF OUTPUT RESCALE NULL_WORD
%token FIRST LAST MIN MAX SUM AVG
%token ONELINE HELP
%token CONTEXT DOMAIN CLUSTER ITEM INSTANCE INSTANCES NEW VALUE
%token SEM_WORD TYPE_WORD SPACE_UNIT TIME_UNIT COUNT_UNIT JSON_WORD
%token METRIC_NAME HOST_WORD STRING NUMBER TWO TWO_STAR THREE REAL
%token ARROW OPEN CLOSE OPEN_BITS CLOSE_BITS COMMA COLON PLUS MINUS STAR
%token NO_WORD

%%

config:         %empty
        |       config rule
        ;

rule:           GLOBAL OPEN globals CLOSE
        |       indom OPEN indoms CLOSE
        |       metric OPEN metrics CLOSE
        |       text OPEN texts CLOSE
        |       label OPEN labels CLOSE
        ;

globals:        %empty
        |       globals global
        ;

global:         HOSTNAME ARROW HOST_WORD        { p->next.text = $3.text; STEP(RULE_HOSTNAME); }
        |       HOSTNAME ARROW error            { EXPECT($1, 2, "Expecting hostname in hostname clause"); }
        |       HOSTNAME error                  { EXPECT($1, 1, "Expecting -> in hostname clause"); }
        |       TIME ARROW delta                { STEP(RULE_TIME); }
        |       TIME ARROW PLUS delta           { STEP(RULE_TIME); }
        |       TIME ARROW MINUS delta          { p->next.flags = RULE_TO_NULL; STEP(RULE_TIME); }
        |       TIME ARROW error                {
                        EXPECT($1, 2, "Expecting delta of the form [+-][HH:[MM:]]SS[.d...] in time clause");
                }
        |       TIME error                      { EXPECT($1, 1, "Expecting -> in time clause"); }
        |       TIMEZONE ARROW STRING           { p->next.text = $3.text; STEP(RULE_TIMEZONE); }
        |       TIMEZONE ARROW error            { EXPECT($1, 2, "Expecting timezone string in timezone clause"); }
        |       TIMEZONE error                  { EXPECT($1, 1, "Expecting -> in timezone clause"); }
        |       ZONEINFO ARROW STRING           { p->next.text = $3.text; STEP(RULE_ZONEINFO); }
        |       ZONEINFO ARROW error            { EXPECT($1, 2, "Expecting zoneinfo string in zoneinfo clause"); }
        |       ZONEINFO error                  { EXPECT($1, 1, "Expecting -> in zoneinfo clause"); }
        |       FEATURES ARROW NUMBER           { p->next.features = (unsigned int)$3.number; STEP(RULE_FEATURES); }
        |       FEATURES ARROW BITS OPEN_BITS bits CLOSE_BITS { STEP(RULE_FEATURES); }
        |       FEATURES ARROW BITS OPEN_BITS bits error {
                        rules_expect(p, &$5, 1, "Expecting ) after \"bits(\" in features clause");
                        YYABORT;
                }
        |       FEATURES ARROW BITS OPEN_BITS error {
                        EXPECT($4, 1, "Expecting list of bit numbers after \"bits(\" in features clause");
                }
        |       FEATURES ARROW BITS error       { EXPECT($3, 1, "Expecting ( after \"bits\" in features clause"); }
        |       FEATURES ARROW error            { EXPECT($1, 2, "Expecting features value in features clause"); }
        |       FEATURES error                  { EXPECT($1, 1, "Expecting -> in features clause"); }
        ;

delta:          seconds                         { rules_set_delta(p, 0, 0, $1.text); }
        |       NUMBER COLON seconds            { rules_set_delta(p, 0, $1.number, $3.text); }
        |       NUMBER COLON NUMBER COLON seconds { rules_set_delta(p, $1.number, $3.number, $5.text); }
        ;

seconds:        NUMBER
        |       TWO
        ;

bits:           NUMBER                          { $$ = $1; MUST(rules_add_bit(p, $1.number)); }
        |       bits COMMA NUMBER               { $$ = $3; MUST(rules_add_bit(p, $3.number)); }
        ;

indom_id:       TWO                             { $$.id = rules_numbers($1.text, true); MUST(rules_check_indom(p, &$$.id)); }
        |       TWO_STAR                        { $$.id = rules_numbers($1.text, true); MUST(rules_check_indom(p, &$$.id)); }
        ;

pmid:           THREE                           { $$.id = rules_numbers($1.text, false); MUST(rules_check_pmid(p, &$$.id)); }
        ;

metric_id:      pmid
        |       METRIC_NAME                     { $$.id = (struct rule_id){.name = $1.text}; }
        ;

indom:          INDOM indom_id                  { p->next.id = $2.id; STEP(RULE_INDOM); }
        |       INDOM error                     { EXPECT($1, 1, "Expecting <domain>.<serial> or <domain>.* in indom rule"); }
        ;

indoms:         %empty
        |       indoms indom_clause
        ;

indom_clause:   INAME STRING ARROW STRING       {
                        p->next.text = $2.text;
                        p->next.value = $4.text;
                        STEP(RULE_INDOM_INAME);
                }
        |       INAME STRING ARROW DELETE       {
                        p->next.text = $2.text;
                        p->next.flags = RULE_TO_DELETE;
                        STEP(RULE_INDOM_INAME);
                }
        |       INAME STRING ARROW error        {
                        EXPECT($1, 3, "Expecting new external instance name string or DELETE in iname clause");
                }
        |       INAME STRING error              { EXPECT($1, 2, "Expecting -> in iname clause"); }
        |       INAME error                     { EXPECT($1, 1, "Expecting old external instance name string in iname clause"); }
        |       INST NUMBER ARROW NUMBER        { MUST(rules_set_insts(p, $2.number, $4.number)); STEP(RULE_INDOM_INST); }
        |       INST NUMBER ARROW DELETE        {
                        MUST(rules_set_insts(p, $2.number, 0));
                        p->next.flags = RULE_TO_DELETE;
                        STEP(RULE_INDOM_INST);
                }
        |       INST NUMBER ARROW error         {
                        EXPECT($1, 3, "Expecting new internal instance identifier or DELETE in inst clause");
                }
        |       INST NUMBER error               { EXPECT($1, 2, "Expecting -> in inst clause"); }
        |       INST error                      { EXPECT($1, 1, "Expecting old internal instance identifier in inst clause"); }
        |       INDOM ARROW indom_id            { p->next.id = $3.id; STEP(RULE_INDOM_MOVE); }
        |       INDOM ARROW DUPLICATE indom_id  {
                        p->next.id = $4.id;
                        p->next.flags = RULE_TO_DUPLICATE;
                        STEP(RULE_INDOM_MOVE);
                }
        |       INDOM ARROW error               { EXPECT($1, 2, "Expecting <domain>.<serial> or <domain>.* in indom clause"); }
        |       INDOM error                     { EXPECT($1, 1, "Expecting -> in indom clause"); }
        ;

metric:         METRIC metric_id                { p->next.id = $2.id; STEP(RULE_METRIC); }
        |       METRIC error                    { EXPECT($1, 1, ONE_METRIC); }
        ;

metrics:        %empty
        |       metrics metric_clause
        ;

metric_clause:  DELETE                          { STEP(RULE_METRIC_DELETE); }
        |       NAME ARROW METRIC_NAME          { p->next.text = $3.text; STEP(RULE_METRIC_NAME); }
        |       NAME ARROW error                { EXPECT($1, 2, "Expecting metric name in iname clause"); }
        |       PMID ARROW pmid                 { p->next.id = $3.id; STEP(RULE_METRIC_PMID); }
        |       PMID ARROW error                { EXPECT($1, 2, NEW_PMID); }
        |       SEM ARROW SEM_WORD              { p->next.type = (int)$3.number; STEP(RULE_METRIC_SEM); }
        |       SEM ARROW error                 { EXPECT($1, 2, "Expecting XX" "X (from PM_SEM_XXX) in sem clause"); }
        |       TYPE ARROW type                 { p->next.now = (int)$3.number; STEP(RULE_METRIC_TYPE); }
        |       TYPE ARROW error                { EXPECT($1, 2, "Expecting XX" "X (from PM_TYPE_XXX) in type clause"); }
        |       TYPE IF type ARROW type         {
                        p->next.flags = RULE_IF;
                        p->next.old = (int)$3.number;
                        p->next.now = (int)$5.number;
                        STEP(RULE_METRIC_TYPE);
                }
        |       TYPE IF type ARROW error        { EXPECT($1, 4, "Expecting XX" "X (from PM_TYPE_XXX) in type clause"); }
        |       TYPE IF error                   { EXPECT($1, 2, "Expecting XX" "X (from PM_TYPE_XXX) after if in type clause"); }
        |       UNITS ARROW units rescale       { rules_set_units(p); STEP(RULE_METRIC_UNITS); }
        |       UNITS ARROW error               { EXPECT($1, 2, "Expecting 3 numeric values for dim* fields of units"); }
        |       INDOM ARROW new_indom pick      {
                        p->next.id = $3.id;
                        p->next.flags = $3.flags;
                        STEP(RULE_METRIC_INDOM);
                }
        |       INDOM ARROW error               { EXPECT($1, 2, "Expecting <domain>.<serial> or NULL in indom clause"); }
        ;

type:           TYPE_WORD
        |       NUMBER                          { MUST(rules_type_number(p, &$1)); $$ = $1; }
        ;

units:          dims COMMA space COMMA time COMMA count
        |       dims COMMA space COMMA time COMMA error { EXPECT($6, 1, SCALE("ONE for scaleCount")); }
        |       dims COMMA space COMMA error    { EXPECT($4, 1, SCALE("XX" "X (from PM_TIME_XXX) for scaleTime")); }
        |       dims COMMA error                { EXPECT($2, 1, SCALE("XX" "X (from PM_SPACE_XXX) for scaleSpace")); }
        ;

dims:           dim COMMA dim COMMA dim         {
                        p->units[0] = $1.number;
                        p->units[1] = $3.number;
                        p->units[2] = $5.number;
                        MUST(rules_check_dims(p));
                }
        ;

dim:            NUMBER
        |       MINUS NUMBER                    { $$ = $2; $$.number = -$2.number; }
        |       PLUS NUMBER                     { $$ = $2; }
        ;

space:          SPACE_UNIT                      { p->units[3] = $1.number; }
        |       NUMBER                          { MUST(rules_scale_zero(p, &$1, SCALE("XX" "X (from PM_SPACE_XXX) for scaleSpace"))); p->units[3] = 0; }
        ;

time:           TIME_UNIT                       { p->units[4] = $1.number; }
        |       MIN                             { p->units[4] = $1.number; }
        |       NUMBER                          { MUST(rules_scale_zero(p, &$1, SCALE("XX" "X (from PM_TIME_XXX) for scaleTime"))); p->units[4] = 0; }
        ;

count:          COUNT_UNIT                      { p->units[5] = $1.number; }
        |       NUMBER                          { MUST(rules_check_count(p, $1.number)); p->units[5] = $1.number; }
        ;

rescale:        %empty
        |       RESCALE                         { p->next.flags = RULE_RESCALE; }
        ;

new_indom:      indom_id
        |       NULL_WORD                       { $$.flags = RULE_TO_NULL; }
        ;

pick:           %empty
        |       OUTPUT FIRST                    { p->next.pick = PICK_FIRST; }
        |       OUTPUT LAST                     { p->next.pick = PICK_LAST; }
        |       OUTPUT MIN                      { p->next.pick = PICK_MIN; }
        |       OUTPUT MAX                      { p->next.pick = PICK_MAX; }
        |       OUTPUT SUM                      { p->next.pick = PICK_SUM; }
        |       OUTPUT AVG                      { p->next.pick = PICK_AVG; }
        |       OUTPUT INST NUMBER              {
                        MUST(rules_set_insts(p, $3.number, 0));
                        p->next.pick = PICK_INST;
                }
        |       OUTPUT INAME STRING             { p->next.text = $3.text; p->next.pick = PICK_INAME; }
        |       OUTPUT error                    { EXPECT($1, 1, PICKS); }
        ;

text:           TEXT METRIC metric_id text_types content {
                        p->next.id = $3.id;
                        p->next.type |= PM_TEXT_PMID;
                        STEP(RULE_TEXT);
                }
        |       TEXT INDOM indom_id text_types content {
                        p->next.id = $3.id;
                        p->next.type |= PM_TEXT_INDOM;
                        STEP(RULE_TEXT);
                }
        ;

text_types:     %empty                          { p->next.type = PM_TEXT_ONELINE; }
        |       ONELINE                         { p->next.type = PM_TEXT_ONELINE; }
        |       HELP                            { p->next.type = PM_TEXT_HELP; }
        |       STAR                            { p->next.type = PM_TEXT_ONELINE | PM_TEXT_HELP; }
        ;

content:        %empty
        |       STRING                          { p->next.text = $1.text; }
        ;

texts:          %empty
        |       texts text_clause
        ;

text_clause:    DELETE                          { STEP(RULE_TEXT_DELETE); }
        |       TEXT ARROW STRING               { p->next.text = $3.text; STEP(RULE_TEXT_REPLACE); }
        |       METRIC ARROW pmid               {
                        p->next.id = $3.id;
                        p->next.type = PM_TEXT_PMID;
                        STEP(RULE_TEXT_MOVE);
                }
        |       INDOM ARROW indom_id            {
                        p->next.id = $3.id;
                        p->next.type = PM_TEXT_INDOM;
                        STEP(RULE_TEXT_MOVE);
                }
        ;

label:          LABEL CONTEXT which             { p->next.type = PM_LABEL_CONTEXT; STEP(RULE_LABEL); }
        |       LABEL DOMAIN domain which       {
                        p->next.type = PM_LABEL_DOMAIN;
                        p->next.id = $3.id;
                        STEP(RULE_LABEL);
                }
        |       LABEL CLUSTER cluster which     {
                        p->next.type = PM_LABEL_CLUSTER;
                        p->next.id = $3.id;
                        STEP(RULE_LABEL);
                }
        |       LABEL ITEM metric_id which      {
                        p->next.type = PM_LABEL_ITEM;
                        p->next.id = $3.id;
                        STEP(RULE_LABEL);
                }
        |       LABEL INDOM indom_id which      {
                        p->next.type = PM_LABEL_INDOM;
                        p->next.id = $3.id;
                        STEP(RULE_LABEL);
                }
        |       LABEL INSTANCES indom_id instance {
                        p->next.type = PM_LABEL_INSTANCES;
                        p->next.id = $3.id;
                        STEP(RULE_LABEL);
                }
        ;

instance:       %empty
        |       STAR which
        |       STRING which                    { p->next.inst = $1.text; }
        |       NUMBER which                    {
                        MUST(rules_set_insts(p, $1.number, 0));
                        p->next.flags |= RULE_BY_NUMBER;
                }
        ;

which:          %empty
        |       STAR
        |       STAR label_value                { p->next.value = $2.text; }
        |       STRING                          { p->next.text = $1.text; }
        |       STRING label_value              { p->next.text = $1.text; p->next.value = $2.text; }
        |       STAR STAR
        |       STRING STAR                     { p->next.text = $1.text; }
        ;

label_value:    STRING                          { MUST(rules_json_string(p, &$1, &$$)); }
        |       NUMBER
        |       TWO
        |       REAL
        |       MINUS REAL                      { MUST(rules_json_minus(p, &$2, &$$)); }
        |       MINUS NUMBER                    { MUST(rules_json_minus(p, &$2, &$$)); }
        |       MINUS TWO                       { MUST(rules_json_minus(p, &$2, &$$)); }
        |       JSON_WORD
        |       NULL_WORD
        ;

labels:         %empty
        |       labels label_clause
        ;

label_clause:   DELETE                          { STEP(RULE_LABEL_DELETE); }
        |       NEW STRING label_value          {
                        p->next.text = $2.text;
                        p->next.value = $3.text;
                        STEP(RULE_LABEL_NEW);
                }
        |       LABEL ARROW STRING              { p->next.text = $3.text; STEP(RULE_LABEL_NAME); }
        |       VALUE ARROW label_value         { p->next.value = $3.text; STEP(RULE_LABEL_VALUE); }
        |       INSTANCE ARROW NUMBER           {
                        MUST(rules_set_insts(p, 0, $3.number));
                        STEP(RULE_LABEL_INSTANCE);
                }
        |       DOMAIN ARROW domain             { p->next.type = PM_LABEL_DOMAIN; p->next.id = $3.id; STEP(RULE_LABEL_MOVE); }
        |       CLUSTER ARROW cluster           { p->next.type = PM_LABEL_CLUSTER; p->next.id = $3.id; STEP(RULE_LABEL_MOVE); }
        |       ITEM ARROW pmid                 { p->next.type = PM_LABEL_ITEM; p->next.id = $3.id; STEP(RULE_LABEL_MOVE); }
        |       INDOM ARROW indom_id            { p->next.type = PM_LABEL_INDOM; p->next.id = $3.id; STEP(RULE_LABEL_MOVE); }
        |       INSTANCES ARROW indom_id        { p->next.type = PM_LABEL_INSTANCES; p->next.id = $3.id; STEP(RULE_LABEL_MOVE); }
        ;

domain:         NUMBER                          {
                        $$.id = rules_domain($1.number);
                        MUST(rules_check_pmid(p, &$$.id));
                }
        ;

cluster:        TWO                             { $$.id = rules_numbers($1.text, false); MUST(rules_check_pmid(p, &$$.id)); }
        |       TWO_STAR                        { $$.id = rules_numbers($1.text, false); MUST(rules_check_pmid(p, &$$.id)); }
        ;

%%

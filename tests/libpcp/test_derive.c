/*
 * test_derive - derived metrics: what the grammar takes and where it finds mistakes, the descriptor
 * and the values of each function and operator, and the calls that define metrics.
 */
#include <math.h>
#include <unistd.h>

#include "derive_source.h"
#include "libpcp/derive/derive.h"
#include "libpcp/derive/plan.h"
#include "libpcp/derive/register.h"
#include "pcp_test.h"

/* ---- Words and grammar ---------------------------------------------------------------------- */

#define AFTER_NAME "Arithmetic or relational or boolean operator expected to follow NAME"
#define AFTER(op)  "Arithmetic expression expected to follow " op

/* clang-format off */
static const struct {
	const char *expr;
	int at; /* of the mistake; -2: there is none */
	const char *reason;
} texts[] = {
	{ "a", -2, NULL }, { "a.b_c.d9", -2, NULL }, { "a.", -2, NULL }, { ".5", -2, NULL },
	{ "a[x]", -2, NULL }, { "(a)[x]", -2, NULL }, { "a[x\\]y]", -2, NULL },
	{ "!a+b", -2, NULL }, { "a?b:c?d:e", -2, NULL }, { "- - a", -2, NULL },
	{ "matchinst(!/x\\/y/, a)/3", -2, NULL }, { "mkconst(1,type=u32,units=\"kbyte\")", -2, NULL },
	{ "4294967295", -2, NULL }, { "avg", -2, NULL }, { "1 /x/ 2", -2, NULL },
	{ "", -1, NULL }, { " ", 0, NULL }, { "1 2", 2, NULL }, { "1 = 2", 2, NULL },
	{ "4294967296", 0, "Constant value too large" },
	{ "99999999999999999999999", 0, "Constant value too large" },
	{ "1 +", 2, AFTER("PLUS") }, { "1 - )", 4, AFTER("MINUS") }, { "1 *", 2, AFTER("STAR") },
	{ "1 /", 2, AFTER("SLASH") }, { "1 < )", 4, AFTER("LT") }, { "1 <= )", 5, AFTER("LEQ") },
	{ "1 == )", 5, AFTER("EQ") }, { "1 >= )", 5, AFTER("GEQ") }, { "1 > )", 4, AFTER("GT") },
	{ "1 != )", 5, AFTER("NEQ") }, { "-", 0, AFTER("NEG") }, { "a ? 1", 4, AFTER("QUEST") },
	{ "a ? 1 :", 6, AFTER("COLON") },
	{ "1 && )", 5, "Boolean expression expected to follow AND" },
	{ "1 || )", 5, "Boolean expression expected to follow OR" },
	{ "! )", 2, "Boolean expression expected to follow NOT" },
	{ "a b", 2, AFTER_NAME }, { "a ! b", 2, AFTER_NAME }, { "(1+2", 3, "Unexpected initial '('" },
	{ "+ 1", 2, "Unexpected initial '+'" }, { "&& 1", 3, "Unexpected initial '&&'" },
	{ "1 (", 2, "Unexpected '('" }, { "1+2) 3", 5, "Unexpected ')'" },
	{ "avg(3)", 4, "Metric name expected to follow avg(" },
	{ "anon(3)", 5, "Metric name expected to follow anon(" },
	{ "anon(foo)", 8, "type=foo not allowed for anon()" },
	{ "rescale(a", 8, "Arithmetic or relational or boolean operator expected to follow rescale(" },
	{ "rescale(a,b)", 10, "Units string expected to follow rescale(<expr>," },
	{ "rescale(a,\"foo\")", 15, "Illegal units: 'unrecognized or duplicate base unit'" },
	{ "matchinst(a,b)", 10, "<filter>, <expr>) expected to follow matchinst(" },
	{ "matchinst(/a/ b)", 14, ", <expr>) expected to follow matchinst(<filter>" },
	{ "matchinst(/a/,)", 14, "<expr>) expected to follow matchinst(<filter>," },
	{ "matchinst(/a(/,b)", 10, "bad regular expression: 'Unmatched ( or \\('" },
	{ "matchinst(/a/,b/3)", 15, "unterminated pattern" },
	{ "scalar()", 7, "<expr> expected to follow scalar(" },
	{ "mkconst(1,type=foo)", 15, "Unrecognized value for type 'foo'" },
	{ "mkconst(1,semantics=3)", 20, "Unrecognized value for semantics '3'" },
	{ "mkconst(1.5,type=64)", 19, "Incompatible floating point constant and type '64'" },
	{ "mkconst(1)", 9, NULL }, { "defined(3)", 8, NULL },
	{ "a & b", 2, "Illegal character" }, { "a[x", 1, "unterminated instance name" },
	{ "\"a", 0, "unterminated STRING" },
};
/* clang-format on */

static void test_texts(void **state)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char name[32];
		int at = -2;
		int r;

		snprintf(name, sizeof(name), "texts.t%zu", i);
		r = register_global(name, texts[i].expr, &at);
		assert_int_equal(r, texts[i].at == -2 ? 0 : PM_ERR_BADDERIVE);
		if (r < 0)
			assert_int_equal(at, texts[i].at);
		if (texts[i].reason == NULL)
			assert_null(register_reason());
		else
			assert_string_equal(register_reason(), texts[i].reason);
	}
}

/* Each beginning of each text is read, or has a mistake within. */
static void test_cut(void **state)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[128];

		for (int len = (int)strlen(texts[i].expr); len > 0; len--) {
			int at = 0;

			snprintf(text, sizeof(text), "%.*s", len, texts[i].expr);
			/* The name is taken: nothing is added. */
			assert_int_equal(register_global("event.flags", text, &at),
					 PM_ERR_BADDERIVE);
			assert_in_range(at + 1, 0, len + 1);
		}
	}
}

/* Neither a deep nor a long expression is too much for the stack. */
static void test_long(void **state)
{
	enum { TERMS = 200000, DEPTH = 2000 };
	char *text = malloc(2 * TERMS + 2);
	int at;

	for (int i = 0; i < TERMS; i++)
		memcpy(text + 2 * (size_t)i, "1+", 2);
	memcpy(text + 2 * TERMS, "1", 2);
	assert_int_equal(register_global("long.sum", text, &at), 0);
	memset(text, '(', DEPTH);
	memset(text + DEPTH, ')', 2 * DEPTH);
	text[DEPTH] = '1';
	text[2 * DEPTH + 1] = '\0';
	assert_int_equal(register_global("long.depth", text, &at), 0);
	free(text);
}

/* ---- Meaning and values --------------------------------------------------------------------- */

/* The descriptor and the values of two fetches, or the reason. */
/* clang-format off */
static const struct {
	const char *expr;
	const char *outcome;
} meanings[] = {
	{ "t.one", "32 instant scalar none; 1; 1" },
	{ "t.text", "STRING instant scalar none; hi; hi" },
	{ "t.i32 + t.one", "32 instant set none; 1:12 2:22 3:32; 1:13 2:23 3:33" },
	{ "t.one + t.i32", "32 instant set none; 1:12 2:22 3:32; 1:13 2:23 3:33" },
	{ "t.u32 - 100", "U32 instant set none; 1:4294967207 2:4294967217 3:4294967227; 1:4294967208 2:4294967218 3:4294967228" },
	{ "t.i64 * t.u32", "64 instant set none; 1:121 2:441 3:961; 1:144 2:484 3:1024" },
	{ "t.u64 - t.i32", "U64 instant set none; 1:0 2:0 3:0; 1:0 2:0 3:0" },
	{ "t.float / t.i32", "DOUBLE instant set none; 1:1 2:1 3:1; 1:1 2:1 3:1" },
	{ "t.double + t.float", "DOUBLE instant set none; 1:22 2:42 3:62; 1:24 2:44 3:64" },
	{ "0 / 0", "DOUBLE discrete scalar none; 0; 0" },
	{ "t.i32 + t.few", "32 instant set none; 1:22 3:62; 1:24 3:64" },
	{ "t.few + t.i32", "32 instant set none; 1:22 3:62; 1:24 3:64" },
	{ "t.i32 + t.none", "32 instant set none; ; " },
	{ "t.i32 + t.wrong", "32 instant set none; error -12389; error -12389" },
	{ "t.i32 < 22", "U32 instant set none; 1:1 2:1 3:0; 1:1 2:0 3:0" },
	{ "t.i32 <= 21", "U32 instant set none; 1:1 2:1 3:0; 1:1 2:0 3:0" },
	{ "t.double == 21", "U32 instant set none; 1:0 2:1 3:0; 1:0 2:0 3:0" },
	{ "t.i64 >= 21", "U32 instant set none; 1:0 2:1 3:1; 1:0 2:1 3:1" },
	{ "t.u64 > 21", "U32 instant set none; 1:0 2:0 3:1; 1:0 2:1 3:1" },
	{ "t.float != 21", "U32 instant set none; 1:1 2:0 3:1; 1:1 2:1 3:1" },
	{ "t.i32 < 22 && t.i32 > 12", "U32 instant set none; 1:0 2:1 3:0; 1:0 2:0 3:0" },
	{ "0 || 0.5", "U32 discrete scalar none; 1; 1" },
	{ "!t.double", "DOUBLE instant set none; 1:0 2:0 3:0; 1:0 2:0 3:0" },
	{ "!0.0", "DOUBLE discrete scalar none; 1; 1" },
	{ "-t.u32", "32 instant set none; 1:-11 2:-21 3:-31; 1:-12 2:-22 3:-32" },
	{ "-1*3", "32 instant scalar none; -3; -3" },
	{ "-t.u64", "64 instant set none; 1:-11 2:-21 3:-31; 1:-12 2:-22 3:-32" },
	{ "-t.float", "FLOAT instant set none; 1:-11 2:-21 3:-31; 1:-12 2:-22 3:-32" },
	{ "avg(t.i32)", "FLOAT instant scalar none; 21; 22" },
	{ "sum(t.u64)", "U64 instant scalar none; 63; 66" },
	{ "min(t.double)", "DOUBLE instant scalar none; 11; 12" },
	{ "max(t.i64)", "64 instant scalar none; 31; 32" },
	{ "count(t.few)", "U32 instant scalar count; 2; 2" },
	{ "avg(t.none)", "FLOAT instant scalar none; 0; 0" },
	{ "sum(t.none)", "32 instant scalar none; 0; 0" },
	{ "max(t.none)", "32 instant scalar none; ; " },
	{ "min(t.none)", "32 instant scalar none; ; " },
	{ "count(t.none)", "U32 instant scalar count; 0; 0" },
	{ "count(t.wrong)", "U32 instant scalar count; 0; 0" },
	{ "sum(t.wrong)", "32 instant scalar none; error -12389; error -12389" },
	{ "delta(t.u32)", "64 instant set none; ; 1:1 2:1 3:1" },
	{ "delta(t.u64)", "DOUBLE instant set none; ; 1:1 2:1 3:1" },
	{ "delta(t.i32)", "32 instant set none; ; 1:1 2:1 3:1" },
	{ "rate(t.ctr)", "DOUBLE instant scalar byte / sec; ; 500" },
	{ "rate(t.time)", "DOUBLE instant scalar none; ; 0.5" },
	{ "instant(t.ctr)", "U32 instant scalar byte; 1000; 2000" },
	{ "defined(t.one)", "U32 discrete scalar none; 1; 1" },
	{ "defined(t.nothing)", "U32 discrete scalar none; 0; 0" },
	{ "rescale(t.ctr, \"kbyte\")", "U32 counter scalar Kbyte; 1; 2" },
	{ "rescale(t.time, \"sec\")", "64 counter scalar sec; 1; 2" },
	{ "anon(PM_TYPE_FLOAT)", "FLOAT discrete scalar none; ; " },
	{ "mkconst(3000000000,type=32)", "32 discrete scalar none; -1294967296; -1294967296" },
	{ "mkconst(7,type=DOUBLE,semantics=counter,units=sec)", "DOUBLE counter scalar sec; 7; 7" },
	{ "t.i32[two]", "32 instant set none; 2:21; 2:22" },
	{ "t.i32[three]", "32 instant set none; 3:31; 3:32" },
	{ "t.i32[three men]", "32 instant set none; 3:31; 3:32" },
	{ "t.i32[th]", "32 instant set none; ; " },
	{ "(t.i32 + 1)[one]", "U32 instant set none; 1:12; 1:13" },
	{ "t.one[one]", "32 instant scalar none; ; " },
	{ "matchinst(/^t/, t.i32)", "32 instant set none; 2:21 3:31; 2:22 3:32" },
	{ "matchinst(!/^t/, t.i32)", "32 instant set none; 1:11; 1:12" },
	{ "matchinst(/men/, t.i32)", "32 instant set none; ; " },
	{ "scalar(t.i32[two]) + t.few", "32 instant set none; 1:32 3:52; 1:34 3:54" },
	{ "t.i32 > 20 ? t.i32 : -t.i32", "32 instant set none; 1:-11 2:21 3:31; 1:-12 2:22 3:32" },
	{ "t.one ? t.i32 : t.one", "32 instant set none; 1:11 2:21 3:31; 1:12 2:22 3:32" },
	{ "!t.one ? t.i32 : t.one", "32 instant set none; 1:1 2:1 3:1; 1:1 2:1 3:1" },
	{ "t.one ? t.few : t.i32", "32 instant set none; 1:11 3:31; 1:12 3:32" },
	{ "t.one ? t.text : t.text", "STRING instant scalar none; hi; hi" },
	{ "t.one ? t.none : t.one", "32 instant scalar none; ; " },
	{ "mkconst(3,units=byte) + mkconst(1,units=kbyte)", "DOUBLE discrete scalar Kbyte; 1.00293; 1.00293" },
	{ "t.ctr + t.ctr", "U32 counter scalar byte; 2000; 4000" },
	{ "t.ctr / 2", "DOUBLE counter scalar byte; 500; 1000" },
	{ "event.missed + 1", "U32 discrete scalar none; error -12386; error -12386" },
	{ "t.nothing + 1", "bad" },
	{ "t.text + 1", "Non-arithmetic type for left operand" },
	{ "1 + t.text", "Non-arithmetic type for right operand" },
	{ "-t.text", "Non-arithmetic operand for unary negation" },
	{ "!t.text", "Non-arithmetic operand for boolean negation" },
	{ "avg(t.text)", "Non-arithmetic operand for function" },
	{ "rescale(t.text,\"sec\")", "Non-arithmetic operand for function" },
	{ "rescale(t.ctr,\"sec\")", "Incompatible dimensions" },
	{ "t.i32 + t.other", "Operands should have the same instance domain" },
	{ "t.ctr + 1", "Illegal operator for counter and non-counter" },
	{ "t.ctr * t.ctr", "Illegal operator for counters" },
	{ "1 / t.ctr", "Illegal operator for non-counter and counter" },
	{ "t.ctr * mkconst(2,units=sec)", "Non-counter and not dimensionless for right operand" },
	{ "mkconst(2,units=sec) * t.ctr", "Non-counter and not dimensionless for left operand" },
	{ "t.ctr + t.time", "Dimensions are not the same" },
	{ "t.ctr && 1", "Dimensions are not the same" },
	{ "rate(mem)", "bad" },
	{ "t.text ? 1 : 2", "Non-arithmetic operand for ternary guard" },
	{ "t.i32 ? 1 : 2", "Non-scalar ternary guard with scalar expressions" },
	{ "1 ? t.one : 1", "Different types for ternary operands" },
	{ "1 ? t.ctr : t.u32", "Different semantics for ternary operands" },
	{ "1 ? mkconst(1,units=sec) : 1", "Different units or scale (time) for ternary operands" },
	{ "1 ? mkconst(1,units=byte) : 1", "Different units or scale (space) for ternary operands" },
	{ "1 ? mkconst(1,units=count) : 1", "Different units or scale (count) for ternary operands" },
	{ "1 ? t.i32 : t.other", "Different instance domains for ternary operands" },
};
/* clang-format on */

static void put_value(struct buffer *out, const pmValueSet *set, int i, int type)
{
	pmAtomValue atom;

	if (set->vlist[i].inst != (int)PM_IN_NULL)
		buffer_printf(out, "%d:", set->vlist[i].inst);
	if (type == PM_TYPE_STRING) {
		buffer_printf(out, "%s", set->vlist[i].value.pval->vbuf);
		return;
	}
	assert_int_equal(pmExtractValue(set->valfmt, &set->vlist[i], type, &atom, PM_TYPE_DOUBLE),
			 0);
	if (fabs(atom.d) < 1e6 && atom.d != floor(atom.d))
		buffer_printf(out, "%g", atom.d);
	else
		buffer_printf(out, "%.0f", atom.d);
}

static void put_fetch(struct buffer *out, struct context *ctx, const pmDesc *desc)
{
	pmHighResResult *result;
	const pmValueSet *set;

	assert_int_equal(plan_fetch(ctx, 1, &desc->pmid, &result), 0);
	set = result->vset[0];
	assert_int_equal(set->pmid, desc->pmid);
	if (set->numval < 0)
		buffer_printf(out, "; error %d", set->numval);
	else
		buffer_printf(out, ";");
	for (int i = 0; i < set->numval; i++) {
		buffer_printf(out, " ");
		put_value(out, set, i, desc->type);
	}
	if (set->numval == 0)
		buffer_printf(out, " ");
	pmFreeHighResResult(result);
}

static void put_outcome(struct buffer *out, struct context *ctx, const char *expr)
{
	enum fault fault;
	pmDesc desc;
	char units[60];
	int at;
	int r = register_own(ctx, "m.x", expr, &at, &fault);

	if (r < 0) {
		assert_int_equal(fault, FAULT_SEMANTIC);
		buffer_printf(out, "%s", register_reason());
		return;
	}
	r = derive_desc(ctx, derive_by_name(ctx, "m.x")->pmid, &desc);
	if (r < 0) {
		assert_int_equal(r, PM_ERR_BADDERIVE);
		buffer_printf(out, "bad");
		return;
	}
	pmUnitsStr_r(&desc.units, units, sizeof(units));
	buffer_printf(out, "%s %s %s %s", pmTypeStr(desc.type), pmSemStr(desc.sem),
		      desc.indom == PM_INDOM_NULL ? "scalar" : "set",
		      *units == '\0' ? "none" : units);
	put_fetch(out, ctx, &desc);
	put_fetch(out, ctx, &desc);
}

static void test_meanings(void **state)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct buffer out = BUFFER_INIT;
		struct context ctx;

		source_init(&ctx);
		put_outcome(&out, &ctx, meanings[i].expr);
		if (strcmp(buffer_str(&out), meanings[i].outcome) != 0)
			fail_msg("%s: <%s> is not <%s>", meanings[i].expr, buffer_str(&out),
				 meanings[i].outcome);
		buffer_done(&out);
		source_done(&ctx);
	}
}

/* ---- Fetches -------------------------------------------------------------------------------- */

static pmID own_metric(struct context *ctx, const char *name, const char *expr)
{
	enum fault fault;
	int at;

	assert_int_equal(register_own(ctx, name, expr, &at, &fault), 0);
	return derive_by_name(ctx, name)->pmid;
}

/* Operands that several metrics and the caller want are asked for once. */
static void test_shared_operands(void **state)
{
	const char *const name = "t.i32";
	struct context ctx;
	pmHighResResult *result;
	pmID pmids[5];

	source_init(&ctx);
	pmids[0] = own_metric(&ctx, "f.a", "t.i32 + t.few");
	pmids[1] = own_metric(&ctx, "f.b", "t.i32 * t.few + t.one");
	ctx.ops->lookup_names(&ctx, 1, &name, &pmids[2]);
	pmids[3] = pmids[0];
	pmids[4] = pmID_build(DYNAMIC_PMID, 2047, 1); /* no such metric */
	assert_true(plan_needed(5, pmids));
	assert_false(plan_needed(1, &pmids[2]));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(plan_fetch(&ctx, 5, pmids, &result), 0);
		assert_int_equal(source_asked, 3);
		assert_int_equal(result->numpmid, 5);
		assert_int_equal(result->vset[0]->numval, 2);
		assert_int_equal(result->vset[1]->numval, 2);
		assert_int_equal(result->vset[2]->numval, 3);
		assert_int_equal(result->vset[2]->vlist[1].value.lval, 21 + i);
		assert_int_equal(result->vset[3]->vlist[1].value.lval, 62 + 2 * i);
		assert_int_equal(result->vset[4]->numval, PM_ERR_PMID);
		pmFreeHighResResult(result);
	}
	source_done(&ctx);
}

/* A metric of a context hides a global one; names that cannot be computed are not listed. */
static void test_lists(void **state)
{
	const char **names;
	struct context ctx;
	size_t seen = 0;
	int at;
	int n;

	source_init(&ctx);
	assert_int_equal(register_global("l.same", "1", &at), 0);
	assert_int_equal(register_global("l.bad", "t.nothing", &at), 0);
	assert_int_equal(register_global("l.same", "1", &at), PM_ERR_BADDERIVE);
	assert_string_equal(register_reason(), "Duplicate global derived metric name");
	assert_int_equal(own_metric(&ctx, "l.same", "t.one"), 0xffdfffff);
	assert_int_equal(own_metric(&ctx, "l.own", "t.one"), 0xffdffffe);
	n = derive_names(&ctx, true, &names);
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		assert_string_not_equal(names[i], "l.bad");
		seen += strncmp(names[i], "l.", 2) == 0;
	}
	assert_int_equal(seen, 2);
	free(names);
	assert_ptr_equal(derive_by_pmid(&ctx, 0xffdffffe), derive_by_name(&ctx, "l.own"));
	assert_null(derive_by_pmid(&ctx, 0xffdffffd));
	assert_null(derive_by_pmid(NULL, 0xffdffffe));
	source_done(&ctx);
}

/* ---- Public calls --------------------------------------------------------------------------- */

static void test_calls(void **state)
{
	char *message = NULL;
	const char *expr = "t.one +";
	int value = 0;

	assert_int_equal(pmRegisterDerivedMetric("c.a", expr, &message), -1);
	assert_string_equal(message, "Error: pmRegisterDerivedMetric(\"c.a\", ...)\nt.one +\n"
				     "      ^\nArithmetic expression expected to follow PLUS\n");
	free(message);
	assert_ptr_equal(pmRegisterDerived("c.a", expr), expr + 6);
	assert_string_equal(pmDerivedErrStr(), "Arithmetic expression expected to follow PLUS");
	assert_null(pmRegisterDerived("c.a", "1"));
	assert_null(pmDerivedErrStr());
	assert_int_equal(pmAddDerivedMetric("c.b", "1", &message), PM_ERR_NOCONTEXT);
	assert_string_equal(message, "Error: pmAddDerivedMetric(\"c.b\", ...): returns -12376\n"
				     "Attempt to use an illegal context\n");
	free(message);
	assert_int_equal(pmGetDerivedControl(PCP_DERIVED_GLOBAL_LIMIT, &value), 0);
	assert_int_equal(value, -1);
	assert_int_equal(pmSetDerivedControl(PCP_DERIVED_GLOBAL_LIMIT, 1), 0);
	assert_non_null(pmRegisterDerived("c.c", "1"));
	assert_string_equal(pmDerivedErrStr(), "Too many global derived metrics");
	assert_int_equal(pmSetDerivedControl(PCP_DERIVED_GLOBAL_LIMIT, -1), 0);
	assert_int_equal(pmSetDerivedControl(0, 1), PM_ERR_BADDERIVE);
	assert_int_equal(pmGetDerivedControl(6, &value), PM_ERR_BADDERIVE);
}

static void test_file(void **state)
{
	char path[] = "/tmp/derive-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	fputs("# comment\n\nf.a = 1\nf.a(oneline) = one\nf.a(helptext) = 'two\nlines'\nf.b = 2 +\n"
	      "9 = 3\nf.c = 3",
	      f);
	fclose(f);
	assert_int_equal(pmLoadDerivedConfig(path), 1);
	assert_string_equal(registry_text(registry_by_name("f.a"), true), "one");
	assert_string_equal(registry_text(registry_by_name("f.a"), false), "two\nlines");
	assert_null(registry_by_name("f.c"));
	unlink(path);
	assert_int_equal(pmLoadDerivedConfig(path), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_long),
	    cmocka_unit_test(test_meanings),
	    cmocka_unit_test(test_shared_operands),
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_file),
	};

	setenv("PCP_DERIVED_CONFIG", "", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

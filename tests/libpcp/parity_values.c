/*
 * parity_values - values out of results, scaled, printed, made from text: see parity.py.
 */
#include <float.h>
#include <math.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const int all_types[] = {PM_TYPE_NOSUPPORT,
				PM_TYPE_32,
				PM_TYPE_U32,
				PM_TYPE_64,
				PM_TYPE_U64,
				PM_TYPE_FLOAT,
				PM_TYPE_DOUBLE,
				PM_TYPE_STRING,
				PM_TYPE_AGGREGATE,
				PM_TYPE_AGGREGATE_STATIC,
				PM_TYPE_EVENT,
				PM_TYPE_HIGHRES_EVENT,
				PM_TYPE_UNKNOWN,
				12,
				77};

static const double reals[] = {0,
			       0.4,
			       0.5,
			       -0.4,
			       -0.5,
			       1,
			       -1,
			       1.5,
			       -1.5,
			       2147483646,
			       2147483647,
			       2147483648.0,
			       -2147483646.0,
			       -2147483647.0,
			       -2147483648.0,
			       -2147483649.0,
			       4294967294.0,
			       4294967295.0,
			       4294967296.0,
			       4294967297.0,
			       9.2e18,
			       9223372036854775807.0,
			       -9.2e18,
			       -9223372036854775808.0,
			       -1e19,
			       1.8e19,
			       18446744073709551615.0,
			       1e20,
			       -1e20,
			       1e38,
			       1e300,
			       -1e300,
			       INFINITY,
			       -INFINITY,
			       NAN,
			       1e-40,
			       123456.789};
static const int64_t integers[] = {0,
				   1,
				   -1,
				   2147483646,
				   2147483647,
				   2147483648,
				   -2147483647,
				   -2147483648LL,
				   -2147483649LL,
				   -3000000000LL,
				   4294967294,
				   4294967295,
				   4294967296,
				   INT64_MAX,
				   INT64_MIN,
				   INT64_MIN + 1,
				   1LL << 53,
				   (1LL << 53) + 1,
				   123456789};

/* A value block big enough for all here. */
union block {
	pmValueBlock b;
	char bytes[64];
};

static union block make_block(const void *bytes, size_t len, int vtype)
{
	union block u;

	memset(&u, 0, sizeof(u));
	u.b.vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	u.b.vtype = (unsigned int)vtype;
	memcpy(u.b.vbuf, bytes, len);
	return u;
}

static void extract(const char *what, int valfmt, const pmValue *v, int itype)
{
	for (size_t i = 0; i < COUNT(all_types); i++) {
		pmAtomValue a;
		int otype = all_types[i];
		int r = pmExtractValue(valfmt, v, itype, &a, otype);

		printf("extract %s fmt %d %d to %d: %d", what, valfmt, itype, otype, r);
		if (r == 0 && otype == PM_TYPE_STRING)
			printf(" %s\n", a.cp);
		else if (r == 0 && otype == PM_TYPE_AGGREGATE)
			printf(" %u %.*s\n", a.vbp->vlen, (int)a.vbp->vlen - 4, a.vbp->vbuf);
		else
			printf(" %" PRIx64 "\n", (uint64_t)a.ull);
		if (r == 0 && (otype == PM_TYPE_STRING || otype == PM_TYPE_AGGREGATE))
			free(a.cp);
	}
}

static void print_value(const char *what, int valfmt, const pmValue *v, int type)
{
	static const int widths[] = {0, 1, 8, 20, 40};

	for (size_t i = 0; i < COUNT(widths); i++) {
		printf("print %s fmt %d type %d width %d: <", what, valfmt, type, widths[i]);
		pmPrintValue(stdout, valfmt, type, v, widths[i]);
		printf(">\n");
	}
}

static void insitu(void)
{
	for (size_t i = 0; i < COUNT(integers); i++)
		for (size_t t = 0; t < COUNT(all_types); t++) {
			pmValue v = {.inst = 1, .value.lval = (int)integers[i]};
			char what[40];

			snprintf(what, sizeof(what), "insitu %x", (unsigned int)v.value.lval);
			extract(what, PM_VAL_INSITU, &v, all_types[t]);
			if (all_types[t] != PM_TYPE_HIGHRES_EVENT)
				print_value(what, PM_VAL_INSITU, &v, all_types[t]);
		}
	for (size_t i = 0; i < COUNT(reals); i++) {
		float f = (float)reals[i];
		pmValue v = {.inst = 1};
		char what[40];

		memcpy(&v.value.lval, &f, sizeof(f));
		snprintf(what, sizeof(what), "insitu %a", (double)f);
		extract(what, PM_VAL_INSITU, &v, PM_TYPE_FLOAT);
		print_value(what, PM_VAL_INSITU, &v, PM_TYPE_FLOAT);
		print_value(what, PM_VAL_INSITU, &v, PM_TYPE_UNKNOWN);
	}
}

/* Each type's bytes in a block, under each type's name. */
static void blocks(const char *what, const void *bytes, size_t len, int type)
{
	for (size_t t = 0; t < COUNT(all_types); t++) {
		union block u = make_block(bytes, len, type);
		pmValue v = {.inst = 1, .value.pval = &u.b};
		int itype = all_types[t];

		extract(what, PM_VAL_DPTR, &v, itype);
		extract(what, PM_VAL_SPTR, &v, itype);
		if (itype == type)
			extract(what, 7, &v, itype);
		if (itype == type || itype == PM_TYPE_UNKNOWN || itype == PM_TYPE_AGGREGATE)
			print_value(what, PM_VAL_DPTR, &v, itype);
		u.b.vtype = 0;
		extract(what, PM_VAL_DPTR, &v, itype);
	}
}

static void pointers(void)
{
	char what[40];

	for (size_t i = 0; i < COUNT(integers); i++) {
		snprintf(what, sizeof(what), "ptr %" PRId64, integers[i]);
		blocks(what, &integers[i], 8, PM_TYPE_64);
		blocks(what, &integers[i], 8, PM_TYPE_U64);
		blocks(what, &integers[i], 4, PM_TYPE_32);
	}
	for (size_t i = 0; i < COUNT(reals); i++) {
		float f = (float)reals[i];

		snprintf(what, sizeof(what), "ptr %a", reals[i]);
		blocks(what, &reals[i], 8, PM_TYPE_DOUBLE);
		blocks(what, &f, 4, PM_TYPE_FLOAT);
	}
	blocks("hello", "hullo world!", 12, PM_TYPE_AGGREGATE);
	blocks("odd", "hullo\001", 6, PM_TYPE_AGGREGATE);
	blocks("four", "abcd", 4, PM_TYPE_AGGREGATE);
	blocks("eight", "abcdefgh", 8, PM_TYPE_AGGREGATE);
	blocks("none", "", 0, PM_TYPE_AGGREGATE);
	blocks("text", "a text", 7, PM_TYPE_STRING);
	blocks("notext", "", 1, PM_TYPE_STRING);
}

static const char *const unit_texts[] = {"byte",
					 "Kbyte",
					 "Mbyte",
					 "Gbyte",
					 "Tbyte",
					 "Pbyte",
					 "Ebyte",
					 "Zbyte",
					 "nanosec",
					 "microsec",
					 "millisec",
					 "sec",
					 "min",
					 "hour",
					 "count",
					 "count x 10",
					 "count x 10^2",
					 "count x 10^7",
					 "count x 10^-3",
					 "",
					 "byte / sec",
					 "Mbyte / sec",
					 "Kbyte / hour",
					 "count / sec",
					 "count x 10^3 / min",
					 "byte^2",
					 "Kbyte^2",
					 "sec^2",
					 "min^2",
					 "/ sec",
					 "/ min",
					 "Mbyte / millisec",
					 "sec / count",
					 "hour / count x 10^3",
					 "byte sec count"};

/* Values for which the reference's 64-bit product does not overflow. */
static void conv_scale(void)
{
	static const int64_t values[] = {0, 1, -1, 7, -7, 1535, 1536, -1536, 100000, -100001};

	for (size_t i = 0; i < COUNT(unit_texts); i++)
		for (size_t o = 0; o < COUNT(unit_texts); o++) {
			pmUnits from, to;
			double mult;
			char *msg;

			pmParseUnitsStr(unit_texts[i], &from, &mult, &msg);
			pmParseUnitsStr(unit_texts[o], &to, &mult, &msg);
			for (size_t v = 0; v < COUNT(values); v++)
				for (size_t t = 0; t < COUNT(all_types); t++) {
					pmAtomValue in = {.ll = values[v]}, out = {.ll = 0};
					int type = all_types[t], r;

					if (type == PM_TYPE_U32 || type == PM_TYPE_U64)
						in.ull = (uint64_t)llabs(values[v]);
					if (type == PM_TYPE_DOUBLE)
						in.d = (double)values[v] / 3;
					if (type == PM_TYPE_FLOAT) {
						in.ull = 0;
						in.f = (float)values[v] / 3;
					}
					r = pmConvScale(type, &in, &from, &out, &to);
					printf("scale %s to %s type %d %" PRId64 ": %d %" PRIx64
					       "\n",
					       unit_texts[i], unit_texts[o], type, values[v], r,
					       (uint64_t)out.ull);
				}
		}
}

static void from_text(void)
{
	static const char *const texts[] = {"0",
					    "1",
					    "-1",
					    "+5",
					    " 7",
					    "7 ",
					    "0x10",
					    "0X1f",
					    "-0x10",
					    "010",
					    "1.5",
					    "-1.5",
					    "1e3",
					    "abc",
					    "",
					    "2147483647",
					    "2147483648",
					    "-2147483648",
					    "-2147483649",
					    "4294967295",
					    "4294967296",
					    "9223372036854775807",
					    "9223372036854775808",
					    "-9223372036854775808",
					    "-9223372036854775809",
					    "18446744073709551615",
					    "18446744073709551616",
					    "1e38",
					    "1e39",
					    "1e-38",
					    "1e-39",
					    "1e308",
					    "1e309",
					    "1e-320",
					    "inf",
					    "nan",
					    "12x",
					    "0x",
					    "0xg",
					    "  0x10"};

	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t t = 0; t < COUNT(all_types); t++) {
			pmAtomValue a = {.ull = 0};
			int r;

			errno = 0; /* the reference leaves an old one standing */
			r = __pmStringValue(texts[i], &a, all_types[t]);

			printf("text <%s> type %d: %d", texts[i], all_types[t], r);
			if (all_types[t] == PM_TYPE_STRING)
				printf(" %s\n", a.cp);
			else
				printf(" %" PRIx64 "\n", r == 0 ? (uint64_t)a.ull : 0);
			if (all_types[t] == PM_TYPE_STRING)
				free(a.cp);
		}
}

static void stuff(void)
{
	union block u = make_block("some bytes", 10, PM_TYPE_AGGREGATE);

	for (size_t t = 0; t < COUNT(all_types); t++) {
		pmAtomValue a = {.ull = 0x4142434445464748};
		pmValue v = {.inst = 3};
		int r;

		if (all_types[t] == PM_TYPE_STRING)
			a.cp = (char *)"a string";
		else if (all_types[t] >= PM_TYPE_AGGREGATE && all_types[t] <= PM_TYPE_HIGHRES_EVENT)
			a.vbp = &u.b;
		r = __pmStuffValue(&a, &v, all_types[t]);
		printf("stuff %d: %d", all_types[t], r);
		if (r == PM_VAL_INSITU)
			printf(" %x\n", (unsigned int)v.value.lval);
		else if (r == PM_VAL_DPTR) {
			printf(" %u %u %.*s\n", v.value.pval->vlen, v.value.pval->vtype,
			       (int)v.value.pval->vlen - 4, v.value.pval->vbuf);
			free(v.value.pval);
		} else
			printf(" %d\n", r == PM_VAL_SPTR && v.value.pval == &u.b);
	}
}

static void sorted(void)
{
	union {
		pmValueSet set;
		char bytes[sizeof(pmValueSet) + 8 * sizeof(pmValue)];
	} u;
	static const int insts[] = {5, -1, 3, 99, 0, 2147483646, -7, 4};
	pmResult result = {.numpmid = 1, .vset = {&u.set}};
	pmValue *list = u.set.vlist;

	u.set.numval = 8;
	u.set.valfmt = PM_VAL_INSITU;
	for (int i = 0; i < 8; i++)
		list[i] = (pmValue){.inst = insts[i], .value.lval = i};
	pmSortInstances(&result);
	for (int i = 0; i < 8; i++)
		printf("sort %d: %d %d\n", i, list[i].inst, list[i].value.lval);
}

int main(void)
{
	insitu();
	pointers();
	conv_scale();
	from_text();
	stuff();
	sorted();
	return 0;
}

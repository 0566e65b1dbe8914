/*
 * parity_text - text forms over many inputs, one line each; parity.py runs it with our library and
 * with the reference and compares.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

static void errors(void)
{
	char buf[PM_MAXERRMSGLEN], small[12];

	for (int code = -25000; code <= 100; code++)
		printf("err %d: %s\n", code, pmErrStr_r(code, buf, sizeof(buf)));
	for (int code = -12360; code <= -12340; code++)
		printf("err small %d: %s\n", code, pmErrStr_r(code, small, sizeof(small)));
	printf("err static: %s\n", pmErrStr(PM_ERR_IPC));
	__pmDumpErrTab(stdout);
}

static void identifiers(void)
{
	static const unsigned int words[] = {0,          1,          0x00400803, 0x0f000800,
					     0x7fc00001, 0x7fc0f000, 0x7fe00001, 0x7fffffff,
					     0x80000000, 0xffffffff, 0xfffffffe, 0x7fc00000};
	char buf[32], small[6];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		unsigned int w = words[i];

		printf("id %x: %s %s %s %u %u %u\n", w, pmIDStr(w), pmIDStr_r(w, buf, sizeof(buf)),
		       pmIDStr_r(w, small, sizeof(small)), pmID_domain(w), pmID_cluster(w),
		       pmID_item(w));
		printf("indom %x: %s %s %u %u %x\n", w, pmInDomStr(w),
		       pmInDomStr_r(w, small, sizeof(small)), pmInDom_domain(w), pmInDom_serial(w),
		       pmInDom_build(w, w));
		printf("build %x: %x\n", w, pmID_build(w, w >> 3, w >> 7));
	}
}

static void names(void)
{
	char buf[64];

	for (int i = -5; i < 300; i++)
		printf("type %d: %s %s; sem %s %s\n", i, pmTypeStr(i), pmTypeStr_r(i, buf, 5),
		       pmSemStr(i), pmSemStr_r(i, buf + 8, 5));
	for (unsigned int i = 0; i < 64; i++) {
		printf("flags %u: %s\n", i, pmEventFlagsStr((int)i));
		printf("flags missed %u: %s\n", i,
		       pmEventFlagsStr((int)(i | PM_EVENT_FLAG_MISSED)));
	}
	printf("flags small: %d %d\n", pmEventFlagsStr_r(31, buf, 25) == NULL,
	       pmEventFlagsStr_r(31, buf, 26) == NULL);
}

static pmUnits units_of(int ds, int dt, int dc, unsigned int ss, unsigned int st, int sc)
{
	pmUnits u = {.dimSpace = ds,
		     .dimTime = dt,
		     .dimCount = dc,
		     .scaleSpace = ss,
		     .scaleTime = st,
		     .scaleCount = sc};

	return u;
}

/* All dimensions with one scale, then all scales with a few dimensions. */
static void units(void)
{
	static const int dims[][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {1, -1, 0},  {-1, 1, 2},
				      {0, 0, 0}, {0, 1, -1}, {2, -2, 3}, {-3, -1, -2}};
	char buf[60];

	for (int d = 0; d < 16 * 16 * 16; d++) {
		pmUnits u = units_of((d & 15) - 8, (d >> 4 & 15) - 8, (d >> 8) - 8, 1, 2, 3);

		printf("units dim %d: %s\n", d, pmUnitsStr_r(&u, buf, sizeof(buf)));
	}
	for (size_t d = 0; d < sizeof(dims) / sizeof(dims[0]); d++)
		for (unsigned int s = 0; s < 16 * 16 * 16; s++) {
			pmUnits u = units_of(dims[d][0], dims[d][1], dims[d][2], s & 15,
					     s >> 4 & 15, (int)(s >> 8) - 8);

			printf("units scale %zu %u: %s\n", d, s, pmUnitsStr(&u));
		}
	printf("units small %d\n", pmUnitsStr_r(&(pmUnits){0}, buf, 59) == NULL);
}

static void numbers(void)
{
	static const double at[] = {0,        0.004,   0.005,    0.0051,   1,        12345,
				    999.994,  999.995, 999.996,  99.994,   99.995,   99.996,
				    999994.9, 999995,  99995,    99994.9,  1e6,      1e9,
				    1e12,     1e13,    999995e3, 999995e6, 999995e9, 99995e3,
				    99995e6,  99995e9, 1e300,    123.456};
	char buf[16], small[4];

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		for (int sign = -1; sign <= 1; sign += 2)
			printf("number %.17g: <%s> <%s> <%s>\n", sign * at[i],
			       pmNumberStr(sign * at[i]),
			       pmNumberStr_r(sign * at[i], buf, sizeof(buf)),
			       pmNumberStr_r(sign * at[i], small, sizeof(small)));
	for (double v = 1e-6; v < 1e17; v *= 1.037)
		printf("number %.17g: <%s> <%s>\n", v, pmNumberStr(v),
		       pmNumberStr_r(-v, buf, sizeof(buf)));
	printf("number nan: <%s> <%s> <%s>\n", pmNumberStr(0.0 / 0.0),
	       pmNumberStr_r(1.0 / 0.0, buf, sizeof(buf)),
	       pmNumberStr_r(-1.0 / 0.0, buf + 8, sizeof(buf) - 8));
}

static void atom(const char *what, pmAtomValue a, int type)
{
	char buf[100], small[10];

	printf("atom %s %d: %s | %s | %s\n", what, type, pmAtomStr(&a, type),
	       pmAtomStr_r(&a, type, buf, sizeof(buf)),
	       pmAtomStr_r(&a, type, small, sizeof(small)));
}

static void atoms(void)
{
	static const uint64_t words[] = {0,
					 1,
					 0x7fffffff,
					 0x80000000u,
					 0xffffffffu,
					 1ull << 32,
					 0x7fffffffffffffffull,
					 ~0ull,
					 0x3ff0000000000000ull,
					 0x3f800000,
					 0x7ff0000000000000ull};
	static const int numeric[] = {PM_TYPE_32,  PM_TYPE_U32,   PM_TYPE_64,
				      PM_TYPE_U64, PM_TYPE_FLOAT, PM_TYPE_DOUBLE};
	char text[128];
	union {
		pmValueBlock block;
		pmEventArray events;
		char bytes[64];
	} u;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t t = 0; t < sizeof(numeric) / sizeof(numeric[0]); t++)
			atom("word", (pmAtomValue){.ull = words[i]}, numeric[t]);
	for (int len = 0; len < 60; len++) {
		memset(text, 'a', sizeof(text));
		text[len] = '\0';
		atom("string", (pmAtomValue){.cp = text}, PM_TYPE_STRING);
	}
	atom("null", (pmAtomValue){.cp = NULL}, PM_TYPE_STRING);
	atom("null", (pmAtomValue){.vbp = NULL}, PM_TYPE_AGGREGATE);
	for (unsigned int len = 0; len < 20; len++) {
		memset(&u, 0, sizeof(u));
		for (unsigned int i = 0; i < len; i++)
			u.bytes[PM_VAL_HDR_SIZE + i] = (char)(i * 17 + 200);
		u.block.vlen = PM_VAL_HDR_SIZE + len;
		u.block.vtype = len % 3 == 0 ? PM_TYPE_AGGREGATE : PM_TYPE_U64;
		atom("block", (pmAtomValue){.vbp = &u.block}, PM_TYPE_AGGREGATE);
		atom("block", (pmAtomValue){.vbp = &u.block}, PM_TYPE_AGGREGATE_STATIC);
	}
	for (int n = 0; n < 4; n++) {
		memset(&u, 0, sizeof(u));
		u.events.ea_nrecords = n;
		atom("events", (pmAtomValue){.vbp = &u.block}, PM_TYPE_EVENT);
		atom("events", (pmAtomValue){.vbp = &u.block}, PM_TYPE_HIGHRES_EVENT);
	}
	atom("bad", (pmAtomValue){.ull = 0}, PM_TYPE_NOSUPPORT);
	atom("bad", (pmAtomValue){.ull = 0}, PM_TYPE_UNKNOWN);
	atom("bad", (pmAtomValue){.ull = 0}, 11);
	atom("bad", (pmAtomValue){.ull = 0}, -2);
}

static void descs(void)
{
	for (int type = -3; type < 14; type++)
		for (int sem = 0; sem < 6; sem++) {
			pmDesc d = {.pmid = 1,
				    .type = type,
				    .indom = sem % 2 ? PM_INDOM_NULL
						     : pmInDom_build(60, (unsigned int)sem),
				    .sem = sem,
				    .units = units_of(sem - 2, 0, 0, 1, 0, 0)};

			printf("desc %d %d\n", type, sem);
			pmPrintDesc(stdout, &d);
		}
}

int main(void)
{
	errors();
	identifiers();
	names();
	units();
	numbers();
	atoms();
	descs();
	return 0;
}

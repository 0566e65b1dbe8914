/*
 * parity_system - debug flags, strings, times, zones, event records, messages: see parity.py.
 */
#include <pcp/deprecated.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print_flags(const char *what, const char *spec, int r)
{
	const int *flags = (const int *)&pmDebugOptions;

	printf("debug %s <%s>: %d bits %x", what, spec, r, (unsigned int)pmDebug);
	for (size_t i = 0; i < sizeof(pmDebugOptions) / sizeof(int); i++)
		if (flags[i] != 0)
			printf(" %zu=%d", i, flags[i]);
	printf("\n");
}

static void debug(void)
{
	static const char *const specs[] = {
	    "pdu",         "fetch,pdu",  "PDU",       "all",       "pdu,nonsense", "1",
	    "-1",          "0",          "1024",      "desperate", "tls,http",     "",
	    ",",           "pdu,",       " pdu",      "1,fetch",   "0x10",         "pd",
	    "appl0,appl9", "1073741824", "268435456", "536870912"};

	for (size_t i = 0; i < COUNT(specs); i++) {
		print_flags("set", specs[i], pmSetDebug(specs[i]));
		print_flags("set2", "libpmda", pmSetDebug("libpmda"));
		print_flags("clear", specs[i], pmClearDebug(specs[i]));
		pmClearDebug("all");
	}
	__pmSetDebugBits(0x40000005);
	print_flags("bits", "0x40000005", 0);
	__pmSetDebugBits(0);
}

static void strings(void)
{
	char buf[8];

	for (size_t size = 0; size <= sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		printf("sprintf %zu: %d", size, pmsprintf(buf, size, "%s", "hello"));
		printf(" <%.8s>\n", buf);
		memset(buf, 'x', sizeof(buf));
		printf("sprintf none %zu: %d", size, pmsprintf(buf, size, "%s", ""));
		printf(" <%.8s>\n", buf);
		if (size == 0)
			continue;
		memset(buf, 'x', sizeof(buf));
		printf("strncpy %zu: %d", size, pmstrncpy(buf, size, "hello"));
		printf(" <%.8s>\n", buf);
		strcpy(buf, "ab");
		if (size > 2) {
			printf("strncat %zu: %d", size, pmstrncat(buf, size, "cdef"));
			printf(" <%.8s>\n", buf);
		}
	}
	printf("strlen %zu %zu %zu\n", pmstrlen(NULL), pmstrlen(""), pmstrlen("abc"));
	printf("sep %c version %x\n", pmPathSeparator(), (unsigned int)pmGetVersion());
}

static void words(void)
{
	static const char text[] =
	    "one two\nthree\n\n  four\tfive  \n   \n six\n"
	    "a-very-long-word-that-does-not-fit-into-the-first-buffer-of-any-size-"
	    "0123456789012345678901234567890123456789 end";
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	ssize_t n;

	do {
		char *word = NULL;

		n = pmfstring(f, &word);
		printf("word %zd <%s>\n", n, n > 0 ? word : "");
		if (n > 0)
			free(word);
	} while (n >= 0);
	fclose(f);
}

static void timevals(void)
{
	static const struct timeval tv[] = {
	    {0, 0}, {1, 999999}, {100, 1}, {5, 500000}, {-3, 250000}};
	static const double real[] = {0, 1.5, 1.9999999, 1e9, -1.25, 0.000001, 123456.789012345};

	for (size_t i = 0; i < COUNT(tv); i++)
		for (size_t j = 0; j < COUNT(tv); j++) {
			struct timeval a = tv[i], b = tv[i];
			struct timespec ta = {tv[i].tv_sec, tv[i].tv_usec * 1000};
			struct timespec tb = ta, tj = {tv[j].tv_sec, tv[j].tv_usec * 1000};

			printf("time %zu %zu: %.17g %.17g %.17g %.17g\n", i, j,
			       pmtimevalAdd(&a, &tv[j]), pmtimevalSub(&a, &tv[j]),
			       pmtimespecAdd(&ta, &tj), pmtimespecSub(&ta, &tj));
			pmtimevalInc(&a, &tv[j]);
			pmtimevalDec(&b, &tv[j]);
			pmtimespecInc(&ta, &tj);
			pmtimespecDec(&tb, &tj);
			printf("time %zu %zu: %ld.%ld %ld.%ld %ld.%ld %ld.%ld %.17g %.17g\n", i, j,
			       a.tv_sec, a.tv_usec, b.tv_sec, b.tv_usec, ta.tv_sec, ta.tv_nsec,
			       tb.tv_sec, tb.tv_nsec, pmtimevalToReal(&a), pmtimespecToReal(&ta));
		}
	for (size_t i = 0; i < COUNT(real); i++) {
		struct timeval a;
		struct timespec b;

		pmtimevalFromReal(real[i], &a);
		pmtimespecFromReal(real[i], &b);
		printf("real %.17g: %ld.%ld %ld.%ld\n", real[i], a.tv_sec, a.tv_usec, b.tv_sec,
		       b.tv_nsec);
	}
}

static void show_times(const char *what)
{
	static const time_t at[] = {0, 951782400, 1700000000, 1690000000, 1711846800, 253402300799};
	char buf[64];
	struct tm tm;

	for (size_t i = 0; i < COUNT(at); i++) {
		struct timeval tv = {at[i], 123456};
		struct timespec ts = {at[i], 123456789};

		printf("zone %s %ld: %s", what, at[i], pmCtime(&at[i], buf));
		pmLocaltime(&at[i], &tm);
		printf("zone %s %d-%d-%d %d:%d:%d %d %ld ", what, tm.tm_year, tm.tm_mon, tm.tm_mday,
		       tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_isdst, tm.tm_gmtoff);
		pmPrintStamp(stdout, &tv);
		printf(" ");
		pmPrintHighResStamp(stdout, &ts);
		printf(" %ld\n", (long)__pmMktime(&tm));
	}
	printf("zone %s TZ is %s\n", what, getenv("TZ") ? getenv("TZ") : "not set");
}

static void zones(void)
{
	static const char *const names[] = {"UTC",
					    "GMT",
					    "CET-1CEST",
					    ":Europe/Vienna",
					    "EST5EDT",
					    "Asia/Kolkata",
					    "NZST-12NZDT,M9.5.0,M4.1.0/3",
					    "XYZ",
					    ""};
	char *tz = NULL;

	printf("which %d\n", pmWhichZone(&tz));
	printf("use %d %d\n", pmUseZone(0), pmUseZone(-1));
	show_times("none");
	for (size_t i = 0; i < COUNT(names); i++) {
		int handle = pmNewZone(names[i]);

		printf("new %s: %d which %d %s\n", names[i], handle, pmWhichZone(&tz), tz);
		show_times(names[i]);
	}
	printf("use %d %d\n", pmUseZone(2), pmUseZone(99));
	printf("which %d %s\n", pmWhichZone(&tz), tz);
	show_times("again");
	unsetenv("TZ");
	show_times("unset");
	setenv("TZ", "UTC", 1);
}

static void local_zone(void)
{
	static const char *const names[] = {"UTC",
					    "CET-1CEST",
					    "CET-1CEST,M3.5.0,M10.5.0/3",
					    ":Europe/Vienna",
					    "Europe/Vienna",
					    ":Asia/Kolkata",
					    ":America/New_York",
					    ":America/St_Johns",
					    ":Pacific/Auckland",
					    "",
					    "Asia/Tokyo",
					    "/usr/share/zoneinfo/Europe/Vienna",
					    "Australia/Adelaide"};
	char buf[256];

	for (size_t i = 0; i < COUNT(names); i++) {
		setenv("TZ", names[i], 1);
		printf("timezone %s: %s", names[i], __pmTimezone());
		printf(" %s\n", __pmTimezone_r(buf, sizeof(buf)));
	}
	setenv("TZ", "UTC", 1);
}

/* Two events with parameters of some types, and a count of the missed ones. */
static void events(void)
{
	union {
		pmValueBlock block;
		pmEventArray array;
		char bytes[512];
	} u;
	union {
		pmValueSet set;
		char bytes[sizeof(pmValueSet) + sizeof(pmValue)];
	} v;
	static const int types[] = {PM_TYPE_32,     PM_TYPE_U32,    PM_TYPE_64,       PM_TYPE_FLOAT,
				    PM_TYPE_DOUBLE, PM_TYPE_STRING, PM_TYPE_AGGREGATE};
	char *p;

	memset(&u, 0, sizeof(u));
	memset(&v, 0, sizeof(v));
	p = (char *)&u.array.ea_record[0];
	u.array.ea_nrecords = 3;
	for (int i = 0; i < 3; i++) {
		pmEventRecord *r = (pmEventRecord *)p;

		r->er_timestamp = (pmTimeval){1700000000 + i, 1234 + i};
		r->er_flags = i == 0   ? 0
			      : i == 1 ? PM_EVENT_FLAG_START | PM_EVENT_FLAG_ID
				       : PM_EVENT_FLAG_MISSED;
		r->er_nparams = i == 2 ? 77 : (int)COUNT(types);
		p += offsetof(pmEventRecord, er_param);
		for (size_t t = 0; i < 2 && t < COUNT(types); t++) {
			pmEventParameter param = {.ep_pmid = (pmID)(100 + t),
						  .ep_type = (unsigned int)types[t]};
			unsigned int len = types[t] == PM_TYPE_64 || types[t] == PM_TYPE_DOUBLE ? 8
					   : types[t] >= PM_TYPE_STRING                         ? 6
												: 4;

			param.ep_len = PM_VAL_HDR_SIZE + len;
			memcpy(p, &param, sizeof(param));
			memcpy(p + sizeof(param), "AbcdeFGH", len);
			p += sizeof(param) + ((len + 3) & ~3u);
		}
	}
	u.block.vtype = PM_TYPE_EVENT;
	u.block.vlen = (unsigned int)(p - u.bytes);
	v.set.numval = 1;
	v.set.valfmt = PM_VAL_SPTR;
	v.set.vlist[0].value.pval = &u.block;
	for (int what = 0; what < 6; what++) {
		pmResult **results = NULL;
		int n;

		v.set.numval = what == 1 ? 0 : what == 2 ? PM_ERR_APPVERSION : 1;
		v.set.valfmt = what == 3 ? PM_VAL_INSITU : PM_VAL_SPTR;
		if (what == 1)
			continue; /* no values: the reference looks at one all the same */
		u.block.vtype = what == 4 ? PM_TYPE_AGGREGATE : PM_TYPE_EVENT;
		if (what == 5)
			u.array.ea_nrecords = 0;
		n = pmUnpackEventRecords(&v.set, 0, &results);
		printf("unpack %d: %d\n", what, n);
		for (int i = 0; i < n; i++) {
			printf("unpack record %ld.%ld\n", results[i]->timestamp.tv_sec,
			       results[i]->timestamp.tv_usec);
			for (int j = 0; j < results[i]->numpmid; j++) {
				pmValueSet *s = results[i]->vset[j];

				printf("unpack %s %d %d %d ", pmIDStr(s->pmid), s->numval,
				       s->valfmt, s->vlist[0].inst);
				pmPrintValue(stdout, s->valfmt,
					     s->valfmt == PM_VAL_INSITU
						 ? PM_TYPE_U32
						 : (int)s->vlist[0].value.pval->vtype,
					     &s->vlist[0], 0);
				printf("\n");
			}
		}
		if (n > 0)
			pmFreeEventResult(results);
		printf("print event: ");
		pmPrintValue(stdout, PM_VAL_SPTR, PM_TYPE_EVENT, &v.set.vlist[0], 0);
		printf("\n");
	}
}

static void messages(void)
{
	char *names[] = {(char *)"a.b", (char *)"c.d"};
	char path[512], line[128];
	FILE *f;

	fflush(stdout);
	snprintf(path, sizeof(path), "%s/stderr", getenv("PITOT_SCRATCH"));
	setenv("PCP_STDERR", path, 1);
	printf("printf %d %d\n", pmprintf("hello %d\n", 1), pmprintf("%s", ""));
	pmprintf("into a file\n");
	printf("flush %d\n", pmflush());
	printf("flush %d\n", pmflush());
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		printf("file: %s", line);
	if (f != NULL)
		fclose(f);
	unsetenv("PCP_STDERR");
	__pmPrintMetricNames(stdout, 2, names, (char *)" or ");
	__pmPrintMetricNames(stdout, 1, names, (char *)" or ");
	__pmPrintMetricNames(stdout, 0, names, (char *)" or ");
	printf("\n");
	pmSetProgname("/a/b/prog");
	printf("prog %s %s\n", pmGetProgname(), pmProgname);
	pmSetProgname(NULL);
	printf("prog %s\n", pmGetProgname());
}

int main(void)
{
	char id[300], *user;
	int r;

	setvbuf(stdout, NULL, _IOLBF, 0);
	debug();
	strings();
	words();
	timevals();
	zones();
	local_zone();
	events();
	messages();
	r = getmachineid(id, sizeof(id));
	printf("machine id %d %s\n", r, r < 0 ? "" : id);
	printf("user %d", pmGetUsername(&user));
	printf(" %s\n", user);
	return 0;
}

/*
 * parity_specs - metric specifications and units strings as users type them, right and wrong: see
 * parity.py.
 */
#include <pcp/pmapi.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print_message(char *msg)
{
	for (const char *p = msg; *p != '\0'; p++)
		if (*p == '\n')
			printf("\\n");
		else
			putchar(*p);
	printf("\n");
	free(msg);
}

static void metric_spec(const char *str)
{
	pmMetricSpec *spec = NULL;
	char *msg = NULL;
	int r = pmParseMetricSpec(str, 1, (char *)"SOURCE", &spec, &msg);

	printf("spec <%s>: %d ", str, r);
	if (r < 0) {
		print_message(msg);
		return;
	}
	printf("%d <%s> <%s> %d", spec->isarch, spec->source, spec->metric, spec->ninst);
	for (int i = 0; i < spec->ninst; i++)
		printf(" <%s>", spec->inst[i]);
	printf("\n");
	pmFreeMetricSpec(spec);
}

/* All ways to put together pieces of a specification. */
static void metric_specs(void)
{
	static const char *const sources[] = {
	    "", "h:", "/a/b/", "@:", " h :", ":", "/", "h\\ x:", "h:1,2:", "a b/"};
	static const char *const metrics[] = {"a.b", " a.b ", "",    "a\\[b", "a]",
					      "a,b", "a b",   "a\\", "a\"b"};
	static const char *const instances[] = {
	    "",         "[]",      "[x]",          "[x,y]",   "[ x , y ]", "[\"x y\",z]",
	    "[x",       "[\"x",    "[\"x\"",       "[x]y",    "[x]]",      "[x][y]",
	    "[",        "[x\\,y]", "[\"x\\\"y\"]", "[x,,y]",  "[x y]",     "[x\"y]",
	    "[\"x\"y]", "[\"\"]",  "[x\\",         "[x:y/z]", "]",         " [x] ",
	    "[\\]]",    "[\\\"x]"};
	char str[128];

	for (size_t s = 0; s < COUNT(sources); s++)
		for (size_t m = 0; m < COUNT(metrics); m++)
			for (size_t i = 0; i < COUNT(instances); i++) {
				snprintf(str, sizeof(str), "%s%s%s", sources[s], metrics[m],
					 instances[i]);
				metric_spec(str);
			}
}

static void units(const char *str)
{
	char *msg = NULL, buf[60];
	double mult = -1;
	pmUnits u;
	int r;

	memset(&u, 0xff, sizeof(u));
	r = pmParseUnitsStr(str, &u, &mult, &msg);
	printf("units <%s>: %d %d %d %d %u %u %d %.15g %s ", str, r, u.dimSpace, u.dimTime,
	       u.dimCount, u.scaleSpace, u.scaleTime, u.scaleCount, mult,
	       pmUnitsStr_r(&u, buf, sizeof(buf)));
	if (r < 0)
		print_message(msg);
	else
		printf("\n");
}

static void all_units(void)
{
	static const char *const words[] = {"byte",
					    "bytes",
					    "Kbyte",
					    "KB",
					    "kb",
					    "KiB",
					    "Kbytes",
					    "Kibibyte",
					    "kilobytes",
					    "Mbyte",
					    "MEGABYTES",
					    "Gbyte",
					    "GiB",
					    "Tbyte",
					    "Pbyte",
					    "Ebyte",
					    "exabyte",
					    "Zbyte",
					    "zettabytes",
					    "Ybyte",
					    "space-0",
					    "space-7",
					    "space-15",
					    "space-16",
					    "space--1",
					    "nanosecond",
					    "ns",
					    "microsec",
					    "us",
					    "ms",
					    "millisec",
					    "s",
					    "sec",
					    "seconds",
					    "min",
					    "minutes",
					    "hr",
					    "h",
					    "hour",
					    "hours",
					    "time-3",
					    "time-5",
					    "time-16",
					    "count",
					    "counts",
					    "count x 10",
					    "count x 10^2",
					    "count x 10^7",
					    "count x 10^8",
					    "count x 10^-8",
					    "count x 10^-9",
					    "count x 10^1",
					    "count x 10^0",
					    "count  x 10",
					    "x 10",
					    "foo",
					    "b",
					    "B",
					    "bit",
					    "day",
					    "second2",
					    "secs",
					    "countx"};
	static const char *const exponents[] = {"",   "^2",  "^-1",  "^0",  "^7",
						"^8", "^-8", "^-9",  "^15", "^16",
						"^",  "^x",  "^1.5", "^+1", "^ 2"};
	static const char *const others[] = {"",
					     " ",
					     "/",
					     "//",
					     "1",
					     "2.5",
					     "-1",
					     ".5",
					     "-",
					     ".",
					     "1e3",
					     "1/2",
					     "1/0",
					     "0",
					     "0 sec",
					     "2 bytes / 5 sec",
					     "2 3 sec",
					     "10 sec",
					     "10sec",
					     "sec 10",
					     "sec10",
					     "byte / sec / min",
					     "sec / hour",
					     "Kbyte / Mbyte",
					     "byte byte",
					     "sec min",
					     "byte^2 / byte",
					     "byte / byte^2",
					     "Kbyte^2 / byte^2",
					     "Mbyte / Kbyte^2",
					     "count / count",
					     "count x 10^3 / count",
					     "hour^2 / min",
					     "byte^7 / byte^-7",
					     "byte^-8 / byte",
					     "byte^8",
					     "byte^8 / byte",
					     "byte^9 / byte^4",
					     " byte/sec ",
					     "byte /sec",
					     "byte/ sec",
					     "\tbyte\n/\tsec",
					     "byte sec count",
					     "count sec byte",
					     "nanosec / hour",
					     "space-12",
					     "inf sec",
					     "nan",
					     "0x10 sec",
					     "1e400 sec",
					     "5 / 2 sec",
					     "/ 2 sec",
					     "/ sec",
					     "sec /",
					     "5 Kbyte / 3 count x 10^6",
					     "1,5 sec",
					     "+1 sec",
					     "1 2 3"};
	char str[128];

	for (size_t w = 0; w < COUNT(words); w++)
		for (size_t e = 0; e < COUNT(exponents); e++) {
			snprintf(str, sizeof(str), "%s%s", words[w], exponents[e]);
			units(str);
			snprintf(str, sizeof(str), "/ %s%s", words[w], exponents[e]);
			units(str);
		}
	for (size_t a = 0; a < COUNT(words); a++)
		for (size_t b = 0; b < COUNT(words); b++) {
			snprintf(str, sizeof(str), "%s / %s", words[a], words[b]);
			units(str);
			snprintf(str, sizeof(str), "3 %s %s", words[a], words[b]);
			units(str);
		}
	for (size_t i = 0; i < COUNT(others); i++)
		units(others[i]);
}

int main(void)
{
	metric_specs();
	all_units();
	return 0;
}

/* names_print - a list of metric names on one line: docs/spec/pmapi.md 24. */
#include <pcp/libpcp.h>

void __pmPrintMetricNames(FILE *f, int n, char **names, char *sep)
{
	if (n < 1) {
		fprintf(f, "<nonames>");
		return;
	}
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i > 0 ? sep : "", names[i]);
}

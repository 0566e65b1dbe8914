/*
 * import - writes "seconds load" lines of standard input as a PCP archive.
 *
 *     cc import.c $(pkg-config --cflags --libs libpcp_import)
 *     printf '1700000000 0.5\n1700000060 0.7\n' | ./a.out history
 *     pmval -a history -t 1min my.load
 */
#include <stdio.h>
#include <pcp/import.h>
#include <pcp/pmapi.h>

static int import_lines(const char *archive)
{
	long long seconds;
	char load[32];
	int r = pmiStart(archive, 0);

	if (r > 0)
		r = pmiAddMetric("my.load", PM_ID_NULL, PM_TYPE_DOUBLE, PM_INDOM_NULL,
				 PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0));
	while (r == 0 && scanf("%lld %31s", &seconds, load) == 2) {
		r = pmiPutValue("my.load", NULL, load);
		if (r == 0)
			r = pmiWrite2(seconds, 0);
	}
	return r == 0 ? pmiEnd() : r;
}

int main(int argc, char **argv)
{
	int r;

	if (argc != 2) {
		fprintf(stderr, "Usage: %s archive <lines\n", argv[0]);
		return 1;
	}
	r = import_lines(argv[1]);
	if (r < 0)
		fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], pmiErrStr(r));
	return r < 0;
}

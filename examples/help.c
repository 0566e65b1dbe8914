/*
 * help - prints the text of a metric from the files that newhelp(1) made for an agent.
 *
 *     cc help.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     newhelp -n names -v 2 -o paint help && ./help paint 401.0.1
 */
#include <stdio.h>
#include <stdlib.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

static int print_help(const char *path, pmID pmid)
{
	int help = pmdaOpenHelp(path);
	char *title, *text;

	if (help < 0)
		return help;
	title = pmdaGetHelp(help, pmid, PM_TEXT_ONELINE);
	text = pmdaGetHelp(help, pmid, PM_TEXT_HELP);
	if (title != NULL && text != NULL)
		printf("%s\n\n%s\n", title, text);
	pmdaCloseHelp(help);
	return title != NULL ? 0 : PM_ERR_TEXT;
}

int main(int argc, char **argv)
{
	unsigned int domain, cluster, item;
	int r;

	if (argc != 3 || sscanf(argv[2], "%u.%u.%u", &domain, &cluster, &item) != 3) {
		fprintf(stderr, "usage: %s path domain.cluster.item\n", argv[0]);
		return 2;
	}
	r = print_help(argv[1], pmID_build(domain, cluster, item));
	if (r < 0)
		fprintf(stderr, "%s: %s\n", argv[1], pmErrStr(r));
	return r < 0;
}

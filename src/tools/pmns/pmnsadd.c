/*
 * pmnsadd - adds the names of a file to a name-space file (docs/spec/tools.md 14).
 *
 * Debian's pmnsadd is a script that prints most messages on standard output; this program does the
 * same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libpmns/pmns.h"
#include "tools/common/output.h"
#include "tools/pmns/fragment.h"
#include "tools/pmns/tree.h"
#include "tools/pmns/writer.h"

#define USAGE "Usage: pmnsadd [-d] [-n namespace] file"

struct options {
	const char *namespace; /* NULL: the default */
	const char *file;
};

static bool end(int status, int *ret_status)
{
	puts(USAGE);
	*ret_status = status;
	return false;
}

static bool print_version(int *ret_status)
{
	fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
		pmGetAPIConfig("pcp_version"), PITOT_VERSION);
	*ret_status = 0;
	return false;
}

static bool complain(int *ret_status, const char *text)
{
	fprintf(stderr, "%s\n", text);
	return end(0, ret_status); /* as in the script, which returns the status of its usage */
}

/* Returns true when the program is to go on. */
static bool parse_options(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return end(0, ret_status);
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return print_version(ret_status);
	opterr = 0;
	while ((letter = getopt(argc, argv, "+dn:")) != EOF) {
		char text[] = "Illegal option -x";

		if (letter == 'n') {
			o->namespace = optarg;
		} else if (letter == 'd') {
			printf("%s: Warning: -d deprecated, duplicate PMNS names allowed by "
			       "default\n",
			       pmGetProgname());
		} else if (optopt == '?') {
			return end(0, ret_status);
		} else if (optopt == 'n') {
			return complain(ret_status, "No arg for -n option");
		} else {
			text[sizeof(text) - 2] = (char)optopt;
			return complain(ret_status, text);
		}
	}
	if (optind != argc - 1)
		return end(1, ret_status);
	o->file = argv[optind];
	return true;
}

static int check_file(const char *what, const char *path)
{
	if (access(path, R_OK) == 0)
		return 0;
	printf("%s: cannot find %s file \"%s\"\n", pmGetProgname(), what, path);
	return -1;
}

static int report_load(const char *path, int sts)
{
	fprintf(stderr, "%s: Error: pmLoadASCIINameSpace(%s, 1): %s\n", pmGetProgname(), path,
		pmErrStr(sts));
	return sts;
}

/* Adds the file's names. Returns 0, or an error that has been reported. */
static int add(const char *path, const char *file)
{
	struct pmns *ns = NULL, *more = NULL;
	int sts = tree_load(path, true, &ns);

	if (sts < 0)
		return report_load(path, sts);
	sts = fragment_load(file, &more);
	if (sts < 0) {
		report_load(file, sts);
	} else {
		sts = tree_merge(ns, more);
		if (sts >= 0)
			sts = writer_write(ns, path);
		if (sts < 0)
			fprintf(stderr, "%s: Error: cannot write PMNS file \"%s\": %s\n",
				pmGetProgname(), path, pmErrStr(sts));
	}
	pmns_free(more);
	pmns_free(ns);
	return sts;
}

/* Returns the exit status. */
static int run(const struct options *o, const char *path)
{
	if (check_file("PMNS", path) < 0 || check_file("input", o->file) < 0)
		return 1;
	if (add(path, o->file) >= 0)
		return 0;
	printf("%s: No changes have been made to the PMNS file \"%s\"\n", pmGetProgname(), path);
	return 1;
}

int main(int argc, char **argv)
{
	struct options o;
	char *path;
	int status;

	pmSetProgname(argv[0]);
	if (parse_options(&o, argc, argv, &status)) {
		path = o.namespace != NULL ? strdup(o.namespace) : tree_default_path();
		if (path == NULL)
			pmNoMem("path", strlen(o.namespace), PM_FATAL_ERR);
		status = run(&o, path);
		free(path);
	}
	return output_finish(status);
}

/*
 * pmnsmerge - merges several name-space files into one (docs/spec/tools.md 14).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libpmns/pmns.h"
#include "tools/common/cmdline.h"
#include "tools/pmns/tree.h"

/*
 * stamped - files in the order of their date stamps: lines "#define _DATESTAMP date".
 */

#define STAMP_LEN 64
#define BLANKS    " \t"

struct stamped {
	char *path;
	size_t place;
	char stamp[STAMP_LEN];
};

/* The text after `word` and blanks at the start of the line; NULL if the line does not start so. */
static const char *text_after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || strchr(BLANKS, line[len]) == NULL)
		return NULL;
	return line + len + strspn(line + len, BLANKS);
}

static void find_stamp(struct stamped *s)
{
	FILE *f = fopen(s->path, "re");
	char *line = NULL;
	size_t size = 0;

	while (f != NULL && s->stamp[0] == '\0' && getline(&line, &size, f) >= 0) {
		const char *rest = text_after(line, "#define");

		if (rest != NULL)
			rest = text_after(rest, "_DATESTAMP");
		if (rest != NULL)
			pmsprintf(s->stamp, sizeof(s->stamp), "%.*s", (int)strcspn(rest, "\r\n"),
				  rest);
	}
	free(line);
	if (f != NULL)
		fclose(f);
}

static int by_stamp(const void *a, const void *b)
{
	const struct stamped *x = a, *y = b;
	int order = strcmp(x->stamp, y->stamp);

	return order != 0 ? order : x->place < y->place ? -1 : 1;
}

static void print_stamps(const struct stamped *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("arg[%zu] %s _DATESTAMP=%s\n", i, list[i].path,
		       list[i].stamp[0] != '\0' ? list[i].stamp : "(null)");
}

/*
 * Sorts paths by the text after _DATESTAMP in each file. Files without one, and files that cannot
 * be read, come first; equal ones keep their order. print: lists them on standard output.
 */
static void stamped_sort(char **paths, size_t n, bool print)
{
	struct stamped *list = calloc(n, sizeof(list[0]));

	if (list == NULL)
		pmNoMem("stamps", n * sizeof(list[0]), PM_FATAL_ERR);
	for (size_t i = 0; i < n; i++) {
		list[i].path = paths[i];
		list[i].place = i;
		find_stamp(&list[i]);
	}
	qsort(list, n, sizeof(list[0]), by_stamp);
	if (print)
		print_stamps(list, n);
	for (size_t i = 0; i < n; i++)
		paths[i] = list[i].path;
	free(list);
}

/*
 * The program
 */

struct pmnsmerge {
	pmOptions pm;
	bool in_order; /* -a */
	bool force;
	bool duplicates;
	int verbose; /* number of -v options */
};

static void allow_duplicates(void *options)
{
	struct pmnsmerge *p = options;

	pmprintf("%s: Warning: -d deprecated, duplicate PMNS names allowed by default\n",
		 pmGetProgname());
	pmflush();
	p->duplicates = true;
}

#define AT(member) offsetof(struct pmnsmerge, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_DEBUG },
	{ { "", 0, 'a', 0, "process files in order, ignoring embedded _DATESTAMP control lines" }, CMDLINE_FLAG, AT(in_order) },
	{ { "dupok", 0, 'd', 0, "duplicate names for the same PMID are allowed [default]" }, CMDLINE_CALL, .call = allow_duplicates },
	{ { "force", 0, 'f', 0, "force overwriting of the output file if it exists" }, CMDLINE_FLAG, AT(force) },
	{ { "nodups", 0, 'x', 0, "duplicate names for the same PMID are not allowed" }, CMDLINE_OFF, AT(duplicates) },
	{ { "verbose", 0, 'v', 0, "verbose, echo input file names as processed" }, CMDLINE_COUNT, AT(verbose) },
	{ { PMLONGOPT_VERSION, 0, 'V', 0, NULL } },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static bool pmnsmerge_parse_options(struct pmnsmerge *p, int argc, char **argv, int *ret_status)
{
	memset(p, 0, sizeof(*p));
	p->duplicates = true;
	p->pm.short_usage = "[options] infile [...] outfile";
	cmdline_parse(p, rows, argc, argv);
	if ((p->pm.flags & PM_OPTFLAG_EXIT) == 0 && p->pm.optind > argc - 2)
		p->pm.errors++;
	return cmdline_accept(&p->pm, ret_status);
}

/* Loads a file into *ns; makes *ns if it is NULL. Returns 0, or an error that has been reported. */
static int add_file(const struct pmnsmerge *p, const char *path, struct pmns **ns)
{
	struct pmns *one = NULL;
	int sts;

	if (p->verbose > 0)
		printf("%s:\n", path);
	if (access(path, R_OK) < 0) {
		fprintf(stderr, "%s: Error: cannot open input PMNS file \"%s\"\n", pmGetProgname(),
			path);
		return PM_ERR_PMNS;
	}
	sts = tree_load(path, p->duplicates, &one);
	if (sts < 0) {
		fflush(stdout);
		fprintf(stderr, "%s: Error: pmLoadASCIINameSpace(%s, %d): %s\n", pmGetProgname(),
			path, p->duplicates ? 1 : 0, pmErrStr(sts));
		return sts;
	}
	if (*ns == NULL) {
		*ns = one;
		return 0;
	}
	sts = tree_merge(*ns, one);
	pmns_free(one);
	if (sts < 0)
		fprintf(stderr, "%s: Error: cannot merge \"%s\": %s\n", pmGetProgname(), path,
			pmErrStr(sts));
	return sts;
}

/* -x: names of different files may have the same PMID. */
static int check_output(const struct pmnsmerge *p, const char *output)
{
	struct pmns *ns = NULL;
	int sts = p->duplicates ? 0 : tree_load(output, false, &ns);

	if (sts < 0)
		fprintf(stderr, "%s: Error: pmLoadASCIINameSpace(%s, 0): %s\n", pmGetProgname(),
			output, pmErrStr(sts));
	pmns_free(ns);
	return sts;
}

/* Returns the exit status. */
static int pmnsmerge_run(const struct pmnsmerge *p, char **paths, size_t n)
{
	const char *output = paths[n];
	struct pmns *ns = NULL;
	int sts = 0;

	if (!p->force && access(output, F_OK) == 0) {
		fprintf(stderr,
			"%s: Error: output PMNS file \"%s\" already exists!\n"
			"You must either remove it first, or use -f\n",
			pmGetProgname(), output);
		return 1;
	}
	if (!p->in_order)
		stamped_sort(paths, n, p->verbose > 1);
	for (size_t i = 0; i < n && sts >= 0; i++)
		sts = add_file(p, paths[i], &ns);
	if (sts >= 0) {
		sts = writer_write(ns, output);
		if (sts < 0)
			fprintf(stderr, "%s: Error: cannot create output PMNS file \"%s\": %s\n",
				pmGetProgname(), output, pmErrStr(sts));
		else
			sts = check_output(p, output);
	}
	pmns_free(ns);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct pmnsmerge p;
	int status;

	if (pmnsmerge_parse_options(&p, argc, argv, &status))
		status = pmnsmerge_run(&p, argv + p.pm.optind, (size_t)(argc - p.pm.optind - 1));
	pmFreeOptions(&p.pm);
	return output_finish(status);
}
